import type { StoredFile } from './stored-file.ts';

/**
 * The content type of a download; application/octet-stream if the stored one is invalid. Adds the charset to text,
 * which the check requires to be UTF-8: browsers assume Latin-1 otherwise.
 */
export function sentType({ contentType }: Pick<StoredFile, 'contentType'>): string {
  if (!/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w!#$&^.+-]+=[\w!#$&^.+-]+)*$/.test(contentType))
    return 'application/octet-stream';
  return ['text/plain', 'text/vtt'].includes(contentType) ? `${contentType}; charset=utf-8` : contentType;
}
