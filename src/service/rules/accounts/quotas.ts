import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { Config } from '../settings/config.ts';

/** An account's current usage. */
export interface AccountUsage {
  /** Files that are kept or arriving, at least 0. */
  readonly files: number;
  /** Bytes of those files whose size is known. */
  readonly bytes: number;
  /** Jobs that are queued or running, at least 0. */
  readonly unfinishedJobs: number;
}

export type Quotas = Pick<Config, 'accountFiles' | 'accountBytes' | 'accountJobs'>;

const over = (limit: string, expected: number, received: number, message: string, nextAction: string): EarshotError =>
  new EarshotError('limit_exceeded', message, { details: { limit, expected, received }, nextAction });

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;

function requireBytes({ bytes }: AccountUsage, more: number, { accountBytes }: Quotas): void {
  if (bytes + more > accountBytes)
    throw over(
      'maxKeptBytes',
      accountBytes,
      bytes + more,
      `Expected an account to keep at most ${gigabytes(accountBytes)} but with this it would ` +
        `be ${gigabytes(bytes + more)}`,
      'Delete some files.',
    );
}

/**
 * @param sizeBytes of the file; null: not known yet
 * @throws EarshotError limit_exceeded with the limit and the account's usage
 */
export function requireRoomForFile(usage: AccountUsage, sizeBytes: number | null, quotas: Quotas): void {
  if (usage.files >= quotas.accountFiles)
    throw over(
      'maxFiles',
      quotas.accountFiles,
      usage.files,
      `Expected an account to keep at most ${quotas.accountFiles} files but it has ${usage.files}`,
      'Delete some files.',
    );
  // A file of unknown size needs at least one byte.
  requireBytes(usage, sizeBytes ?? 1, quotas);
}

/**
 * For a file whose size has just become known.
 * @param usage including that file
 * @throws EarshotError limit_exceeded with the limit and the account's usage
 */
export const requireRoomForSize = (usage: AccountUsage, quotas: Quotas): void => requireBytes(usage, 0, quotas);

/** @throws EarshotError limit_exceeded with the limit and the account's usage */
export function requireRoomForJob(usage: AccountUsage, quotas: Quotas): void {
  if (usage.unfinishedJobs >= quotas.accountJobs)
    throw over(
      'maxUnfinishedJobs',
      quotas.accountJobs,
      usage.unfinishedJobs,
      `Expected at most ${quotas.accountJobs} queued or running jobs of an account but there ` +
        `are ${usage.unfinishedJobs}`,
      'Wait until some of these jobs have ended.',
    );
  // The outputs need at least one byte.
  requireBytes(usage, 1, quotas);
}
