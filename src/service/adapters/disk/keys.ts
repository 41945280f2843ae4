import { checkKey } from '../../rules/object-store.ts';

/** One folder name for a key with slashes; '~' is not in the alphabet of keys, so this can be undone. */
export const toFolderName = (key: string): string => checkKey(key).replaceAll('/', '~');
export const fromFolderName = (name: string): string => name.replaceAll('~', '/');
