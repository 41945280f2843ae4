// Several videos as one: new sound written block by block, the pictures one after the other.
import { Rational, type FormatContext } from 'node-av/lib';
import { throwIfAborted } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors.ts';
import type { Warning } from '../../core/progress.ts';
import type { AudioFormat } from '../../pcm/block.ts';
import type { AudioEncoder } from '../write/audio-encoder.ts';
import { writeChapters } from '../chapters/chapters.ts';
import { joinChapters } from '../chapters/join.ts';
import { type AudioSink, openOutput } from '../write/encode.ts';
import type { MediaFacts } from '../facts.ts';
import { chooseAudioStream, openInput } from '../ffmpeg/ffmpeg.ts';
import { videoContainers } from '../formats.ts';
import { addCopiedStream, addSound, remuxWarnings, videoContainerFor, writeVideoHeader } from '../write/remux.ts';
import { soundFor } from '../write/video-sound.ts';
import { type Approach, chooseApproach, decoderThreads, describePicture, pictureFormat } from './approach.ts';
import type { EncoderRecipe } from './encoders.ts';
import {
  type JoinSource,
  openJoinSource,
  type Placing,
  placeSource,
  sameParameters,
  type VideoJoinSource,
} from './join-source.ts';
import { travels } from './other-streams.ts';
import { FittingEncoder } from './picture-fitter.ts';
import { codecName } from './picture-index.ts';
import { PictureTrack } from './picture-track.ts';
import { PictureWriter } from './picture-writer.ts';
import { type PicturePlan, planCopying, planEncoding } from './plan.ts';
import type { PictureCounts } from './video-edit.ts';

export type { VideoJoinSource } from './join-source.ts';

export interface VideoJoinOptions {
  /** kbit/s of the new sound. Default: by channels, as for the audio format of the same codec. */
  readonly bitrateKbps?: number;
  readonly signal?: AbortSignal;
}

export interface VideoJoin extends AudioSink {
  /** Facts of the first file, which the output follows. */
  readonly facts: MediaFacts;
  /** By file: pictures are copied (except at seams), or re-encoded. */
  readonly approaches: readonly ('copy' | 'encode')[];
  pictures(): PictureCounts;
}

interface Part {
  readonly source: JoinSource;
  readonly placing: Placing;
  readonly plan: PicturePlan;
  readonly copies: boolean;
}

/** Encoded pieces must fit into one stream with the first file's packets; where they cannot, all files are encoded. */
function planParts(
  sources: readonly JoinSource[],
  placings: readonly Placing[],
  muxer: string,
  gridSeconds: number | null,
): { approach: Approach; parts: Part[] } {
  const first = sources[0] as JoinSource;
  const chosen = chooseApproach(first.stream, muxer, first.index);
  const matches = sources.map((source) => source === first || sameParameters(first, source));
  const setting = (at: number): Parameters<typeof planCopying>[1] => ({
    ...(placings[at] as Placing),
    frameSeconds: (sources[at] as JoinSource).frameSeconds,
    gridSeconds,
  });
  const planned = (copies: (at: number) => boolean): Part[] =>
    sources.map((source, at) => ({
      source,
      placing: placings[at] as Placing,
      copies: copies(at),
      plan: copies(at) ? planCopying(source.index, setting(at)) : planEncoding(source.index, setting(at)),
    }));
  if (chosen.kind === 'copy' && chosen.recipe)
    return { approach: chosen, parts: planned((at) => matches[at] === true) };
  // Without an encoder for seams, there must be no seams.
  if (matches.every(Boolean) && (chosen.kind === 'copy' || (first.index.timed && muxer !== 'avi'))) {
    const parts = planned(() => true);
    if (parts.every(({ plan }) => plan.encoded === 0))
      return { approach: { kind: 'copy', recipe: null, h264: null }, parts };
  }
  return {
    approach: chosen.kind === 'encode' ? chosen : chooseApproach(first.stream, muxer, { ...first.index, timed: false }),
    parts: planned(() => false),
  };
}

function joinWarnings(sources: readonly JoinSource[], parts: readonly Part[], approach: Approach): Warning[] {
  const first = sources[0] as JoinSource;
  const warnings: Warning[] = [];
  const encoded = parts.filter((part) => !part.copies);
  if (encoded.length > 0) {
    const { width, height } = first.stream.codecpar;
    const codec = approach.recipe?.codec ?? codecName(first.stream);
    warnings.push({
      code: 'picture_reencoded',
      message:
        `The picture of ${encoded.length} of ${parts.length} files was encoded again as ${codec} with ` +
        `${width}x${height}, to match the first file's`,
    });
  }
  if (sources.some(({ input }) => input.streams.some(travels))) {
    warnings.push({
      code: 'streams_dropped',
      message: 'Subtitles, cover art and attachments of the joined files are not in the output',
    });
  }
  return warnings;
}

/**
 * Opens a video joined from several. Write the sound of all as one; each `write` processes pictures up to the sound's
 * time. The output follows the first file: container, size, pixel aspect ratio, rotation, tags. Files with the same
 * picture parameters are copied; others are rotated, scaled with bars and encoded, with every picture at its own time.
 * A file's pictures are shown from its `pictureSeconds` to the next file's; the last one stays when they end early.
 * @param input format of the blocks
 * @throws EarshotError as `probe`, and bad_request (a file without a picture, starts out of order, the path cannot be
 *   written); AbortError
 */
export async function openVideoJoin(
  path: string,
  files: readonly VideoJoinSource[],
  input: AudioFormat,
  options: VideoJoinOptions = {},
): Promise<VideoJoin> {
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
    if (
      files.length === 0 ||
      files.some((file, at) => at > 0 && !(file.pictureSeconds >= (files[at - 1] as VideoJoinSource).pictureSeconds))
    ) {
      throw new EarshotError('bad_request', 'Expected files in the order of their pictures');
    }
    const sources: JoinSource[] = [];
    for (const file of files) {
      const source = await openJoinSource(file.path, options.signal);
      closers.push(() => source.input.close());
      sources.push(source);
    }
    const first = sources[0] as JoinSource;
    const container = videoContainerFor(first.facts.format);
    const gridSeconds = container.muxer === 'avi' ? first.frameSeconds : null;
    const lead = first.zeroSeconds;
    const placings = sources.map((source, at) => placeSource(source, at, files, lead, gridSeconds));
    const { approach, parts } = planParts(sources, placings, container.muxer, gridSeconds);
    const reorder = Math.max(approach.recipe?.reorder ?? 0, ...parts.map((part) => part.plan.reorder));

    const context: FormatContext = openOutput(container.muxer, path);
    closers.push(() => {
      context.closeOutputSync();
      context.freeContext();
    });
    const picture = addCopiedStream(first.stream, context, first.facts.format in videoContainers);
    const { globalHeader } = describePicture(picture, first.stream, approach, context);
    // Joins move pictures off the first file's raster, so the clock must be finer than a frame; AVI's clock is the
    // frame.
    const base = first.stream.timeBase;
    const rate = pictureFormat(first.stream, approach).rate;
    if (gridSeconds !== null) picture.timeBase = new Rational(rate.den, rate.num);
    else if (base.den / base.num < 10_000) picture.timeBase = new Rational(1, 90_000);
    const codec = soundFor(first.facts, container);
    const old = chooseAudioStream(first.input.streams);
    const soundSetting = { startSeconds: lead, processed: true, bitrateKbps: options.bitrateKbps };
    const sound: AudioEncoder = owned(addSound(context, container, codec, input, old, soundSetting));
    const chapters = joinChapters(
      sources.map((source, at) => {
        const { startSeconds, pictureSeconds } = files[at] as VideoJoinSource;
        return {
          chapters: source.facts.chapters,
          shiftSeconds: lead + startSeconds - source.zeroSeconds,
          fromSeconds: at === 0 ? 0 : lead + pictureSeconds,
        };
      }),
    );
    writeVideoHeader(context, container, first.facts.tags, chapters);

    const writer = new PictureWriter(context, picture, reorder, first.frameSeconds);
    const format = pictureFormat(first.stream, approach);
    let damaged = 0;
    const counts = { copied: 0, encoded: 0 };
    let current: { track: PictureTrack; close(): void } | null = null;
    closers.push(() => current?.close());

    const openTrack = ({ source, placing, plan, copies }: Part): NonNullable<typeof current> => {
      const reader = openInput(source.path);
      try {
        const stream = reader.streams[source.stream.index];
        if (!stream) throw new EarshotError('file_invalid', 'The file changed while it was read');
        const track = new PictureTrack({
          input: reader,
          stream,
          index: source.index,
          plan,
          ...placing,
          frameSeconds: source.frameSeconds,
          gridSeconds,
          lengthPrefixed: approach.h264?.lengthPrefixed ?? false,
          decoderThreads: decoderThreads({ ...approach, kind: copies ? 'copy' : 'encode' }),
          writer,
          openEncoder: (emit) =>
            new FittingEncoder(
              approach.recipe as EncoderRecipe,
              { format, from: source.viewing, to: first.viewing },
              globalHeader,
              emit,
            ),
          signal: options.signal,
        });
        return {
          track,
          close() {
            track.close();
            reader.close();
          },
        };
      } catch (error) {
        reader.close();
        throw error;
      }
    };
    let at = 0;
    const advance = (seconds: number): void => {
      while (at < parts.length) {
        current ??= openTrack(parts[at] as Part);
        const { track } = current;
        track.advance(seconds);
        if (!track.ended) return;
        counts.copied += track.copied;
        counts.encoded += track.encoded;
        damaged += track.damaged;
        current.close();
        current = null;
        at += 1;
      }
    };

    const warnings = [
      ...sound.warnings,
      ...codec.warnings,
      ...remuxWarnings(first.input.streams, first.facts.format, container, chapters),
      ...joinWarnings(sources, parts, approach),
    ];
    let frames = 0;
    return {
      facts: first.facts,
      format: sound.format,
      bitrateKbps: sound.bitrateKbps,
      warnings,
      approaches: parts.map(({ copies }) => (copies ? 'copy' : 'encode')),
      pictures: () => ({
        copied: counts.copied + (current?.track.copied ?? 0),
        encoded: counts.encoded + (current?.track.encoded ?? 0),
      }),
      write(block) {
        throwIfAborted(options.signal);
        sound.write(block);
        frames += block.frames;
        advance(lead + frames / input.sampleRate);
      },
      finish() {
        sound.finish();
        advance(Number.POSITIVE_INFINITY);
        if (damaged > 0)
          warnings.push({ code: 'damaged_picture', message: `${damaged} damaged pictures were left out` });
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
