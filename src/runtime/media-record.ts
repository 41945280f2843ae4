import { EarshotError } from '../core/errors.ts';
import { isTextFormat } from '../contract/text-files.ts';
import type { MediaFacts } from '../media/facts.ts';
import type { RunOutput } from '../tools/define.ts';

/** What is remembered of a media file's streams. */
export interface MediaRecord {
  /** Of the sound. */
  readonly codec: string | null;
  readonly sampleRate: number | null;
  readonly channels: number | null;
  /** Of the picture, pixels as stored. */
  readonly width: number | null;
  readonly height: number | null;
}

export interface OutputFacts {
  readonly hasVideo: boolean;
  readonly hasAudio: boolean;
  /** null for text. */
  readonly media: MediaRecord | null;
}

/** @param hasAudio false also for sound that cannot be decoded */
export function mediaRecord({ audio, video }: MediaFacts, hasAudio: boolean): MediaRecord {
  const sound = hasAudio ? audio : null;
  return {
    codec: sound?.codec ?? null,
    sampleRate: sound?.sampleRate ?? null,
    channels: sound?.channels ?? null,
    width: video?.width ?? null,
    height: video?.height ?? null,
  };
}

/** Reads the heads of what a tool wrote: nobody gets a file that cannot be opened again. */
export async function describeOutput({ path, filename, format }: RunOutput): Promise<OutputFacts> {
  if (isTextFormat(format) || format === 'bin') return { hasVideo: false, hasAudio: false, media: null };
  const { probe } = await import('../media/read/probe.ts');
  try {
    const facts = await probe(path);
    return { hasVideo: facts.hasVideo, hasAudio: facts.hasAudio, media: mediaRecord(facts, facts.hasAudio) };
  } catch (cause) {
    throw new EarshotError(
      'internal_error',
      `The tool wrote ${filename}, which cannot be read again: ${(cause as Error).message}`,
      { cause },
    );
  }
}
