import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let gc: ((options: { readonly type: 'major' | 'minor' }) => void) | undefined;

function collect(type: 'major' | 'minor'): void {
  if (!gc) {
    setFlagsFromString('--expose-gc');
    gc = runInNewContext('gc') as typeof gc;
  }
  gc?.({ type });
}

/**
 * Collects this thread's garbage now, in 10 to 20 ms: for the end of long pieces of work. V8 hardly counts typed
 * arrays: a thread that makes megabytes a second keeps some 60 MB before V8 collects, and so does each further thread.
 */
export const collectGarbage = (): void => collect('major');

/** Collects what has been made since the last collection, in 1 to 3 ms. */
export const collectNewGarbage = (): void => collect('minor');
