// Packets outside of FFmpeg: compared, changed, sent between threads, and kept in a file for an encode that does only a
// part of them again.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import type { Packet } from 'node-av/lib';
import { AV_PKT_DATA_SKIP_SAMPLES } from 'node-av/constants';
import { expectOk } from '../../ffmpeg/ffmpeg.ts';

export interface CodedPacket {
  readonly data: Uint8Array;
  /** Frames at the codec's rate. */
  readonly pts: number;
  readonly duration: number;
  /** FFmpeg's note on frames to drop (the padding, in the last packet); null: none. */
  readonly skip: Uint8Array | null;
}

/** Packets share memory of this size: one allocation for each is more work for V8's collector than the copy is. */
const chunkBytes = 2 ** 16;
let chunk = new Uint8Array(0);
let filled = 0;

function copyOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length > chunk.length - filled) {
    chunk = new Uint8Array(Math.max(chunkBytes, bytes.length));
    filled = 0;
  }
  chunk.set(bytes, filled);
  filled += bytes.length;
  return chunk.subarray(filled - bytes.length, filled);
}

/** A copy of a packet of FFmpeg's. */
export function codedPacket(packet: Packet): CodedPacket {
  const skip = packet.getSideData(AV_PKT_DATA_SKIP_SAMPLES);
  return {
    data: copyOf(packet.data ?? new Uint8Array(0)),
    pts: Number(packet.pts),
    duration: Number(packet.duration),
    skip: skip && new Uint8Array(skip),
  };
}

/** Makes an empty packet of FFmpeg's this one. */
export function fillPacket(packet: Packet, { data, pts, duration, skip }: CodedPacket): void {
  packet.data = Buffer.from(data.buffer, data.byteOffset, data.length);
  packet.pts = BigInt(pts);
  packet.dts = BigInt(pts);
  packet.duration = BigInt(duration);
  packet.isKeyframe = true;
  if (skip) expectOk(packet.addSideData(AV_PKT_DATA_SKIP_SAMPLES, Buffer.from(skip)), 'Marking the padding');
}

/** Many packets as few arrays, which threads pass on cheaply. */
export interface PackedPackets {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly sizes: Uint32Array<ArrayBuffer>;
  readonly pts: Float64Array<ArrayBuffer>;
  readonly durations: Uint32Array<ArrayBuffer>;
  readonly skips: readonly (readonly [index: number, skip: Uint8Array])[];
}

export function packPackets(packets: readonly CodedPacket[]): PackedPackets {
  const bytes = new Uint8Array(packets.reduce((sum, { data }) => sum + data.length, 0));
  let at = 0;
  for (const { data } of packets) {
    bytes.set(data, at);
    at += data.length;
  }
  return {
    bytes,
    sizes: Uint32Array.from(packets, ({ data }) => data.length),
    pts: Float64Array.from(packets, ({ pts }) => pts),
    durations: Uint32Array.from(packets, ({ duration }) => duration),
    skips: packets.flatMap(({ skip }, index) => (skip ? [[index, skip] as const] : [])),
  };
}

export function unpackPackets({ bytes, sizes, pts, durations, skips }: PackedPackets): CodedPacket[] {
  const skipAt = new Map(skips);
  let at = 0;
  return Array.from(sizes, (size, index) => {
    const data = bytes.subarray(at, at + size);
    at += size;
    return { data, pts: pts[index] ?? 0, duration: durations[index] ?? 0, skip: skipAt.get(index) ?? null };
  });
}

/** Bytes of the sound, of FFmpeg's note, frames, and time. */
const headBytes = 4 + 4 + 4 + 8;
const bufferBytes = 2 ** 18;

/** Writes a file of packets, in the order of time. */
export interface PacketStore {
  take(packet: CodedPacket): void;
  /** Completes the file. */
  close(): void;
}

export function storePackets(path: string): PacketStore {
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

export interface StoredPackets {
  /** null: there are no more. */
  next(): CodedPacket | null;
  close(): void;
}

export function readPackets(path: string): StoredPackets {
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
