// The part of its host's environment that a job process sees: never secrets.
import { existsSync } from 'node:fs';
import { homeFolder } from '../../core/files/home-folder.ts';
import { modelsFolder } from '../../models/folders.ts';

/** By name: user, locale, library paths. */
const named = new Set([
  'HOME',
  'USER',
  'LOGNAME',
  'PATH',
  'TZ',
  'LANG',
  'LANGUAGE',
  'TMPDIR',
  'TEMP',
  'TMP',
  'XDG_DATA_HOME',
  'XDG_CACHE_HOME',
  'LD_LIBRARY_PATH',
  'DYLD_LIBRARY_PATH',
  'OMP_NUM_THREADS',
  'NODE_DISABLE_COMPILE_CACHE',
  // Windows starts no program without these.
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'USERPROFILE',
  'LOCALAPPDATA',
  'APPDATA',
  'PATHEXT',
  'COMSPEC',
  'NUMBER_OF_PROCESSORS',
  'PROCESSOR_ARCHITECTURE',
  // Our own settings that job processes read.
  'EARSHOT_CORES',
  'EARSHOT_MODELS',
  'EARSHOT_MODELS_PACKAGE',
  'EARSHOT_RECOGNISER',
  'EARSHOT_NOISE_ENGINE',
  'EARSHOT_SIMD',
  'EARSHOT_KERNELS',
]);

const isAllowed = (name: string): boolean =>
  // Windows does not distinguish PATH and Path.
  named.has(process.platform === 'win32' ? name.toUpperCase() : name) || /^(LC|MALLOC)_/.test(name);

/** The part of an environment that a job process may see. */
export function jobEnvironment(): Record<string, string | undefined> {
  const allowed = Object.fromEntries(Object.entries(process.env).filter(([name]) => isAllowed(name)));
  // Without a home of its own, the process looks for models where its host does.
  return process.platform === 'win32' || allowed['HOME'] ? allowed : { ...allowed, HOME: homeFolder() };
}

/**
 * Changes for a job process with a user of its own. Its host's home is closed to it, and a failed look-up there would
 * seem broken rather than missing.
 * @param home a folder of its own
 */
export function environmentOfOtherUser(home: string): Record<string, string | undefined> {
  const models = modelsFolder();
  return {
    HOME: home,
    XDG_DATA_HOME: undefined,
    XDG_CACHE_HOME: undefined,
    EARSHOT_MODELS: existsSync(models) ? models : undefined,
  };
}
