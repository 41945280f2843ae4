import { isAbortError } from '../../../../library/core/abort.ts';

/** Retries once after an error; an abort is passed on. */
export async function retryOnce<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    if (isAbortError(thrown)) throw thrown;
    return await work();
  }
}
