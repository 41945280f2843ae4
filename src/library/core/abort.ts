/**
 * Thrown when the caller's signal fired; `cause` is the signal's reason. The name is the platform's own, so
 * `err.name === 'AbortError'` works everywhere.
 */
export class AbortError extends Error {
  constructor(message = 'The operation was aborted', options?: ErrorOptions) {
    super(message, options);
    this.name = 'AbortError';
  }
}

export const isAbortError = (thrown: unknown): boolean => thrown instanceof Error && thrown.name === 'AbortError';

/** The error of work that a fired signal ends, with the signal's reason as cause. */
export function abortErrorOf({ reason }: Pick<AbortSignal, 'reason'>): AbortError {
  if (reason instanceof AbortError) return reason;
  const why = reason instanceof Error ? reason.message : typeof reason === 'string' ? reason : '';
  // The platform's default reason only repeats that it was aborted.
  const message = why === '' || isAbortError(reason) ? undefined : `The operation was aborted: ${why}`;
  return new AbortError(message, { cause: reason });
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortErrorOf(signal);
}
