import { createRequire } from 'node:module';
import { delimiter, dirname, join, resolve } from 'node:path';
import { homeFolder } from '../core/files/home-folder.ts';
import { outsideArchive } from '../core/running-files.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The user's folder for data of programs (Linux: XDG_DATA_HOME or ~/.local/share). */
export function dataFolder(environment: Environment = process.env): string {
  if (process.platform === 'win32') return environment['LOCALAPPDATA'] || join(homeFolder(), 'AppData', 'Local');
  if (process.platform === 'darwin') return join(homeFolder(), 'Library', 'Application Support');
  return environment['XDG_DATA_HOME'] || join(homeFolder(), '.local', 'share');
}

/**
 * The folder for installed models: the given one (the engine's `modelsDir`), else EARSHOT_MODELS, else `earshot/models`
 * in the user's data folder (Linux: XDG_DATA_HOME or ~/.local/share).
 */
export function modelsFolder(given?: string, environment: Environment = process.env): string {
  return resolve(given ?? (environment['EARSHOT_MODELS'] || join(dataFolder(environment), 'earshot', 'models')));
}

/**
 * The folder of the package `earshot-models`, which holds the default weights; null where it is not installed.
 * EARSHOT_MODELS_PACKAGE names another folder with that layout; empty means none.
 */
export function packageFolder(environment: Environment = process.env): string | null {
  const given = environment['EARSHOT_MODELS_PACKAGE'];
  if (given !== undefined) return given === '' ? null : resolve(given);
  try {
    return outsideArchive(dirname(createRequire(import.meta.url).resolve('earshot-models/package.json')));
  } catch {
    return null;
  }
}

/**
 * The folders that are searched for a model, in this order: the given one (the engine's `modelsDir`), that of `earshot
 * models install`, the package `earshot-models`.
 */
export function searchFolders(given?: string, environment: Environment = process.env): readonly string[] {
  const folders = [modelsFolder(given, environment), modelsFolder(undefined, environment)];
  const packaged = packageFolder(environment);
  return [...new Set(packaged === null ? folders : [...folders, packaged])];
}

/** Caches the results of file checks; may be deleted. */
export function cacheFolder(): string {
  if (process.platform === 'win32') return join(dataFolder(process.env), 'earshot', 'cache');
  if (process.platform === 'darwin') return join(homeFolder(), 'Library', 'Caches', 'earshot');
  return join(process.env['XDG_CACHE_HOME'] || join(homeFolder(), '.cache'), 'earshot');
}

/**
 * Folders that are searched for model files before downloading, laid out as the models folder: EARSHOT_MODELS_MIRROR,
 * several separated as in PATH; none where it is unset.
 */
export function mirrorFolders(environment: Environment = process.env): readonly string[] {
  return (environment['EARSHOT_MODELS_MIRROR'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => resolve(folder));
}
