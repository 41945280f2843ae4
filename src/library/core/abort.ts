/**
 * Thrown when the caller's signal fired; `cause` is the signal's reason, as AbortSignal.timeout or the caller gave it. The
 * name is the platform's own, so `err.name === 'AbortError'` works everywhere.
 */
export class AbortError extends Error {
  constructor(message = 'The operation was aborted', options?: ErrorOptions) {
    super(message, options);
    this.name = 'AbortError';
  }
}

export const isAbortError = (thrown: unknown): boolean => thrown instanceof Error && thrown.name === 'AbortError';

/** What ends because of a signal that has fired, with its reason as the cause. */
export function abortErrorOf({ reason }: Pick<AbortSignal, 'reason'>): AbortError {
  if (reason instanceof AbortError) return reason;
  const why = reason instanceof Error ? reason.message : typeof reason === 'string' ? reason : '';
  // The platform's own reason says no more than that it was aborted.
  const message = why === '' || isAbortError(reason) ? undefined : `The operation was aborted: ${why}`;
  return new AbortError(message, { cause: reason });
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortErrorOf(signal);
}
