// JSON lines between the engine and a job process. Not Node's own channel between processes: that one takes messages of
// any length, objects of any kind and handles from the other side, and a job process may have been taken over.
import type { Duplex } from 'node:stream';
import { createThrottle } from './throttle.ts';

export interface LineChannel {
  /** One message; one that cannot be sent is dropped: whoever should have read it is gone. */
  send(message: unknown, sent?: () => void): void;
}

export interface LineListeners {
  /** What a line says as JSON, and how long it was. */
  onMessage(message: unknown, bytes: number): void;
  /** Once, in words: the line is no JSON, or longer than allowed. Nothing is heard afterwards. */
  onGarbage(why: string): void;
}

/** What taking a line costs, in bytes that could be read meanwhile. */
const lineCost = 16 * 2 ** 10;
/** In a tenth of a second: a whole result, or 512 lines. Jobs say something ten times a second. */
const mostPerWindow = 8 * 2 ** 20;

/**
 * @param longestBytes of a line that is taken
 */
export function openLineChannel(stream: Duplex, longestBytes: number, listeners: LineListeners): LineChannel {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let broken = false;

  const giveUp = (why: string): void => {
    broken = true;
    pieces = [];
    // Read on, or the writer would wait for ever; what comes is thrown away.
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
      return giveUp('a line that is no JSON');
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
