import { probe, soundFormat } from './probe.ts';
import { setImmediate as turn } from 'node:timers/promises';
import { throwIfAborted } from '../../core/abort.ts';
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
 * @throws EarshotError no_audio
 */
export function declaredLength(facts: MediaFacts): Length | null {
  const { sampleRate } = soundFormat(facts);
  const seconds = facts.audio?.durationSeconds ?? facts.durationSeconds;
  if (seconds === null || !countedFormats.has(facts.format) || facts.audio?.bitsPerSample === null) return null;
  const frames = Math.round(seconds * sampleRate);
  return frames > 0 ? { frames, facts } : null;
}

/**
 * Exact number of frames in a file's sound, with the silence during a longer picture, found by decoding: containers
 * round, estimate or state wrong lengths. Costs as much as decoding; memory is constant.
 */
export async function countFrames(
  facts: MediaFacts,
  options: {
    signal?: AbortSignal;
    onProgress?: (fraction: number) => void;
    /** See `openRecording`. Default 0: the sound alone. */
    pictureEndSeconds?: number;
  } = {},
): Promise<Length> {
  const source = openRecording(facts, options.pictureEndSeconds ?? 0);
  try {
    let frames = 0;
    for (let block = source.next(); block; block = source.next()) {
      frames += block.frames;
      options.onProgress?.(source.expectedFrames ? Math.min(1, frames / source.expectedFrames) : 0);
      await turn();
      throwIfAborted(options.signal);
    }
    return { frames, facts };
  } finally {
    source.close();
  }
}

/** The length of a file's sound in seconds: its header's where that counts frames, else by decoding. */
export async function lengthOf(path: string): Promise<number> {
  const facts = probe(path);
  const { frames } = declaredLength(facts) ?? (await countFrames(facts));
  return frames / soundFormat(facts).sampleRate;
}
