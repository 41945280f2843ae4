// An edited video: new sound written block by block, the picture cut to match.
import type { TimeRange } from '../../core/time-range.ts';
import { Rational, type FormatContext } from 'node-av/lib';
import { throwIfAborted } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors.ts';
import type { AudioFormat } from '../../pcm/block.ts';
import type { AudioEncoder } from '../write/audio-encoder.ts';
import { writeChapters } from '../chapters/chapters.ts';
import { type AudioSink, openOutput } from '../write/encode.ts';
import type { Chapter, MediaFacts } from '../facts.ts';
import { chooseAudioStream, isVideoStream, openInput, ticksToSeconds } from '../ffmpeg/ffmpeg.ts';
import { videoContainers } from '../formats.ts';
import { factsOf } from '../read/probe.ts';
import { declaredSeconds } from '../read/truncation.ts';
import { addCopiedStream, addSound, remuxWarnings, videoContainerFor, writeVideoHeader } from '../write/remux.ts';
import { soundFor } from '../write/video-sound.ts';
import { chooseApproach, decoderThreads, describePicture, encoderOpener } from './approach.ts';
import { EditClock } from './edit-clock.ts';
import { OtherStreams, travels } from './other-streams.ts';
import { indexPictures } from './picture-index.ts';
import { PictureTrack } from './picture-track.ts';
import { PictureWriter } from './picture-writer.ts';
import { planCopying, planEncoding } from './plan.ts';

export interface VideoEditOptions {
  /**
   * Kept ranges, seconds from the first sample of the source's sound (the decoder's zero), ascending, half-open.
   * Picture before the first sample is kept when the first range starts at 0; picture after the last sample when the
   * last range reaches it.
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
  readonly signal?: AbortSignal;
}

/** Pictures so far. */
export interface PictureCounts {
  /** Copied unchanged. */
  readonly copied: number;
  readonly encoded: number;
}

export interface VideoEdit extends AudioSink {
  readonly facts: MediaFacts;
  /** How the picture is cut: copied except at seams, or re-encoded. */
  readonly approach: 'copy' | 'encode';
  pictures(): PictureCounts;
}

const microseconds = { num: 1, den: 1_000_000 };
/** A keep that ends this close to the last sample has reached it: stated lengths include padding. */
const soundEndSlack = 0.1;

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
  sourcePath: string,
  input: AudioFormat,
  options: VideoEditOptions,
): Promise<VideoEdit> {
  throwIfAborted(options.signal);
  const closers: (() => void)[] = [];
  const close = (): void => {
    for (const one of closers.splice(0).toReversed()) one();
  };
  /** Closed with the sink, unless an owner closes it first. */
  const owned = <Thing extends { close(): void }>(thing: Thing): Thing => {
    closers.push(() => thing.close());
    return thing;
  };
  try {
    const source = owned(openInput(sourcePath));
    const facts = factsOf(source, sourcePath);
    const found = source.streams.find(isVideoStream);
    if (!found) throw new EarshotError('bad_request', 'Expected a video but the file has no moving picture');
    const container = videoContainerFor(facts.format);
    const sameContainer = facts.format in videoContainers;
    const fileStart = ticksToSeconds(source.context.startTime, microseconds) ?? 0;
    const old = chooseAudioStream(source.streams);
    const soundStart = old ? Math.max(fileStart, ticksToSeconds(old.startTime, old.timeBase) ?? fileStart) : fileStart;
    const soundLength =
      options.sourceSeconds ??
      (old && declaredSeconds(old, facts)) ??
      (facts.durationSeconds ?? Number.POSITIVE_INFINITY) - (soundStart - fileStart);
    const clock = new EditClock(options.keeps, (seconds) => options.mapTime(seconds), {
      zeroSeconds: soundStart - fileStart,
      soundEndSeconds: soundLength - soundEndSlack,
    });

    const index = await indexPictures(source, found, options.signal);
    const chosen = chooseApproach(found, container.muxer, index);
    const approach =
      options.encodeAll && chosen.recipe
        ? { ...chooseApproach(found, container.muxer, { ...index, timed: false }) }
        : chosen;
    const rate = found.avgFrameRate.num > 0 ? found.avgFrameRate : found.rFrameRate;
    const frameSeconds = rate.num > 0 && rate.den > 0 ? rate.den / rate.num : 0.04;
    const gridSeconds = container.muxer === 'avi' ? frameSeconds : null;
    const base = new Rational(found.timeBase.num, found.timeBase.den);
    const toSeconds = (ticks: number): number => (ticks * base.num) / base.den - soundStart;
    const setting = { clock, toSeconds, frameSeconds, gridSeconds };
    const plan = approach.kind === 'copy' ? planCopying(index, setting) : planEncoding(index, setting);
    const reorder = Math.max(plan.reorder, approach.recipe?.reorder ?? 0);

    const context: FormatContext = openOutput(container.muxer, path);
    closers.push(() => {
      context.closeOutputSync();
      context.freeContext();
    });
    const picture = addCopiedStream(found, context, sameContainer);
    const described = describePicture(picture, found, approach, context);
    // Cuts move pictures off the source's raster, so the clock must be finer than a frame; AVI's clock is the frame.
    if (gridSeconds !== null) picture.timeBase = new Rational(rate.den, rate.num);
    else if (base.den / base.num < 10_000) picture.timeBase = new Rational(1, 90_000);

    const others = source.streams.some(travels)
      ? owned(new OtherStreams(openInput(sourcePath), context, sameContainer, clock, soundStart))
      : null;
    const codec = soundFor(facts, container);
    const soundSetting = { startSeconds: clock.leadSeconds, processed: false, bitrateKbps: options.bitrateKbps };
    const sound: AudioEncoder = owned(addSound(context, container, codec, input, old, soundSetting));
    const chapters: Chapter[] = facts.chapters.flatMap((chapter) => {
      const zero = soundStart - fileStart;
      const stretch = clock.mapStretch(chapter.startSeconds - zero, chapter.endSeconds - zero);
      return stretch ? [{ title: chapter.title, ...stretch }] : [];
    });
    writeVideoHeader(context, container, facts.tags, chapters);
    const warnings = [
      ...sound.warnings,
      ...codec.warnings,
      ...remuxWarnings(source.streams, facts.format, container, chapters),
      ...described.warnings,
    ];
    const pictureAt = found.index;
    // An open MP4 keeps 13 MB of index per hour, so it is closed before it is reopened to be read from its start.
    source.close();
    const reader = owned(openInput(sourcePath));
    const stream = reader.streams[pictureAt];
    if (!stream) throw new EarshotError('file_invalid', 'The file changed while it was read');
    const track = owned(
      new PictureTrack({
        input: reader,
        stream,
        index,
        plan,
        clock,
        toSeconds,
        frameSeconds,
        gridSeconds,
        lengthPrefixed: approach.h264?.lengthPrefixed ?? false,
        decoderThreads: decoderThreads(approach),
        writer: new PictureWriter(context, picture, reorder, frameSeconds),
        openEncoder: encoderOpener(stream, approach, described.globalHeader),
        signal: options.signal,
      }),
    );

    let frames = 0;
    const advance = (seconds: number): void => {
      track.advance(seconds);
      others?.advance(seconds);
    };
    return {
      facts,
      format: sound.format,
      bitrateKbps: sound.bitrateKbps,
      warnings,
      approach: approach.kind,
      pictures: () => ({ copied: track.copied, encoded: track.encoded }),
      write(block) {
        throwIfAborted(options.signal);
        sound.write(block);
        frames += block.frames;
        advance(clock.leadSeconds + frames / input.sampleRate);
      },
      finish() {
        sound.finish();
        advance(Number.POSITIVE_INFINITY);
        if (track.damaged > 0)
          warnings.push({ code: 'damaged_picture', message: `${track.damaged} damaged pictures were left out` });
        if (context.writeTrailerSync() < 0) throw new EarshotError('internal_error', 'Completing the file failed');
        close();
        writeChapters(path, container.muxer, chapters);
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}
