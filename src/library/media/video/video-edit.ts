// An edited video: new sound written block by block, the picture cut to match.
import type { MediaFacts } from '../facts.ts';
import type { TimeRange } from '../../core/time-range.ts';
import { throwIfAborted } from '../../core/abort.ts';
import type { AudioFormat } from '../../pcm/block.ts';
import type { Chapter } from '../facts.ts';
import { openInput } from '../ffmpeg/ffmpeg.ts';
import { ticksToSeconds } from '../ffmpeg/ticks.ts';
import { declaredSeconds } from '../read/truncation.ts';
import { videoContainerFor } from '../write/remux.ts';
import { type Approach, chooseApproach, encoderOpener } from './approach.ts';
import { EditClock } from './edit-clock.ts';
import { Opened } from './opened.ts';
import { type KeepsCue, OtherStreams, travels } from './other-streams.ts';
import { onFileClock, openPictureSource, type PictureSource } from './picture-source.ts';
import { planCopying, planEncoding } from './plan.ts';
import type { Painter } from './picture-track.ts';
import { gridOf, VideoOutput, type VideoSink } from './video-output.ts';

export interface VideoEditOptions {
  /**
   * Kept ranges, seconds from the source's zero (the decoder's, too), ascending, half-open. Picture after the last
   * sample when the last range reaches it.
   */
  readonly keeps: readonly TimeRange[];
  /**
   * The length on which the keeps are based: the sound's, or the picture's if longer. Default: the sound's as the
   * container states it.
   */
  readonly sourceSeconds?: number;
  /** Maps a keep's start to the new sound, seconds. An edit list's `timeMap(...).toOutput`. */
  mapTime(sourceSeconds: number): number;
  /** kbit/s of the new sound. Default: by channels, as for the audio format of the same codec. */
  readonly bitrateKbps?: number;
  /** Encode all pictures, even where copying is possible. Default false. */
  readonly encodeAll?: boolean;
  /** Draws on the frames that are encoded; times are those of the new sound. Default: nothing is drawn. */
  readonly painter?: Painter;
  /** Does a cue of text subtitles stay? Times are those of the source. Default: all that the keeps have. */
  readonly keepsCue?: KeepsCue;
  readonly signal?: AbortSignal;
}

export interface VideoEdit extends VideoSink {
  /** How the picture is cut: copied except at seams, or re-encoded. */
  readonly approach: 'copy' | 'encode';
}

/** A keep that ends this close to the last sample has reached it: stated lengths include padding. */
const soundEndSlack = 0.1;

function clockOf({ facts, sound, zeroSeconds }: PictureSource, options: VideoEditOptions): EditClock {
  const start = sound && ticksToSeconds(sound.startTime, sound.timeBase);
  const soundEndSeconds =
    options.sourceSeconds ??
    (sound && declaredSeconds(sound, facts, Math.max(0, (start ?? zeroSeconds) - zeroSeconds))) ??
    facts.durationSeconds ??
    Number.POSITIVE_INFINITY;
  return new EditClock(options.keeps, (seconds) => options.mapTime(seconds), soundEndSeconds - soundEndSlack);
}

function approachFor({ stream, facts, index }: PictureSource, encodeAll = false): Approach {
  const { muxer } = videoContainerFor(facts.format);
  return chooseApproach(stream, muxer, encodeAll ? { ...index, timed: false } : index);
}

const mappedChapters = ({ facts }: PictureSource, clock: EditClock): Chapter[] =>
  facts.chapters.flatMap((chapter) => {
    const stretch = clock.mapStretch(chapter.startSeconds, chapter.endSeconds);
    return stretch ? [{ ...chapter, ...stretch }] : [];
  });

/**
 * Opens the edited copy of a video. Write the rendered sound; pictures, subtitles, cover art, chapters and tags follow
 * by the same map. A picture is kept when its time is in a keep. Each `write` processes pictures up to the sound's
 * time.
 * @param input format of the blocks
 * @throws EarshotError as `probe`, and bad_request (no video in the source, keeps out of order, the path cannot be
 *   written); AbortError
 */
export async function openVideoEdit(
  path: string,
  facts: MediaFacts,
  input: AudioFormat,
  options: VideoEditOptions,
): Promise<VideoEdit> {
  throwIfAborted(options.signal);
  const opened = new Opened();
  try {
    const source = await openPictureSource(facts, 'a video', options.signal);
    opened.add(source.input);
    const { index, frameSeconds } = source;
    const clock = clockOf(source, options);
    const approach = approachFor(source, options.encodeAll);
    const timing = { clock, toSeconds: onFileClock(source), frameSeconds, gridSeconds: gridOf(source) };
    const plan = approach.kind === 'copy' ? planCopying(index, timing) : planEncoding(index, timing);

    const output = opened.add(new VideoOutput(path, source, approach, options.keeps[0]?.startSeconds));
    const container = videoContainerFor(facts.format);
    const others = source.input.streams.some((stream) => travels(stream, container))
      ? opened.add(
          new OtherStreams(
            openInput(facts.path),
            output.context,
            container,
            output.sameContainer,
            clock,
            source.zeroSeconds,
            options.keepsCue,
          ),
        )
      : null;
    output.begin({
      input,
      processed: false,
      bitrateKbps: options.bitrateKbps,
      chapters: mappedChapters(source, clock),
      reorder: plan.reorder,
      signal: options.signal,
    });
    // An open MP4 keeps 13 MB of index per hour, so it is closed before it is reopened to be read from its start.
    source.input.close();
    const track = output.openTrack(source, opened, {
      plan,
      clock,
      toSeconds: timing.toSeconds,
      kind: approach.kind,
      painter: options.painter,
      encoderFor: (stream) => encoderOpener(stream, approach, output.globalHeader),
    });
    const sink = output.sink({ pictures: track, others, opened, warnings: output.pictureWarnings });
    return { ...sink, approach: approach.kind };
  } catch (error) {
    opened.close();
    throw error;
  }
}
