// How many threads may listen at the same time: each holds the networks for itself.
import { availableMemory } from 'node:process';

/** What most runs are allowed. */
const usualMemoryBytes = 2 * 1024 ** 3;
/** The process without a recogniser: decoding, voice activity, speakers, alignment. */
const processBytes = 700e6;

/**
 * What a thread takes for weights in the runtime's memory: a network of Parakeet 0.6B's size with random 8-bit weights
 * took 0.95 GB for 610 MB.
 */
export const loadedBytes = (weightBytes: number): number => 1.55 * weightBytes;

/**
 * @param threadBytes what one thread takes
 * @param parallelism the most there may be
 * @param memoryBytes what the whole run may take; default 2 GiB
 * @param freeBytes what the machine has left
 * @returns at least 1
 */
export function lanesInMemory(
  threadBytes: number,
  parallelism: number,
  memoryBytes: number = usualMemoryBytes,
  freeBytes: number = availableMemory(),
): number {
  const lanes = Math.floor(Math.min(memoryBytes - processBytes, freeBytes) / threadBytes);
  return Math.max(1, Math.min(lanes, parallelism));
}
