import { setImmediate as turn } from 'node:timers/promises';
import { throwIfAborted } from '../../core/abort.ts';
import { openAudio } from './decode.ts';
import type { MediaFacts } from '../facts.ts';
import { openRecording } from './recording-length.ts';

export interface Length {
  readonly frames: number;
  readonly facts: MediaFacts;
}

/** Lossless formats whose header counts frames, so that decoding gives as many. */
const countedFormats = new Set(['wav', 'flac']);

/**
 * Number of frames in a file's header; null for formats whose headers round or estimate. A file may be truncated or
 * state a wrong number: callers that rely on it must compare it with what they read.
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
 * Exact number of frames in a file's sound, with the silence during a longer picture, found by decoding: containers
 * round, estimate or state wrong lengths. Costs as much as decoding; memory is constant.
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
