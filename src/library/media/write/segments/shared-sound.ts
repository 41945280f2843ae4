// Sound that all threads see, in pieces of one size, so that what is done with is used again piece by piece.
import type { FanOut } from '../../../core/machine/fan-out.ts';

/** 3 s of stereo at 44.1 kHz; from this size on, the allocator of jobs gives memory of its own to each. */
const pieceBytes = 2 ** 20;

/** A stretch of planar floats. */
export interface SharedSound {
  readonly pieces: readonly SharedArrayBuffer[];
  readonly channels: number;
  /** Where it begins in the first piece, frames. */
  readonly skip: number;
}

export const soundBytes = (channels: number, frames: number): number =>
  channels * frames * Float32Array.BYTES_PER_ELEMENT;

const framesOfPiece = (channels: number): number => Math.floor(pieceBytes / soundBytes(channels, 1));

function planesOf(piece: SharedArrayBuffer, channels: number): Float32Array[] {
  const frames = framesOfPiece(channels);
  return Array.from({ length: channels }, (_, channel) => new Float32Array(piece, soundBytes(channel, frames), frames));
}

/**
 * Pieces that no encode of a run uses now. V8 puts off freeing shared memory: a run that encodes twice would hold
 * all of it twice.
 */
const unusedPieces = new WeakMap<FanOut, SharedArrayBuffer[]>();

/** How far a sound has come, for threads that read on while it grows. */
export interface SoundSoFar {
  readonly memory: SharedArrayBuffer;
}

/** Words of `SoundSoFar`: frames, and whether there are no more. */
const [lengthAt, isWholeAt] = [0, 1];

/**
 * Frames of a stretch that reaches to `to`, and whether the sound ends in it; null: not all of it has come.
 * @param from in frames from the start of the sound, as `to`
 */
export function framesBetween(
  { memory }: SoundSoFar,
  from: number,
  to: number,
): { readonly frames: number; readonly ends: boolean } | null {
  const words = new BigInt64Array(memory);
  const isWhole = Atomics.load(words, isWholeAt) === 1n;
  const length = Number(Atomics.load(words, lengthAt));
  const ends = length < to;
  return ends && !isWhole ? null : { frames: Math.min(length, to) - from, ends };
}

/** The end of a sound, which grows at its back and is dropped at its front. */
export class SoundQueue {
  private readonly channels: number;
  private readonly pieceFrames: number;
  private readonly unused: SharedArrayBuffer[];
  private pieces: SharedArrayBuffer[] = [];
  /** Of the piece that is filled now. */
  private planes: readonly Float32Array[] = [];
  /** Time of the first piece. */
  private from = 0;
  /** Frames appended so far. */
  length = 0;
  readonly soFar: SoundSoFar = { memory: new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT) };

  constructor(channels: number, fanOut: FanOut) {
    this.channels = channels;
    this.pieceFrames = framesOfPiece(channels);
    this.unused = unusedPieces.get(fanOut) ?? [];
    unusedPieces.set(fanOut, this.unused);
  }

  append(planes: readonly Float32Array[], frames: number): void {
    for (let at = 0; at < frames;) {
      const filled = this.length % this.pieceFrames;
      if (filled === 0) this.planes = planesOf(this.pieceAt(this.length), this.channels);
      const count = Math.min(frames - at, this.pieceFrames - filled);
      for (const [channel, plane] of this.planes.entries())
        plane.set((planes[channel] as Float32Array).subarray(at, at + count), filled);
      at += count;
      this.length += count;
    }
    Atomics.store(new BigInt64Array(this.soFar.memory), lengthAt, BigInt(this.length));
  }

  /** Nothing is appended any more. */
  end(): void {
    Atomics.store(new BigInt64Array(this.soFar.memory), isWholeAt, 1n);
  }

  /** The piece with this time, which may not have come yet. */
  private pieceAt(time: number): SharedArrayBuffer {
    const index = Math.floor((time - this.from) / this.pieceFrames);
    while (this.pieces.length <= index) this.pieces.push(this.unused.pop() ?? new SharedArrayBuffer(pieceBytes));
    return this.pieces[index] as SharedArrayBuffer;
  }

  /** The sound between two times, also one that has not come yet. */
  ahead(from: number, to: number): SharedSound {
    this.pieceAt(to - 1);
    return this.stretch(from, to);
  }

  /** The sound between two times. It stays as it is until it is dropped. */
  stretch(from: number, to: number): SharedSound {
    const { channels, pieceFrames } = this;
    const first = Math.floor((from - this.from) / pieceFrames);
    const last = Math.ceil((to - this.from) / pieceFrames);
    return { pieces: this.pieces.slice(first, last), channels, skip: (from - this.from) % pieceFrames };
  }

  /** Nothing reads the sound before this time any more. */
  dropBefore(time: number): void {
    const count = Math.floor((Math.min(time, this.length) - this.from) / this.pieceFrames);
    if (count <= 0) return;
    this.unused.push(...this.pieces.splice(0, count));
    this.from += count * this.pieceFrames;
  }

  /** Nothing reads any of it any more. */
  dropAll(): void {
    this.unused.push(...this.pieces.splice(0));
  }
}

/** Reads stretches as copies, since FFmpeg takes no shared memory. They are valid until the next call. */
export function soundReader({ pieces, channels, skip }: SharedSound): (at: number, frames: number) => Float32Array[] {
  const pieceFrames = framesOfPiece(channels);
  const all = pieces.map((piece) => planesOf(piece, channels));
  let copies = Array.from({ length: channels }, () => new Float32Array(0));
  return (at, frames) => {
    if ((copies[0]?.length ?? 0) < frames) copies = copies.map(() => new Float32Array(frames));
    for (let done = 0; done < frames;) {
      const place = skip + at + done;
      const piece = all[Math.floor(place / pieceFrames)] as Float32Array[];
      const from = place % pieceFrames;
      const count = Math.min(frames - done, pieceFrames - from);
      for (const [channel, copy] of copies.entries())
        copy.set((piece[channel] as Float32Array).subarray(from, from + count), done);
      done += count;
    }
    return copies.map((copy) => copy.subarray(0, frames));
  };
}
