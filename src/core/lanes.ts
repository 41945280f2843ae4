// How many threads of a run may do the same work at the same time: each holds networks and buffers of its own.
import type { FanOut } from './fan-out.ts';

/** What a run is given where its caller says nothing. */
const usualMemoryBytes = 2 * 2 ** 30;
/** A run's own thread: decoding, encoding, what is read and written. */
const processBytes = 320e6;
/** Of its memory that a run plans with. The rest is for what a file needs more than the ones that were measured. */
const plannedShare = 0.8;

/**
 * What a thread takes for weights in ONNX Runtime's memory: a network of Parakeet 0.6B's size with random 8-bit weights
 * took 0.95 GB for 610 MB.
 */
export const loadedBytes = (weightBytes: number): number => 1.55 * weightBytes;

/**
 * How many pieces of work to have under way for so many threads: one more than there are, so that none waits for its next
 * one. Not where memory allows fewer threads than there are cores: one more piece would start one more thread.
 */
export const piecesUnderWay = ({ lanes }: Pick<FanOut, 'lanes'>, threads: number): number =>
  threads < lanes(0) ? threads : threads + 1;

/**
 * @param threadBytes what one thread takes
 * @param parallelism the most there may be
 * @param memoryBytes what the whole run may take; default 2 GiB. A fifth of it is left free
 * @param sharedBytes what the threads share
 * @returns at least 1
 */
export function lanesInMemory(
  threadBytes: number,
  parallelism: number,
  memoryBytes: number = usualMemoryBytes,
  sharedBytes = 0,
): number {
  const lanes = Math.floor((plannedShare * memoryBytes - processBytes - sharedBytes) / threadBytes);
  return Math.max(1, Math.min(lanes, parallelism));
}
