import { setImmediate as turn } from 'node:timers/promises';
import { throwIfAborted } from '../core/abort.ts';
import { openAudio } from './decode.ts';
import type { MediaFacts } from './facts.ts';

/**
 * Exact number of frames in a file's sound, by decoding it once: containers round, estimate or lie.
 * Costs what decoding costs; memory is constant.
 */
export async function countFrames(path: string, options: { signal?: AbortSignal; onProgress?: (fraction: number) => void } = {}): Promise<{ frames: number; facts: MediaFacts }> {
  const source = openAudio(path);
  try {
    let frames = 0;
    for (let block = source.next(); block; block = source.next()) {
      frames += block.frames;
      options.onProgress?.(source.expectedFrames ? Math.min(1, frames / source.expectedFrames) : 0);
      await turn();
      throwIfAborted(options.signal);
    }
    return { frames, facts: source.facts };
  } finally {
    source.close();
  }
}
