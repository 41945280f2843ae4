import { setImmediate as turn } from 'node:timers/promises';
import { throwIfAborted } from '../../core/abort.ts';
import { openAudio } from './decode.ts';
import type { MediaFacts } from '../facts.ts';
import { openRecording } from './recording-length.ts';

export interface Length {
  readonly frames: number;
  readonly facts: MediaFacts;
}

/** Formats whose header counts frames of sound that is coded without loss, so that decoding finds as many. */
const countedFormats = new Set(['wav', 'flac']);

/**
 * Number of frames that a file's header counts; null where headers of its kind round or estimate. True of every sound
 * file, but a file may be cut off or lie: whoever relies on it must see what reading it comes to.
 * @throws EarshotError as `openAudio`
 */
export function declaredLength(path: string): Length | null {
  const { expectedFrames, facts, close } = openAudio(path);
  close();
  if (
    expectedFrames === null ||
    expectedFrames === 0 ||
    !countedFormats.has(facts.format) ||
    facts.audio?.bitsPerSample === null
  )
    return null;
  return { frames: expectedFrames, facts };
}

/**
 * Exact number of frames in a file's sound, with the silence that goes on with a picture, by decoding it once: containers
 * round, estimate or lie.
 * Costs what decoding costs; memory is constant.
 */
export async function countFrames(
  path: string,
  options: {
    signal?: AbortSignal;
    onProgress?: (fraction: number) => void;
    /** See `openRecording`. Default 0: the sound alone. */
    pictureEndSeconds?: number;
  } = {},
): Promise<Length> {
  const source = openRecording(path, options.pictureEndSeconds ?? 0);
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
