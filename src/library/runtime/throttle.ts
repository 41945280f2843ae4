// A job process that has been taken over may write without end, and all of it in good form. Its host reads no faster than
// any job ever writes; the rest waits in the process that made it.
import type { Readable } from 'node:stream';

const windowMs = 100;

/**
 * Lets a flowing stream rest until the next tenth of a second once it has cost more than `most` in this one.
 * @returns to be told what was just read cost
 */
export function createThrottle(stream: Readable, most: number): (cost: number) => void {
  let spent = 0;
  let endsAt = 0;
  return (cost) => {
    const now = performance.now();
    if (now >= endsAt) {
      spent = 0;
      endsAt = now + windowMs;
    }
    spent += cost;
    if (spent <= most || stream.isPaused()) return;
    stream.pause();
    setTimeout(() => stream.resume(), endsAt - now).unref();
  };
}
