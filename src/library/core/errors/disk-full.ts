import { constants } from 'node:os';
import { EarshotError } from './errors.ts';
import { isFullDiskCode, lacking } from './machine-lacks.ts';

/** A full disk, an exhausted quota, a limit on file size. */
const codes = ['ENOSPC', 'EDQUOT', 'EFBIG'] as const;
/** Node has no name for some of them (`Unknown system error -122`), so numbers are compared as well. */
const numbers: readonly (number | undefined)[] = codes.map((code) => constants.errno[code]);

export function isDiskFull(thrown: unknown): boolean {
  const { code, errno } = (thrown ?? {}) as NodeJS.ErrnoException;
  return codes.some((one) => one === code) || (typeof errno === 'number' && numbers.includes(-errno));
}

/**
 * Did a write exceed this process's limit on file size, anywhere in the chain of causes? FFmpeg passes the number on.
 */
export function isFileTooLong(thrown: unknown): boolean {
  for (let at = thrown; typeof at === 'object' && at !== null; at = (at as Error).cause) {
    const { code, errno, details } = at as NodeJS.ErrnoException & { details?: { readonly ffmpegCode?: unknown } };
    if (code === 'EFBIG' || [errno, details?.ffmpegCode].includes(-constants.errno.EFBIG)) return true;
  }
  return false;
}

export const makeRoom = 'Make room on that disk, or work in a folder on another one, and try again.';

/** A work folder is full: retrying helps once there is space. */
export function noRoomToWork(folder: string, cause: unknown): EarshotError {
  return new EarshotError(
    'internal_error',
    `There is no space left in ${folder} for temporary files ` +
      `(${(cause as NodeJS.ErrnoException).code ?? 'disk full'})`,
    {
      nextAction: makeRoom,
      details: { folder, ...(isFullDiskCode((cause as NodeJS.ErrnoException).code) ? lacking('disk') : {}) },
      cause,
    },
  );
}

/** The key of `details` that tells transports that the service's own disk is full. Never shown. */
const mark = 'diskFull';

/** The service's disk is full: HTTP answers 507. Passes when files expire or the operator frees space. */
export function noRoomToKeep(cause?: unknown): EarshotError {
  return new EarshotError('internal_error', "The service's disk is full at the moment", {
    retryable: true,
    nextAction: 'Try again later; the operator has to free disk space.',
    details: { [mark]: true, retryAfterSeconds: 60 },
    ...(cause === undefined ? {} : { cause }),
  });
}

export const isNoRoomToKeep = ({ code, details }: Pick<EarshotError, 'code' | 'details'>): boolean =>
  code === 'internal_error' && details?.[mark] === true;
