// The packets of an encode in a file beside it, in the order of time, for one that does only a part of them again.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import type { CodedPacket } from './coded-packet.ts';

/** Bytes of the sound, of FFmpeg's note, frames, and time. */
const headBytes = 4 + 4 + 4 + 8;
const bufferBytes = 2 ** 18;

export interface PacketKeeper {
  take(packet: CodedPacket): void;
  /** Completes the file. */
  close(): void;
}

export function keepPackets(path: string): PacketKeeper {
  const file = openSync(path, 'w');
  const buffer = Buffer.allocUnsafe(bufferBytes);
  let filled = 0;
  let open = true;
  const flush = (): void => {
    for (let at = 0; at < filled;) at += writeSync(file, buffer, at, filled - at);
    filled = 0;
  };
  const put = (bytes: Uint8Array): void => {
    for (let at = 0; at < bytes.length;) {
      if (filled === bufferBytes) flush();
      const count = Math.min(bytes.length - at, bufferBytes - filled);
      buffer.set(bytes.subarray(at, at + count), filled);
      filled += count;
      at += count;
    }
  };
  const head = Buffer.alloc(headBytes);
  return {
    take({ data, pts, duration, skip }) {
      head.writeUInt32LE(data.length, 0);
      head.writeUInt32LE(skip?.length ?? 0, 4);
      head.writeUInt32LE(duration, 8);
      head.writeDoubleLE(pts, 12);
      for (const bytes of [head, data, skip ?? new Uint8Array(0)]) put(bytes);
    },
    close() {
      if (!open) return;
      open = false;
      flush();
      closeSync(file);
    },
  };
}

export interface KeptPackets {
  /** null: there are no more. */
  next(): CodedPacket | null;
  close(): void;
}

export function readPackets(path: string): KeptPackets {
  const file = openSync(path, 'r');
  let buffer = Buffer.alloc(0);
  let open = true;
  /** So many bytes, as an array whose `slice` is a copy; null: the file ends before. */
  const take = (bytes: number): Uint8Array | null => {
    while (buffer.length < bytes) {
      const more = Buffer.allocUnsafe(bufferBytes);
      const count = readSync(file, more, 0, bufferBytes, null);
      if (count === 0) return null;
      buffer = Buffer.concat([buffer, more.subarray(0, count)]);
    }
    const taken = buffer.subarray(0, bytes);
    buffer = buffer.subarray(bytes);
    return new Uint8Array(taken.buffer, taken.byteOffset, bytes);
  };
  return {
    next() {
      const bytes = take(headBytes);
      if (!bytes) return null;
      const head = new DataView(bytes.buffer, bytes.byteOffset, headBytes);
      const data = take(head.getUint32(0, true));
      const skip = take(head.getUint32(4, true));
      if (!data || !skip) return null;
      const [duration, pts] = [head.getUint32(8, true), head.getFloat64(12, true)];
      return { data, pts, duration, skip: skip.length > 0 ? skip : null };
    },
    close() {
      if (open) closeSync(file);
      open = false;
    },
  };
}
