// What a job process sees of its host's environment: never its secrets.
import { existsSync } from 'node:fs';
import { homeFolder } from '../../core/home-folder.ts';
import { modelsFolder } from '../../models/folders.ts';

/** Who and where one is, what language, how libraries are found: by name. */
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
  // Windows does not start a program without these.
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
  // Our own that job processes read.
  'EARSHOT_CORES',
  'EARSHOT_MODELS',
  'EARSHOT_MODELS_PACKAGE',
  'EARSHOT_RECOGNISER',
  'EARSHOT_NOISE_ENGINE',
  'EARSHOT_SIMD',
]);

const isAllowed = (name: string): boolean =>
  // Windows does not tell PATH from Path.
  named.has(process.platform === 'win32' ? name.toUpperCase() : name) || /^(LC|MALLOC)_/.test(name);

/** The part of an environment that a job process may see. */
export function jobEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string | undefined> {
  const allowed = Object.fromEntries(Object.entries(environment).filter(([name]) => isAllowed(name)));
  // Without a home of its own, it looks for models where its host does.
  return process.platform === 'win32' || allowed['HOME'] ? allowed : { ...allowed, HOME: homeFolder() };
}

/**
 * What is different for a job process with a user of its own. Its host's home is closed to it, and what it could not look
 * for there would seem to be broken and not missing.
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
