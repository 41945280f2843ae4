import { availableMemory } from 'node:process';
import type { FanOut } from '../../core/fan-out.ts';
import type { SpeechSound } from '../speech-sound.ts';
import type { PlacedWord } from './place-words.ts';
import type { WindowReader } from './window-reader.ts';
import type { ParakeetLayout } from './parakeet/layout.ts';
import type { ParakeetItem } from './parakeet-task.ts';

/** What a thread takes for each byte of weights, and for the sound that it reads. */
const memoryPerByte = 1.5;
const memoryPerWindow = 600e6;
/** Of the memory that is free, so much is ours. */
const ourShare = 0.7;

const taskUrl = import.meta.resolve(import.meta.url.endsWith('.ts') ? './parakeet-task.ts' : './parakeet-task.js');

/** Threads that may hold the networks at the same time: every one has its own. */
export function lanesInMemory(weightBytes: number, parallelism: number, freeBytes: number): number {
  const lanes = Math.floor((freeBytes * ourShare) / (weightBytes * memoryPerByte + memoryPerWindow));
  return Math.max(1, Math.min(lanes, parallelism));
}

/** Windows one by one, on as many threads as there is memory for; that changes nothing about the words. */
export const parakeetReader = (
  sound: SpeechSound,
  layout: ParakeetLayout,
  count: number,
  {
    fanOut,
    signal,
    parallelism,
  }: { readonly fanOut: FanOut; readonly signal: AbortSignal; readonly parallelism: number },
): WindowReader => ({
  groups: Array.from({ length: count }, (_, index) => ({ from: index, to: index + 1 })),
  lanes: lanesInMemory(layout.bytes, parallelism, availableMemory()),
  read: (windows) =>
    fanOut.map<ParakeetItem, PlacedWord[]>(
      taskUrl,
      'readWithParakeet',
      windows.map((window) => ({ layout, path: sound.path, window })),
      { signal },
    ),
});
