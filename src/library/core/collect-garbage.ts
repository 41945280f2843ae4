import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/**
 * Collects this thread's garbage now, 10 to 20 ms: for the end of long pieces of work. V8 counts typed arrays little: left
 * alone, a thread that makes megabytes a second lets some 60 MB lie about before it looks, and each thread does.
 */
export function collectGarbage(): void {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}
