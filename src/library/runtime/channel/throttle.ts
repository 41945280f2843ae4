// A compromised job process may write valid messages without end. Its host reads no faster than any job writes; the
// rest waits in the process.
import type { Readable } from 'node:stream';

const windowMs = 100;

/**
 * Pauses a flowing stream until the next tenth of a second once it has cost more than `most` in this one.
 * @returns call it with the cost of what was just read
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
