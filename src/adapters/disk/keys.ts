import { EarshotError } from '../../core/errors.ts';

const segment = /^[a-z0-9_-][a-z0-9._-]*$/;

/**
 * Keys become paths, so this is the border that nothing may escape through: no empty segment, none that begins with a
 * dot (".." included), no upper case (some file systems do not tell it apart).
 * @throws EarshotError internal_error: keys are made by us, never by clients
 */
export function checkKey(key: string): string {
  if (key.length > 400 || !key.split('/').every((part) => segment.test(part) && part.length <= 200)) {
    throw new EarshotError(
      'internal_error',
      `Expected an object key of lower-case letters, digits, '-', '_', '.' and '/' but received ` +
        JSON.stringify(key.slice(0, 80)),
    );
  }
  return key;
}

/** One folder name for a key with slashes; '~' is not in the alphabet of keys, so this can be undone. */
export const toFolderName = (key: string): string => checkKey(key).replaceAll('/', '~');
export const fromFolderName = (name: string): string => name.replaceAll('~', '/');
