// Blocks of sound on their way from the thread that decodes them to the one that takes them.
import type { Part } from './segment-decoder.ts';

/** As many as a segment has, and what comes behind it: a thread seldom waits. */
const places = 64;
const numbers = 5;
const outcomes = ['more', 'cut', 'end', 'unusual'] as const;

// Here, since a task is a file of its own, which only threads load.
/** The next segment to decode; how many blocks were written; how many threads may work; 1 at the sound's end. */
export const controls = { next: 0, written: 1, lanes: 2, ended: 3 } as const;

export interface SharedPart extends Part {
  readonly segment: number;
}

/** Written by one thread, read by another, in order. */
export interface SharedBlocks {
  readonly sound: SharedArrayBuffer;
  /** Of each place: is it filled, and what comes after it? */
  readonly states: SharedArrayBuffer;
  readonly values: SharedArrayBuffer;
}

/** @param frames of a block */
export const blockBytes = (channels: number, frames: number): number => places * channels * frames * 4;

export const makeBlocks = (channels: number, frames: number): SharedBlocks => ({
  sound: new SharedArrayBuffer(blockBytes(channels, frames)),
  states: new SharedArrayBuffer(places * 4),
  values: new SharedArrayBuffer(places * numbers * 8),
});

interface Place {
  readonly planes: readonly Float32Array[];
  isFilled(): boolean;
  write(segment: number, part: Part): void;
  read(): SharedPart;
  empty(): void;
  /** Blocks a thread until it is empty, or for so many ms. */
  waitUntilEmpty(milliseconds: number): void;
}

/** The places of blocks, in turn. */
export function placesOf({ sound, states, values }: SharedBlocks, channels: number, frames: number): readonly Place[] {
  const state = new Int32Array(states);
  const value = new Float64Array(values);
  return Array.from({ length: places }, (_, place): Place => ({
    planes: Array.from(
      { length: channels },
      (__, channel) => new Float32Array(sound, (place * channels + channel) * frames * 4, frames),
    ),
    isFilled: () => Atomics.load(state, place) !== 0,
    write(segment, part) {
      value.set([segment, part.frames, part.ahead, part.begin, part.end], place * numbers);
      Atomics.store(state, place, 1 + outcomes.indexOf(part.after));
    },
    read() {
      const [segment = 0, got = 0, ahead = 0, begin = 0, end = 0] = value.subarray(place * numbers);
      return { segment, frames: got, ahead, begin, end, after: outcomes[Atomics.load(state, place) - 1] ?? 'unusual' };
    },
    empty() {
      Atomics.store(state, place, 0);
      Atomics.notify(state, place);
    },
    waitUntilEmpty: (milliseconds) => void Atomics.wait(state, place, Atomics.load(state, place) || -1, milliseconds),
  }));
}
