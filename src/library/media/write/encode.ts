import { FormatContext, Dictionary, Packet, Rational, type Stream } from 'node-av/lib';
import { AV_DISPOSITION_ATTACHED_PIC, AVFMT_FLAG_BITEXACT, AVFMT_GLOBALHEADER } from 'node-av/constants';
import { EarshotError } from '../../core/errors/errors.ts';
import type { Warning } from '../../core/progress/progress.ts';
import type { AudioBlock, AudioFormat } from '../../pcm/block.ts';
import { AudioEncoder } from './audio-encoder.ts';
import { chapterWarnings, prepareChapters, writeChapters } from '../chapters/chapters.ts';
import { expectOk } from '../ffmpeg/ffmpeg.ts';
import type { Chapter } from '../facts.ts';
import { readCover, pictureComment, type Cover } from './cover.ts';
import type { Threads } from './segments/on-threads.ts';
import { outputFormats, type BitDepth, type OutputFormatId } from '../formats.ts';
import { trackLanguage } from '../tags.ts';
import { portableTags } from '../tags.ts';
import { type Carried, carryWave } from '../wave/carry.ts';
import type { SourcePart } from '../kept.ts';
import { isChunked, listedTags, writeId3Chunk } from './id3-chunk.ts';

export interface EncodeOptions {
  readonly format: OutputFormatId;
  /** Is M4A an audiobook? Default false. */
  readonly book?: boolean;
  /** 16 to 320, for lossy formats. Default: by format and channels (`outputFormats`). */
  readonly bitrateKbps?: number;
  /** For wav, flac and aiff. Default 16. */
  readonly bitDepth?: BitDepth;
  /** Sample rate, Hz. Default: the input's, or the nearest that the codec supports. */
  readonly sampleRate?: number;
  readonly channels?: number;
  /** TPDF dither to 16 bits. Default false. */
  readonly dither?: boolean;
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * Language of the speech (ISO 639-2, "deu"), for containers that store it with the track. Default: the tag
   * `language`.
   */
  readonly language?: string;
  /** Formats that cannot hold them (aac, wma) cause a warning. */
  readonly chapters?: readonly Chapter[];
  /** A file whose cover art is copied. */
  readonly coverFrom?: string;
  /** What the sound was made from: broadcast metadata and marks of WAV files are kept. Default: nothing. */
  readonly sources?: readonly SourcePart[];
  /** Did the samples change? Then a measured loudness is not that of the output. Default false. */
  readonly processed?: boolean;
  /** Length of the sound, which decides how it is divided into segments; see `segments/rules.ts`. Default: unknown. */
  readonly expectedSeconds?: number | null;
  /** Length of segments, for tests and benches; Infinity: encoded in one go. Default: the codec's. */
  readonly segmentSeconds?: number;
  /** Told the time of each joint of segments, seconds, for tests and benches. */
  readonly onJoint?: (seconds: number) => void;
}

/** The end of a pipeline. */
export interface AudioSink {
  /** The encoder's format. */
  readonly format: AudioFormat;
  readonly bitrateKbps: number | null;
  /** Grows while writing; complete after `finish`. */
  readonly warnings: readonly Warning[];
  write(block: AudioBlock): void;
  /** Completes the file. */
  finish(): void;
  /** Frees everything; an unfinished file is incomplete, and the caller removes it. */
  close(): void;
}

/** A sink that may encode on the threads of the run: between blocks `ready` is waited for, and at the end `finish`. */
export interface ThreadedSink extends Omit<AudioSink, 'finish'> {
  /** null: it can take the next block. */
  ready(): Promise<void> | null;
  /** null: the file is complete. */
  finish(): Promise<void> | null;
}

/** An option of everything that opens such a sink. null: it encodes in this thread, to the same bytes. */
export interface OnThreadsOption {
  readonly threads: Threads | null;
}

const muxerOptions: Partial<Record<OutputFormatId, Record<string, string>>> = {
  // Beyond 4 GiB a WAV needs 64-bit sizes.
  wav: { rf64: 'auto' },
  mp3: { id3v2_version: '3', write_xing: '1' },
};

/** Formats with cover art as a stream; Ogg has it as a tag. */
const pictureStream: readonly OutputFormatId[] = ['mp3', 'm4a', 'alac', 'mov', 'flac'];

/** Does the rest at once where nothing is waited for, so that a sink without threads has finished when it returns. */
export function afterwards(waiting: Promise<void> | null, rest: () => void): Promise<void> | null {
  if (waiting) return waiting.then(rest);
  rest();
  return null;
}

/** Opens a muxer for writing at `path`. Deterministic: no random serial numbers, no dates. */
export function openOutput(muxer: string, path: string): FormatContext {
  const context = new FormatContext();
  expectOk(context.allocOutputContext2(null, muxer, `file:${path}`), `Setting up the ${muxer} writer`);
  context.setFlags(AVFMT_FLAG_BITEXACT);
  const opened = context.openOutputSync();
  if (opened < 0) {
    context.freeContext();
    throw new EarshotError('bad_request', `Cannot write ${path}: the folder does not exist or is not writable`);
  }
  return context;
}

/** A stream for cover art; before the header is written. */
export function addCoverStream(context: FormatContext, cover: Cover): Stream {
  const stream = context.newStream();
  cover.parameters.copy(stream.codecpar);
  stream.codecpar.codecTag = 0;
  stream.timeBase = new Rational(1, 90_000);
  stream.disposition = AV_DISPOSITION_ATTACHED_PIC;
  return stream;
}

export function writeCover(context: FormatContext, stream: Stream, cover: Cover): void {
  const packet = new Packet();
  packet.alloc();
  packet.data = cover.data;
  packet.streamIndex = stream.index;
  packet.pts = 0n;
  packet.dts = 0n;
  packet.isKeyframe = true;
  expectOk(context.interleavedWriteFrameSync(packet), 'Writing the cover art');
  packet.free();
}

/** What the sources' WAV files hold beside their sound, for this output. */
const carriedInto = (
  { format, bitDepth = '16', sources = [], processed = false }: EncodeOptions,
  { sampleRate, channels }: AudioFormat,
): Carried =>
  carryWave(sources, {
    isWave: format === 'wav',
    name: format,
    sampleRate,
    channels,
    bits: Number.parseInt(bitDepth, 10),
    isProcessed: processed,
    isEncoded: true,
  });

/**
 * Opens an audio file for writing. Encoder delay and padding are stored where the format allows it (LAME tag, edit
 * list, pre-skip, granule position), so that players give back the input's length.
 * @throws EarshotError bad_request when the path cannot be written
 */
export function openEncoder(path: string, input: AudioFormat, options: EncodeOptions): AudioSink;
export function openEncoder(path: string, input: AudioFormat, options: EncodeOptions & OnThreadsOption): ThreadedSink;
export function openEncoder(
  path: string,
  input: AudioFormat,
  options: EncodeOptions & Partial<OnThreadsOption>,
): ThreadedSink {
  const format = outputFormats[options.format];
  const chosen = format.encoders[options.bitDepth ?? '16'] ?? format.encoders.default;
  const cover = options.coverFrom === undefined ? null : readCover(options.coverFrom);
  const context = openOutput(format.muxer, path);
  let encoder: AudioEncoder | null = null;
  let stream: Stream | null = null;
  const close = (): void => {
    encoder?.close();
    encoder = null;
    context.closeOutputSync();
    context.freeContext();
    cover?.close();
  };
  try {
    const opened = new AudioEncoder(
      input,
      {
        encoder: chosen.encoder,
        limits: format,
        globalHeader: context.oformat?.hasFlags(AVFMT_GLOBALHEADER) ?? false,
        ...(options.bitrateKbps !== undefined && !format.lossless ? { bitrateKbps: options.bitrateKbps } : {}),
        ...(options.bitDepth === undefined ? {} : { bitDepth: options.bitDepth }),
        ...(options.sampleRate === undefined ? {} : { sampleRate: options.sampleRate }),
        ...(options.channels === undefined ? {} : { channels: options.channels }),
        ...(options.dither === undefined ? {} : { dither: options.dither }),
        expectedSeconds: options.expectedSeconds ?? null,
        segmentSeconds: options.segmentSeconds,
        onJoint: options.onJoint,
        threads: options.threads ?? null,
      },
      (packet) => {
        packet.streamIndex = 0;
        packet.rescaleTs(opened.timeBase, (stream as Stream).timeBase);
        expectOk(context.interleavedWriteFrameSync(packet), 'Writing the output');
      },
    );
    encoder = opened;
    stream = context.newStream();
    opened.describe(stream.codecpar);
    stream.timeBase = new Rational(1, opened.format.sampleRate);
    const language = trackLanguage(options.language ?? options.tags?.['language']);
    if (language) stream.metadata = Dictionary.fromObject({ language });
    const wave = carriedInto(options, opened.format);
    const tags = portableTags(wave.tags(options.tags ?? {}), format.muxer);
    if (cover && (format.id === 'ogg' || format.id === 'opus')) tags['METADATA_BLOCK_PICTURE'] = pictureComment(cover);
    const chapters = options.chapters ?? [];
    const prepared = prepareChapters(format.muxer, chapters, tags);
    // Copied, since the cover is freed before the tag is written.
    const picture = cover && { data: cover.data, mimeType: cover.mimeType };
    const id3 = { tags, chapters: wave.chapters(chapters), cover: picture };
    const listed = isChunked(format.id) ? listedTags(format.id, id3) : tags;
    context.metadata = Dictionary.fromObject({ ...listed, ...prepared.tags, ...wave.room.tags });
    const coverStream = cover && pictureStream.includes(format.id) ? addCoverStream(context, cover) : null;
    const brand = options.book === true ? { brand: 'M4B ' } : {};
    const dictionary = Dictionary.fromObject({
      ...muxerOptions[format.id],
      ...brand,
      ...prepared.options,
      ...wave.room.options,
    });
    try {
      expectOk(context.writeHeaderSync(dictionary), 'Writing the file header');
    } finally {
      dictionary.free();
    }
    if (cover && coverStream) writeCover(context, coverStream, cover);
    return {
      format: opened.format,
      bitrateKbps: opened.bitrateKbps,
      get warnings() {
        return [...opened.warnings, ...chapterWarnings(format.muxer, format.id, chapters), ...wave.warnings];
      },
      write: (block) => opened.write(block),
      ready: () => opened.ready(),
      finish: () =>
        afterwards(opened.finish(), () => {
          expectOk(context.writeTrailerSync(), 'Completing the file');
          close();
          writeChapters(path, format.muxer, chapters, tags);
          wave.complete(path);
          if (isChunked(format.id)) writeId3Chunk(path, format.id, id3);
        }),
      close() {
        if (encoder) close();
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}
