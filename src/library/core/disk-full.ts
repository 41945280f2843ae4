import { constants } from 'node:os';
import { EarshotError } from './errors.ts';

/** A full disk, a quota that is used up, and a limit on the size of files. */
const codes = ['ENOSPC', 'EDQUOT', 'EFBIG'] as const;
/** Node has no name for some of them (`Unknown system error -122`): the number tells. */
const numbers: readonly (number | undefined)[] = codes.map((code) => constants.errno[code]);

export function isDiskFull(thrown: unknown): boolean {
  const { code, errno } = (thrown ?? {}) as NodeJS.ErrnoException;
  return codes.some((one) => one === code) || (typeof errno === 'number' && numbers.includes(-errno));
}

/**
 * Did a write come to the longest file that this process may write, wherever in the chain of causes that is said? FFmpeg
 * hands the system's number on.
 */
export function isFileTooLong(thrown: unknown): boolean {
  for (let at = thrown; typeof at === 'object' && at !== null; at = (at as Error).cause) {
    const { code, errno, details } = at as NodeJS.ErrnoException & { details?: { readonly ffmpegCode?: unknown } };
    if (code === 'EFBIG' || [errno, details?.ffmpegCode].includes(-constants.errno.EFBIG)) return true;
  }
  return false;
}

export const makeRoom = 'Make room on that disk, or work in a folder on another one, and try again.';

/** What a write that found no room is told as while a file is worked on: trying again helps once there is room. */
export function noRoomToWork(folder: string, cause: unknown): EarshotError {
  return new EarshotError(
    'internal_error',
    `There is no room left in ${folder} for what is set aside while working ` +
      `(${(cause as NodeJS.ErrnoException).code ?? 'disk full'})`,
    {
      nextAction: makeRoom,
      details: { folder },
      cause,
    },
  );
}

/** The key of `details` by which transports know that the service's own disk is full. It is never shown. */
const mark = 'diskFull';

/** The service has no room for more: what HTTP answers with 507. It passes when files expire or the operator makes room. */
export function noRoomToKeep(cause?: unknown): EarshotError {
  return new EarshotError('internal_error', 'The service has no room left on its disk at the moment', {
    retryable: true,
    nextAction: 'Try again later; the operator has to make room on the disk.',
    details: { [mark]: true, retryAfterSeconds: 60 },
    ...(cause === undefined ? {} : { cause }),
  });
}

export const isNoRoomToKeep = ({ code, details }: Pick<EarshotError, 'code' | 'details'>): boolean =>
  code === 'internal_error' && details?.[mark] === true;
