// How many threads of a run may do the same work at the same time: each holds its own networks and buffers.
import type { FanOut } from './fan-out.ts';

/**
 * Memory of a thread for weights in ONNX Runtime: a network of Parakeet 0.6B's size with random 8-bit weights took 0.95
 * GB for 610 MB.
 */
export const loadedBytes = (weightBytes: number): number => 1.55 * weightBytes;

/**
 * The same for a network that all threads share (models/sessions.ts), including the peak while it is read: that network
 * took 617 MB in a job process, whose allocator returns freed memory to the system.
 */
export const sharedBytes = (weightBytes: number): number => 1.1 * weightBytes;

/**
 * How many pieces of work to keep in flight for this many threads: one more, so that no thread waits for its next
 * piece.
 * Not where memory allows fewer threads than cores: one more piece would start one more thread.
 */
export const piecesUnderWay = ({ lanes }: Pick<FanOut, 'lanes'>, threads: number): number =>
  threads < lanes(0) ? threads : threads + 1;
