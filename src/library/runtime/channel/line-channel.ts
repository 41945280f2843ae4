// JSON lines between the engine and a job process. Node's own channel accepts messages of any length, objects of any
// kind and handles, and a job process may be compromised.
import type { Duplex } from 'node:stream';
import { createThrottle } from './throttle.ts';

export interface LineChannel {
  /** Sends one message; dropped if the other side is gone. */
  send(message: unknown, sent?: () => void): void;
}

export interface LineListeners {
  /** A line parsed as JSON, and its length. */
  onMessage(message: unknown, bytes: number): void;
  /** Called once, with the reason: the line is not JSON, or too long. Later lines are ignored. */
  onGarbage(why: string): void;
}

/** Fixed cost of a line, in bytes of the budget below. */
const lineCost = 16 * 2 ** 10;
/** Budget in a tenth of a second: a whole result, or 512 lines. Jobs send about ten messages a second. */
const mostPerWindow = 8 * 2 ** 20;

/** @param longestBytes longest accepted line */
export function openLineChannel(stream: Duplex, longestBytes: number, listeners: LineListeners): LineChannel {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let broken = false;

  const giveUp = (why: string): void => {
    broken = true;
    pieces = [];
    // Keep reading and discard, or the writer would block forever.
    stream.resume();
    listeners.onGarbage(why);
  };
  const take = (piece: Buffer): boolean => {
    bytes += piece.length;
    if (bytes > longestBytes) {
      giveUp(`a line of more than ${longestBytes} bytes`);
      return false;
    }
    if (piece.length > 0) pieces.push(piece);
    return true;
  };
  const endLine = (): void => {
    const line = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
    const length = bytes;
    pieces = [];
    bytes = 0;
    let message: unknown;
    try {
      message = JSON.parse(line.toString('utf8'));
    } catch {
      return giveUp('a line that is not JSON');
    }
    listeners.onMessage(message, length);
  };
  const spend = createThrottle(stream, mostPerWindow);
  stream.on('data', (chunk: Buffer) => {
    let from = 0;
    let lines = 0;
    for (;;) {
      const end = chunk.indexOf(10, from);
      if (broken || end < 0) break;
      if (!take(chunk.subarray(from, end))) return;
      endLine();
      lines += 1;
      from = end + 1;
    }
    if (!broken) spend(chunk.length + lines * lineCost);
    if (!broken) take(chunk.subarray(from));
  });
  stream.on('error', () => undefined);

  return {
    send(message, sent) {
      if (!stream.destroyed && stream.writable) stream.write(`${JSON.stringify(message)}\n`, () => sent?.());
      else sent?.();
    },
  };
}
