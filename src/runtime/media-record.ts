import { EarshotError } from '../core/errors.ts';
import { isTextFormat } from '../contract/text-files.ts';
import type { Carried, HeldStreams, MediaRecord } from '../contract/media-work.ts';
import type { RunOutput } from '../tools/declare/run.ts';

/** @param hasAudio false also for sound that cannot be decoded */
export function mediaRecord({ audio, video }: HeldStreams, hasAudio: boolean): MediaRecord {
  const sound = hasAudio ? audio : null;
  return {
    codec: sound?.codec ?? null,
    sampleRate: sound?.sampleRate ?? null,
    channels: sound?.channels ?? null,
    width: video?.width ?? null,
    height: video?.height ?? null,
  };
}

const carried = (facts: HeldStreams): Carried => ({
  hasVideo: facts.hasVideo,
  hasAudio: facts.hasAudio,
  media: mediaRecord(facts, facts.hasAudio),
});

/** Reads the heads of what a tool wrote and did not read itself: nobody gets a file that cannot be opened again. */
export async function describeOutput({ path, filename, format, readBack }: RunOutput): Promise<Carried> {
  if (isTextFormat(format) || format === 'bin') return { hasVideo: false, hasAudio: false, media: null };
  if (readBack) return carried(readBack);
  const { probe } = await import('../media/read/probe.ts');
  try {
    return carried(await probe(path));
  } catch (cause) {
    throw new EarshotError(
      'internal_error',
      `The tool wrote ${filename}, which cannot be read again: ${(cause as Error).message}`,
      { cause },
    );
  }
}
