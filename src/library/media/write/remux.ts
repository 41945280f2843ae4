import { Dictionary, type FormatContext, Packet, Rational, type Stream } from 'node-av/lib';
import {
  AV_DISPOSITION_DEFAULT,
  type AVDisposition,
  AVFMT_GLOBALHEADER,
  AVMEDIA_TYPE_ATTACHMENT,
  AVMEDIA_TYPE_SUBTITLE,
  AVMEDIA_TYPE_VIDEO,
  FF_ENCODER_LIBMP3LAME,
} from 'node-av/constants';
import type { Warning } from '../../core/progress/progress.ts';
import type { AudioFormat } from '../../pcm/block.ts';
import { type Again, AudioEncoder } from './audio-encoder.ts';
import { addCopiedStream, type CopiedStream, isKeptData, writeCopied } from './copied-stream.ts';
import { dolbyVisionOf, writeDolbyVision } from './dolby-vision.ts';
import { afterwards, type AudioSink, type OnThreadsOption, openOutput, type ThreadedSink } from './encode.ts';
import type { MediaFacts } from '../facts.ts';
import {
  chooseAudioStream,
  expectOk,
  expectWritten,
  isCoverStream,
  isVideoStream,
  openInput,
  type OpenedInput,
  zeroOf,
} from '../ffmpeg/ffmpeg.ts';
import { noTimestamp, ticksToSeconds } from '../ffmpeg/ticks.ts';
import { type VideoContainer, videoContainers } from '../formats.ts';
import { factsWhenWritten } from '../read/probe.ts';
import { lossesIn } from './losses.ts';
import { keepsOtherSound, soundStreams } from '../ffmpeg/sound-choice.ts';
import { readTags } from './read-tags.ts';
import { coverStreams } from '../tags/held.ts';
import { travelling } from '../tags/rules.ts';
import { type Labels, type LabelWriter, openLabels } from './labels.ts';
import { soundFor, type VideoSound } from './video-sound.ts';
import { writtenContainer } from './written-form.ts';

export interface RemuxOptions {
  /** Default: by channels, as the audio format of the same codec. */
  readonly bitrateKbps?: number;
  /** Did the samples change? Then 16-bit output is dithered. Default true. */
  readonly processed?: boolean;
  /** Does the new sound start with the picture? Default false: at the file's zero. */
  readonly withPicture?: boolean;
  /** Length of the new sound; see `EncodeOptions`. Default: unknown. */
  readonly expectedSeconds?: number | null;
  /** Further files of which sound is in it. Default: none. */
  readonly besides?: readonly MediaFacts[];
  /** See `EncodeOptions`. */
  readonly again?: Again | undefined;
}

/** The container of a video's edited copy: its own, or Matroska where FFmpeg cannot write that. */
export const videoContainerFor = (format: string): VideoContainer =>
  videoContainers[writtenContainer(format)] ?? (videoContainers['mkv'] as VideoContainer);

/** Is the edited copy of a video in this format in the same container? */
export const keepsContainer = (format: string): boolean => videoContainers[format] === videoContainerFor(format);

/** Delay of LAME plus a decoder of its stream: 576 and 529 frames. */
const lameDelayFrames = 1105;

export interface SoundOptions extends Partial<OnThreadsOption> {
  /** Time of the first sample. Default 0. */
  readonly startSeconds?: number;
  readonly processed: boolean;
  readonly bitrateKbps?: number | undefined;
  readonly expectedSeconds?: number | null;
  /** See `EncodeOptions`. */
  readonly again?: Again | undefined;
  /** Are other sounds of the source in the output, too? Default false. */
  readonly besideOthers?: boolean;
  /** Called when sound up to this time of the output has been written. */
  readonly onWritten?: (seconds: number) => void;
}

/** What a track is called; others tell of its packets, as of their number. */
const ownTags = new Set(['title', 'language', 'handler_name']);

/** Adds the new sound's stream to a video. Packets may be written after the header. */
export function addSound(
  context: FormatContext,
  container: VideoContainer,
  { encoder: codec, limits, bitDepth, lossless }: VideoSound,
  input: AudioFormat,
  old: Stream | null,
  options: SoundOptions,
): AudioEncoder {
  let stream: Stream | null = null;
  const encoder = new AudioEncoder(
    input,
    {
      encoder: codec,
      limits,
      globalHeader: context.oformat?.hasFlags(AVFMT_GLOBALHEADER) ?? false,
      ...(options.bitrateKbps === undefined || lossless ? {} : { bitrateKbps: options.bitrateKbps }),
      ...(bitDepth === null ? {} : { bitDepth, dither: bitDepth === '16' && options.processed }),
      // AVI and MPEG cannot store the encoder's delay: at 48 kHz it is 23 ms, at 8 kHz 138 ms.
      ...(container.like === 'mp3' && !lossless && input.sampleRate < 32_000 ? { sampleRate: 48_000 } : {}),
      // So the sound is written that much earlier; otherwise each edit would delay it further.
      skipFrames: container.muxer === 'avi' && codec === FF_ENCODER_LIBMP3LAME ? lameDelayFrames : 0,
      expectedSeconds: options.expectedSeconds ?? null,
      again: options.again,
      threads: options.threads ?? null,
    },
    (packet) => {
      const until = Number(packet.pts + packet.duration) / encoder.format.sampleRate;
      packet.streamIndex = (stream as Stream).index;
      packet.rescaleTs(encoder.timeBase, (stream as Stream).timeBase);
      expectWritten(context.interleavedWriteFrameSync(packet), 'Writing the new sound');
      options.onWritten?.(until);
    },
    options.startSeconds,
  );
  try {
    stream = context.newStream();
    encoder.describe(stream.codecpar);
    stream.timeBase = new Rational(1, encoder.format.sampleRate);
    // Of several sounds that stay, players choose the one that they chose before.
    const isOnly = options.besideOthers !== true;
    stream.disposition = ((old?.disposition ?? 0) | (isOnly ? AV_DISPOSITION_DEFAULT : 0)) as AVDisposition;
    const kept = Object.entries(old?.metadata?.getAll() ?? {}).filter(([name]) => ownTags.has(name.toLowerCase()));
    if (kept.length > 0) stream.metadata = Dictionary.fromObject(Object.fromEntries(kept));
    return encoder;
  } catch (error) {
    encoder.close();
    throw error;
  }
}

/** Says that a video becomes a file of another kind. */
export const containerWarnings = (format: string, { extension }: VideoContainer): Warning[] =>
  format in videoContainers
    ? []
    : [
        {
          code: 'container_changed',
          message: `A ${format} file cannot be written; the output is ${extension}`,
        },
      ];

/** Is a stream of a video copied as a stream? Covers are written with the tags where the container has them there. */
export const isCopiedCover = (stream: Stream, { muxer }: VideoContainer): boolean =>
  isCoverStream(stream) && coverStreams.includes(muxer);

/** Writes tags, chapters and the output's header; what is returned completes the file. */
export function writeVideoHeader(
  context: FormatContext,
  { muxer }: VideoContainer,
  labels: Labels,
  changedLater: boolean,
): LabelWriter {
  const writer = openLabels(muxer, labels, changedLater);
  context.metadata = Dictionary.fromObject(writer.metadata);
  // AVI counts packets: sound that starts before 0 with its encoder's delay would shift the picture by a whole frame.
  const unshifted = muxer === 'avi' ? { avoid_negative_ts: 'disabled' } : {};
  const dictionary = Dictionary.fromObject({ ...writer.options, ...unshifted });
  try {
    expectOk(context.writeHeaderSync(dictionary), 'Writing the file header');
  } finally {
    dictionary.free();
  }
  return writer;
}

const copied: readonly number[] = [AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_SUBTITLE, AVMEDIA_TYPE_ATTACHMENT];

/** Copies packets of the kept streams, a stretch of time at a time, shifted so that the file starts at zero. */
class PacketCopier {
  private readonly input: OpenedInput;
  private readonly output: FormatContext;
  private readonly streams = new Map<number, CopiedStream>();
  private readonly packet = new Packet();
  private readonly startSeconds: number;
  private readonly sameContainer: boolean;
  private held = false;
  private ended = false;

  constructor(
    input: OpenedInput,
    output: FormatContext,
    container: VideoContainer,
    sameContainer: boolean,
    startSeconds: number,
  ) {
    this.input = input;
    this.output = output;
    this.sameContainer = sameContainer;
    this.startSeconds = startSeconds;
    this.packet.alloc();
    const muxer = output.oformat?.name ?? '';
    for (const from of input.streams)
      if (
        isCoverStream(from)
          ? isCopiedCover(from, container)
          : copied.includes(from.codecpar.codecType) || isKeptData(from, muxer)
      )
        this.add(from);
  }

  /** Copies this stream, too; before the header is written. */
  add(from: Stream): void {
    const to = addCopiedStream(from, this.output, this.sameContainer);
    this.streams.set(from.index, { from, to, lastDts: noTimestamp });
  }

  /** Copies everything before `seconds` on the source's clock. */
  copyUntil(seconds: number): void {
    while (!this.ended) {
      if (!this.held) {
        if (this.input.read(this.packet) < 0) {
          this.ended = true;
          return;
        }
        this.held = true;
      }
      const stream = this.streams.get(this.packet.streamIndex);
      if (stream) {
        const ticks = this.packet.dts === noTimestamp ? this.packet.pts : this.packet.dts;
        const at = ticksToSeconds(ticks, stream.from.timeBase);
        if (at !== null && at - this.startSeconds > seconds) return;
        this.write(stream);
      }
      this.packet.unref();
      this.held = false;
    }
  }

  private write(stream: CopiedStream): void {
    const { packet } = this;
    const base = stream.from.timeBase;
    const shift = BigInt(Math.round((this.startSeconds * base.den) / base.num));
    if (packet.pts !== noTimestamp) packet.pts -= shift;
    if (packet.dts !== noTimestamp) packet.dts -= shift;
    writeCopied(packet, stream, this.output, 'Copying the picture');
  }

  close(): void {
    this.packet.free();
    this.input.close();
  }
}

const startOf = (stream: Stream | null | undefined): number | null =>
  stream ? ticksToSeconds(stream.startTime, stream.timeBase) : null;

/** Where the first picture is shown, seconds after the file's start. */
function pictureStart(streams: readonly Stream[], format: string, fileStart: number): number {
  const picture = streams.find(isVideoStream);
  const start = Math.max(0, (startOf(picture) ?? fileStart) - fileStart);
  const rate = picture?.avgFrameRate;
  // AVI has times of decoding only: pictures that refer to later ones are shown that many pictures later.
  if (!picture || format !== 'avi' || !rate || rate.num <= 0) return start;
  return start + (picture.codecpar.videoDelay * rate.den) / rate.num;
}

/**
 * Opens a copy of a media file with new sound: picture, subtitles, attachments, cover art, rotation, metadata and
 * chapters are copied without re-encoding while the sound is written block by block. The chosen sound stream is
 * replaced; others are dropped, or copied behind it where the user wants them (see `SoundChoice`).
 * @param input format of the blocks
 * @throws EarshotError as `probe`, and bad_request when the path cannot be written
 */
export function openRemux(path: string, facts: MediaFacts, input: AudioFormat, options?: RemuxOptions): AudioSink;
export function openRemux(
  path: string,
  facts: MediaFacts,
  input: AudioFormat,
  options: RemuxOptions & OnThreadsOption,
): ThreadedSink;
export function openRemux(
  path: string,
  facts: MediaFacts,
  input: AudioFormat,
  options: RemuxOptions & Partial<OnThreadsOption> = {},
): ThreadedSink {
  const source = openInput(facts.path);
  let copier: PacketCopier | null = null;
  let output: FormatContext | null = null;
  let encoder: AudioEncoder | null = null;
  const close = (): void => {
    encoder?.close();
    if (output) {
      output.closeOutputSync();
      output.freeContext();
    }
    if (copier) copier.close();
    else source.close();
    encoder = null;
    output = null;
  };
  try {
    const container = videoContainerFor(facts.format);
    const context = openOutput(container.muxer, path);
    output = context;
    const fileStart = zeroOf(source.streams);
    const old = chooseAudioStream(source.streams);
    const startSeconds = options.withPicture === true ? pictureStart(source.streams, facts.format, fileStart) : 0;
    const copying = new PacketCopier(source, context, container, keepsContainer(facts.format), fileStart);
    copier = copying;

    const keepsOthers = keepsOtherSound(facts.path);
    const sound = soundFor(facts, container);
    const { processed = true, bitrateKbps, threads = null, expectedSeconds = null, besides = [], again } = options;
    const opened = addSound(context, container, sound, input, old, {
      startSeconds: container.muxer === 'avi' ? 0 : startSeconds,
      processed,
      bitrateKbps,
      threads,
      expectedSeconds,
      besideOthers: keepsOthers,
      again,
      // The picture follows the sound that is written, not what waits to be encoded: so little waits in the muxer.
      onWritten: (seconds) => copying.copyUntil(seconds),
    });
    encoder = opened;
    const vision = dolbyVisionOf(source.streams);
    if (keepsOthers)
      for (const stream of soundStreams(source.streams)) if (stream.index !== old?.index) copying.add(stream);
    const shown = { tags: travelling(readTags(facts), { processed }), chapters: facts.chapters };
    const labels = writeVideoHeader(context, container, shown, vision !== null);
    const warnings = [...sound.warnings, ...containerWarnings(facts.format, container)];
    // AVI cannot say that sound starts later: silence comes before it.
    const silentFrames = container.muxer === 'avi' ? Math.round(startSeconds * input.sampleRate) : 0;
    if (silentFrames > 0)
      opened.write({
        planes: Array.from({ length: input.channels }, () => new Float32Array(silentFrames)),
        frames: silentFrames,
      });
    const written = factsWhenWritten(path);
    return {
      written,
      format: opened.format,
      bitrateKbps: opened.bitrateKbps,
      get warnings() {
        return [...opened.warnings, ...warnings];
      },
      write: (block) => opened.write(block),
      ready: () => opened.ready(),
      finish: () =>
        afterwards(opened.finish(), () => {
          copying.copyUntil(Number.POSITIVE_INFINITY);
          expectWritten(context.writeTrailerSync(), 'Completing the file');
          close();
          writeDolbyVision(path, container.muxer, vision);
          labels.complete(path);
          warnings.push(...lossesIn(written(), container.extension, { sources: [facts], besides, ...shown }));
        }),
      close() {
        if (output) close();
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}
