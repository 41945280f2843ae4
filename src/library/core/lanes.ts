// How many threads of a run may do the same work at the same time: each holds networks and buffers of its own.
import type { FanOut } from './fan-out.ts';

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
