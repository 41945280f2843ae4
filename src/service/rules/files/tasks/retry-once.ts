import { isAbortError } from '../../../../library/core/abort.ts';

/** Once more, for trouble that passes. An abort is no trouble. */
export async function retryOnce<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    if (isAbortError(thrown)) throw thrown;
    return await work();
  }
}
