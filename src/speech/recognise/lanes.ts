// How many threads may listen at the same time: each holds the networks for itself.
import { availableMemory } from 'node:process';

/** What most runs are allowed. */
const usualMemoryBytes = 2 * 1024 ** 3;
/** The process without a recogniser: decoding, voice activity, speakers, alignment. */
const processBytes = 700e6;
/**
 * What a thread takes for each byte of weights, and besides for a window: measured with networks of Parakeet 0.6B's size
 * and random 8-bit weights (610 MB of them: 0.95 GB; a window of 30 s: 20 MB more).
 */
const perWeightByte = 1.55;
const perWindowBytes = 100e6;

/**
 * @param weightBytes of all networks together
 * @param parallelism the most there may be
 * @param memoryBytes what the whole run may take; default 2 GiB
 * @param freeBytes what the machine has left
 * @returns at least 1
 */
export function lanesInMemory(
  weightBytes: number,
  parallelism: number,
  memoryBytes: number = usualMemoryBytes,
  freeBytes: number = availableMemory(),
): number {
  const ours = Math.min(memoryBytes - processBytes, freeBytes);
  const lanes = Math.floor(ours / (weightBytes * perWeightByte + perWindowBytes));
  return Math.max(1, Math.min(lanes, parallelism));
}
