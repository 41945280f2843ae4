import { EarshotError } from '../../core/errors/errors.ts';
import { isCaptionKind, isTextFormat } from '../../contract/text-files.ts';
import type { Carried, HeldStreams, MediaRecord } from '../../contract/media-work.ts';
import type { RunOutput } from '../../tools/declare/run.ts';

/** Containers and codecs lengthen sound by up to this. */
const paddingSeconds = 0.3;
const longestLanguage = 64;

/** @param hasAudio also false for sound that cannot be decoded */
export function mediaRecord({ audio, video, streams }: HeldStreams, hasAudio: boolean): MediaRecord {
  const sound = hasAudio ? audio : null;
  return {
    codec: sound?.codec ?? null,
    sampleRate: sound?.sampleRate ?? null,
    channels: sound?.channels ?? null,
    width: video?.width ?? null,
    height: video?.height ?? null,
    ...(video === null ? {} : { frameRate: video.frameRate ?? null, timecode: video.timecode ?? null }),
    tracks: streams.map(({ type, codec, language, decodable, track }) => ({
      type,
      codec,
      // A tag may be any text.
      language: language === null ? null : language.slice(0, longestLanguage),
      decodable,
      track,
    })),
  };
}

const carried = (facts: HeldStreams): Carried => ({
  hasVideo: facts.hasVideo,
  hasAudio: facts.hasAudio,
  media: mediaRecord(facts, facts.hasAudio),
});

/**
 * Reads the headers of an output unless the tool has read it back itself, so that no unreadable file is published. A
 * tool knows the length of its sound; a video is as long as its picture where that is longer.
 */
export async function describeOutput(output: RunOutput): Promise<Carried & Pick<RunOutput, 'durationSeconds'>> {
  const { path, filename, format, readBack, durationSeconds } = output;
  if (isTextFormat(format) || isCaptionKind(format) || format === 'bin')
    return { hasVideo: false, hasAudio: false, media: null, durationSeconds };
  if (readBack && !readBack.hasVideo) return { ...carried(readBack), durationSeconds };
  const { probe } = await import('../../media/read/probe.ts');
  try {
    const facts = probe(path);
    if (!facts.hasVideo) return { ...carried(facts), durationSeconds };
    const { measureRecording } = await import('../../media/read/recording-length.ts');
    const { seconds } = await measureRecording(facts);
    const isLonger = seconds !== null && seconds > (durationSeconds ?? 0) + paddingSeconds;
    return { ...carried(facts), durationSeconds: isLonger ? seconds : durationSeconds };
  } catch (cause) {
    throw new EarshotError(
      'internal_error',
      `The tool wrote ${filename}, which cannot be read again: ${(cause as Error).message}`,
      { cause },
    );
  }
}
