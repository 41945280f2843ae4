/**
 * Thrown when the caller's signal fired. The name is the platform's own, so `err.name === 'AbortError'` works
 * everywhere.
 */
export class AbortError extends Error {
  constructor(message = 'The operation was aborted') {
    super(message);
    this.name = 'AbortError';
  }
}

export const isAbortError = (thrown: unknown): boolean => thrown instanceof Error && thrown.name === 'AbortError';

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new AbortError();
}
