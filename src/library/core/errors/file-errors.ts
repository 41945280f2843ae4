import { dirname } from 'node:path';
import { isDiskFull, makeRoom } from './disk-full.ts';
import { EarshotError, type ErrorCode } from './errors.ts';

/** What the system's codes mean to the caller who gave the path. */
const meanings: Readonly<Record<string, readonly [code: ErrorCode, says: (path: string) => string]>> = {
  ENOENT: ['not_found', (path) => `There is no file or folder ${path}`],
  ENOTDIR: ['not_found', (path) => `A part of the path ${path} is a file, not a folder`],
  EEXIST: ['bad_request', (path) => `There is something else at ${path} already`],
  ENAMETOOLONG: ['bad_request', (path) => `A name in the path ${path} is too long: file systems allow 255 bytes`],
  EACCES: ['bad_request', (path) => `No permission for ${path}`],
  EPERM: ['bad_request', (path) => `No permission for ${path}`],
  EROFS: ['bad_request', (path) => `${path} is on a read-only file system`],
  EISDIR: ['bad_request', (path) => `${path} is a folder`],
  ELOOP: ['bad_request', (path) => `The symbolic links of ${path} form a loop`],
  EBUSY: ['bad_request', (path) => `${path} is in use`],
  EPIPE: ['bad_request', (path) => `The reader of ${path} closed it before the end`],
};

/** What to do where the meaning does not say so. */
const nextActions: Readonly<Record<string, string>> = {
  ENAMETOOLONG: 'Choose a shorter name.',
  EACCES: 'Choose another path, or give this user permission to read and write there.',
  EPERM: 'Choose another path, or give this user permission to read and write there.',
  EBUSY: 'Close what uses it, or choose another path.',
};

/**
 * A system error about a caller's path as an EarshotError that names this path and no temporary one. An EarshotError is
 * returned as it is.
 * @param field the option or input with the path
 */
export function pathError(thrown: unknown, path: string, field: string): unknown {
  const { code } = (thrown ?? {}) as NodeJS.ErrnoException;
  if (thrown instanceof EarshotError || typeof code !== 'string') return thrown;
  const details = { field, path, systemCode: code };
  if (isDiskFull(thrown))
    return new EarshotError('internal_error', `There is no space left in ${dirname(path)} (${code})`, {
      nextAction: makeRoom,
      details,
      cause: thrown,
    });
  const [ours, says] = meanings[code] ?? (['bad_request', () => `${path} cannot be used (${code})`] as const);
  const nextAction = nextActions[code] ?? (ours === 'not_found' ? 'Check the path.' : 'Choose another path.');
  return new EarshotError(ours, says(path), { nextAction, details, cause: thrown });
}
