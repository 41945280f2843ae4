// The limits of one run, as messages describe them.
import type { EarshotError } from '../errors/errors.ts';

const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
const megabytes = (bytes: number): string =>
  `${bytes < 1e7 ? Math.round(bytes / 1e5) / 10 : Math.round(bytes / 1e6)} MB`;

/** By limit, under the names in `details.limit`: how its amount is written. */
const amounts = {
  maxJobMemoryBytes: (bytes: number): string => `${mebibytes(bytes)} of memory`,
  maxJobSeconds: (seconds: number): string => `${Math.round(seconds * 10) / 10} s of time`,
  maxOutputBytes: (bytes: number): string => `${megabytes(bytes)} of disk space`,
};

/** A limit of one run: memory, time or disk. Quotas of an account have other names. */
export type RunBound = keyof typeof amounts;

const isRunBound = (limit: unknown): limit is RunBound => typeof limit === 'string' && Object.hasOwn(amounts, limit);

/** A limit that a run reached, with its amount: "2048 MiB of memory". */
export interface MetBound {
  readonly limit: RunBound;
  readonly amount: string;
}

/** @param allowed bytes or seconds */
export const boundOf = (limit: RunBound, allowed: number): MetBound => ({ limit, amount: amounts[limit](allowed) });

/**
 * The limit of memory, time or disk that ended a run; null for any other error. The code alone is not enough: quotas of
 * an account use it as well.
 */
export function metBound({ code, details }: Pick<EarshotError, 'code' | 'details'>): MetBound | null {
  if (code !== 'limit_exceeded') return null;
  const { limit, expected } = details ?? {};
  return isRunBound(limit) && typeof expected === 'number' ? boundOf(limit, expected) : null;
}
