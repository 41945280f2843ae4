import { checkKey } from '../../rules/files/object-store.ts';

/** One folder name for a key with slashes; reversible, because keys have no '~'. */
export const toFolderName = (key: string): string => checkKey(key).replaceAll('/', '~');
export const fromFolderName = (name: string): string => name.replaceAll('~', '/');
