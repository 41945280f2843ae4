// A video that is written: its streams and header, then sound block by block, with the pictures up to the sound's time.
import { Dictionary, Rational, type FormatContext, type Stream } from 'node-av/lib';
import { throwIfAborted } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { Warning } from '../../core/progress/progress.ts';
import type { AudioFormat } from '../../pcm/block.ts';
import type { Chapter, MediaFacts } from '../facts.ts';
import { expectWritten } from '../ffmpeg/ffmpeg.ts';
import { factsWhenWritten } from '../read/probe.ts';
import { lossesIn } from '../write/losses.ts';
import { withLaterTimecode } from '../timecode.ts';
import type { VideoContainer } from '../formats.ts';
import type { AudioEncoder } from '../write/audio-encoder.ts';
import { type DolbyVision, dolbyVisionOf, writeDolbyVision } from '../write/dolby-vision.ts';
import { addCopiedStream } from '../write/copied-stream.ts';
import { type ThreadedSink, openOutput } from '../write/encode.ts';
import { addSound, containerWarnings, keepsContainer, videoContainerFor, writeVideoHeader } from '../write/remux.ts';
import { readTags } from '../write/read-tags.ts';
import { travelling } from '../tags/rules.ts';
import type { Tags } from '../tags/model.ts';
import type { LabelWriter } from '../write/labels.ts';
import { soundFor } from '../write/video-sound.ts';
import { type Approach, decoderThreads, describePicture } from './approach.ts';
import type { EditClock } from './edit-clock.ts';
import type { Opened } from './opened.ts';
import type { EmitPicture, PictureEncoder } from './picture-encoder.ts';
import { type PictureSource, reopen } from './picture-source.ts';
import { type Painter, PictureTrack } from './picture-track.ts';
import { PictureWriter } from './picture-writer.ts';
import type { PicturePlan, ToSeconds } from './plan.ts';

/** Pictures so far. */
export interface PictureCounts {
  /** Copied unchanged. */
  readonly copied: number;
  readonly encoded: number;
}

/** Writes the pictures of a video. */
export interface Pictures extends PictureCounts {
  /** How many were left out. */
  readonly damaged: number;
  /** Continues until pictures up to `seconds` of the output are in progress. */
  advance(seconds: number): void;
}

/** A sink of sound that pictures follow. */
export interface VideoSink extends ThreadedSink {
  /** Facts of the source that the output follows. */
  readonly facts: MediaFacts;
  pictures(): PictureCounts;
}

export interface Beginning {
  /** Format of the blocks. */
  readonly input: AudioFormat;
  readonly processed: boolean;
  readonly bitrateKbps?: number | undefined;
  readonly chapters: readonly Chapter[];
  /** Files whose streams should be in it. Default: the one that the output follows. */
  readonly sources?: readonly MediaFacts[];
  /** Greatest distance of copied packets from display order, over all plans. */
  readonly reorder: number;
  readonly signal: AbortSignal | undefined;
}

interface Begun extends Beginning {
  readonly sound: AudioEncoder;
  readonly writer: PictureWriter;
  readonly vision: DolbyVision | null;
  readonly labels: LabelWriter;
  readonly tags: Tags;
  readonly warnings: readonly Warning[];
}

/** One source's pictures in the output. */
export interface TrackSetting {
  readonly plan: PicturePlan;
  readonly clock: EditClock;
  readonly toSeconds: ToSeconds;
  readonly kind: Approach['kind'];
  readonly painter?: Painter | undefined;
  /** Opens encoders for the pictures of the stream. */
  encoderFor(stream: Stream): (emit: EmitPicture) => PictureEncoder;
}

export interface SinkSetting {
  readonly pictures: Pictures;
  /** What goes with the pictures. */
  readonly others?: { advance(seconds: number): void } | null;
  /** Closed by the sink; this output is among it. */
  readonly opened: Opened;
  /** What the caller has to say, after the output's own. */
  readonly warnings: readonly Warning[];
}

/** A container that counts pictures has them on a grid: the time between two; else null. */
export function gridOf(source: PictureSource): number | null {
  return videoContainerFor(source.facts.format).muxer === 'avi' ? source.frameSeconds : null;
}

export class VideoOutput {
  readonly context: FormatContext;
  readonly sameContainer: boolean;
  /** See `describePicture`. */
  readonly globalHeader: boolean;
  readonly pictureWarnings: readonly Warning[];
  private readonly path: string;
  /** The output has its container, picture, sound and tags. */
  private readonly source: PictureSource;
  private readonly approach: Approach;
  private readonly startSeconds: number;
  private readonly container: VideoContainer;
  private readonly picture: Stream;
  private begun: Begun | null = null;

  /**
   * @param startSeconds source time of the output's start, which moves its timecode. Default 0
   * @throws EarshotError bad_request when the path cannot be written
   */
  constructor(path: string, source: PictureSource, approach: Approach, startSeconds = 0) {
    const { stream, timeBase, rate, facts } = source;
    this.path = path;
    this.source = source;
    this.approach = approach;
    this.startSeconds = startSeconds;
    this.container = videoContainerFor(facts.format);
    this.sameContainer = keepsContainer(facts.format);
    this.context = openOutput(this.container.muxer, path);
    try {
      this.picture = addCopiedStream(stream, this.context, this.sameContainer);
      const metadata = this.picture.metadata?.getAll();
      if (metadata) this.picture.metadata = Dictionary.fromObject(withLaterTimecode(metadata, startSeconds, rate));
      const { globalHeader, warnings } = describePicture(this.picture, stream, approach, this.context);
      this.globalHeader = globalHeader;
      this.pictureWarnings = warnings;
      // Edits move pictures off the source's raster, so the clock must be finer than a frame; AVI's clock is the frame.
      if (gridOf(source) !== null) this.picture.timeBase = new Rational(rate.den, rate.num);
      else if (timeBase.den / timeBase.num < 10_000) this.picture.timeBase = new Rational(1, 90_000);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Adds the sound, which is the last stream, and writes the header. The source must still be open. */
  begin(beginning: Beginning): void {
    const { context, container, source, picture, approach } = this;
    const { facts } = source;
    const codec = soundFor(facts, container);
    const sound = addSound(context, container, codec, beginning.input, source.sound, beginning);
    try {
      const vision = approach.kind === 'copy' ? dolbyVisionOf(source.input.streams) : null;
      const shown = { ...facts, tags: withLaterTimecode(facts.tags, this.startSeconds, source.rate) };
      const tags = travelling(readTags(shown), { processed: beginning.processed });
      const labels = writeVideoHeader(context, container, { tags, chapters: beginning.chapters }, vision !== null);
      const reorder = Math.max(approach.recipe?.reorder ?? 0, beginning.reorder);
      const writer = new PictureWriter(context, picture, reorder, source.frameSeconds);
      this.begun = {
        ...beginning,
        sound,
        writer,
        vision,
        labels,
        tags,
        warnings: [...sound.warnings, ...codec.warnings, ...containerWarnings(facts.format, container)],
      };
    } catch (error) {
      sound.close();
      throw error;
    }
  }

  private get running(): Begun {
    if (!this.begun) throw new EarshotError('internal_error', 'The header of the video is not written');
    return this.begun;
  }

  /** Opens a source's pictures, from its start; `opened` closes them. After `begin`. */
  openTrack(source: PictureSource, opened: Opened, { kind, encoderFor, ...setting }: TrackSetting): PictureTrack {
    const { writer, signal } = this.running;
    const reader = reopen(source);
    opened.add(reader.input);
    return opened.add(
      new PictureTrack({
        ...reader,
        ...setting,
        index: source.index,
        frameSeconds: source.frameSeconds,
        gridSeconds: gridOf(this.source),
        splicer: this.approach.splicer,
        made: this.approach.made,
        decoderThreads: decoderThreads({ ...this.approach, kind }),
        writer,
        openEncoder: encoderFor(reader.stream),
        signal,
      }),
    );
  }

  /** The sink of the sound. After `begin`. */
  sink({ pictures, others, opened, warnings: further }: SinkSetting): VideoSink {
    const { path, context, container, source } = this;
    const { sound, vision, labels, input, signal, warnings: own, sources = [source.facts], ...shown } = this.running;
    const warnings = [...own, ...further];
    let frames = 0;
    const advance = (seconds: number): void => {
      pictures.advance(seconds);
      others?.advance(seconds);
    };
    const written = factsWhenWritten(path);
    return {
      facts: source.facts,
      written,
      format: sound.format,
      bitrateKbps: sound.bitrateKbps,
      warnings,
      pictures: () => ({ copied: pictures.copied, encoded: pictures.encoded }),
      write(block) {
        throwIfAborted(signal);
        sound.write(block);
        frames += block.frames;
        advance(frames / input.sampleRate);
      },
      // The pictures of an edit follow its sound block by block, which is therefore encoded in this thread.
      ready: () => null,
      finish() {
        void sound.finish();
        advance(Number.POSITIVE_INFINITY);
        const { damaged } = pictures;
        if (damaged > 0)
          warnings.push({ code: 'damaged_picture', message: `${damaged} damaged pictures were left out` });
        expectWritten(context.writeTrailerSync(), 'Completing the file');
        opened.close();
        writeDolbyVision(path, container.muxer, vision);
        labels.complete(path);
        warnings.push(...lossesIn(written(), container.extension, { sources, ...shown }));
        return null;
      },
      close: () => opened.close(),
    };
  }

  close(): void {
    this.begun?.sound.close();
    this.context.closeOutputSync();
    this.context.freeContext();
  }
}
