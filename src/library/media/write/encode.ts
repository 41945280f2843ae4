import { FormatContext, Dictionary, Rational, type Stream } from 'node-av/lib';
import { AVFMT_FLAG_BITEXACT, AVFMT_GLOBALHEADER } from 'node-av/constants';
import { EarshotError } from '../../core/errors/errors.ts';
import type { Warning } from '../../core/progress/progress.ts';
import type { AudioBlock, AudioFormat } from '../../pcm/block.ts';
import { type Again, AudioEncoder, type SampleCopier } from './audio-encoder.ts';
import { expectOk } from '../ffmpeg/ffmpeg.ts';
import type { Chapter, MediaFacts } from '../facts.ts';
import { factsWhenWritten } from '../read/probe.ts';
import { lossesIn } from './losses.ts';
import type { Threads } from './segments/on-threads.ts';
import { outputFormats, type BitDepth, type OutputFormatId } from '../formats.ts';
import type { Tags } from '../tags/model.ts';
import { namesOf } from '../tags/names.ts';
import { trackLanguage } from '../tags/rules.ts';
import { type Carried, carryWave } from '../wave/carry.ts';
import type { SourcePart } from '../kept.ts';
import { openLabels } from './labels.ts';

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
  /** With pictures. Default: none. */
  readonly tags?: Tags;
  /** Those that the source has, where some are left out: the file is compared with them. Default: `tags`. */
  readonly sourceTags?: Tags;
  /**
   * Language of the speech (ISO 639-2, "deu"), for containers that store it with the track. Default: the tag
   * `language`.
   */
  readonly language?: string;
  /** What the format cannot hold of them is said. */
  readonly chapters?: readonly Chapter[];
  /** What the sound was made from: broadcast metadata and marks of WAV files are kept. Default: nothing. */
  readonly sources?: readonly SourcePart[];
  /** Further files of which sound is in it. Default: none. */
  readonly besides?: readonly MediaFacts[];
  /** See `Expected`. Default false. */
  readonly leavesPicture?: boolean;
  /** Did the samples change? Then a measured loudness is not that of the output. Default false. */
  readonly processed?: boolean;
  /** Length of the sound, which decides how it is divided into segments; see `segments/rules.ts`. Default: unknown. */
  readonly expectedSeconds?: number | null;
  /** Length of segments, for tests and benches; Infinity: encoded in one go. Default: the codec's. */
  readonly segmentSeconds?: number;
  /** See `AudioEncoderOptions`. Default: all is encoded, and no packets are kept. */
  readonly again?: Again | undefined;
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
  /**
   * Of sinks that write samples as they come: takes bytes of a form, between blocks.
   * @param codec FFmpeg's name of the form
   * @returns null: the sink writes another form, or changes samples
   */
  copierOf?(codec: string): SampleCopier | null;
  /** Completes the file. */
  finish(): void;
  /** Facts of the finished file. */
  written(): MediaFacts;
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
  mp3: { write_xing: '1' },
};

/** Ogg has a file's tags in its stream. */
export const oggMuxers = new Set(['ogg', 'opus']);
const noTags: Tags = { entries: [], pictures: [] };
const isLanguage = ({ name }: Tags['entries'][number]): boolean => namesOf(name).vorbis === 'LANGUAGE';
const languageOf = ({ entries }: Tags): string | undefined => entries.find(isLanguage)?.values[0];
/** Containers without a place for it in the stream's header have the language as a tag. */
const inLanguage = (tags: Tags, language: string): Tags =>
  tags.entries.some(isLanguage)
    ? tags
    : { ...tags, entries: [...tags.entries, { name: 'LANGUAGE', values: [language] }] };

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

/** Tags without what the chunks of a WAV say; times in them are those of the new sound. */
export const besideChunks = (tags: Tags, wave: Carried): Tags => ({
  ...tags,
  entries: tags.entries.flatMap((entry) =>
    entry.native || entry.values.length !== 1
      ? [entry]
      : Object.entries(wave.tags({ [entry.name]: entry.values[0] ?? '' })).map(([name, value]) => ({
          ...entry,
          name,
          values: [value],
        })),
  ),
});

/** What the sources' WAV files hold beside their sound, for this output. */
export const carriedInto = (
  { format, bitDepth = '16', sources = [], processed = false }: EncodeOptions,
  { sampleRate, channels }: AudioFormat,
): Carried =>
  carryWave(sources, {
    isWave: format === 'wav',
    sampleRate,
    channels,
    bits: Number.parseInt(bitDepth, 10),
    isProcessed: processed,
    isEncoded: true,
  });

/** Nothing is compared where a file is made from nothing but sound. */
export function lossesOf(written: () => MediaFacts, options: EncodeOptions): readonly Warning[] {
  const { sources = [], besides = [], tags = noTags, sourceTags = tags, chapters = [], leavesPicture } = options;
  if (sources.length + chapters.length + tags.entries.length + tags.pictures.length === 0) return [];
  return lossesIn(written(), outputFormats[options.format].extension, {
    sources: sources.map(({ facts }) => facts),
    besides,
    tags: sourceTags,
    chapters,
    leavesPicture,
  });
}

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
  const context = openOutput(format.muxer, path);
  let encoder: AudioEncoder | null = null;
  let stream: Stream | null = null;
  const close = (): void => {
    encoder?.close();
    encoder = null;
    context.closeOutputSync();
    context.freeContext();
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
        again: options.again,
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
    const wave = carriedInto(options, opened.format);
    const given = besideChunks(options.tags ?? noTags, wave);
    const language = trackLanguage(options.language ?? languageOf(given));
    const chapters = options.chapters ?? [];
    const isOgg = oggMuxers.has(format.muxer);
    const tags = isOgg && language !== null ? inLanguage(given, language) : given;
    const own = { tags, chapters: wave.chapters(chapters) };
    const labels = openLabels(format.muxer, own);
    if (language && !isOgg) stream.metadata = Dictionary.fromObject({ language });
    context.metadata = Dictionary.fromObject({ ...labels.metadata, ...wave.room.tags });
    const brand = options.book === true ? { brand: 'M4B ' } : {};
    const dictionary = Dictionary.fromObject({
      ...muxerOptions[format.id],
      ...brand,
      ...labels.options,
      ...wave.room.options,
    });
    try {
      expectOk(context.writeHeaderSync(dictionary), 'Writing the file header');
    } finally {
      dictionary.free();
    }
    let losses: readonly Warning[] = [];
    const written = factsWhenWritten(path);
    return {
      written,
      format: opened.format,
      bitrateKbps: opened.bitrateKbps,
      get warnings() {
        return [...opened.warnings, ...wave.warnings, ...losses];
      },
      write: (block) => opened.write(block),
      copierOf: (codec) => opened.copierOf(codec),
      ready: () => opened.ready(),
      finish: () =>
        afterwards(opened.finish(), () => {
          expectOk(context.writeTrailerSync(), 'Completing the file');
          close();
          wave.complete(path);
          labels.complete(path);
          losses = lossesOf(written, options);
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
