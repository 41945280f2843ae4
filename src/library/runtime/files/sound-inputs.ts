// Inputs that are samples: what a program holds or receives, without a file around it. They become WAV files.
import { badInput, badValue } from '../../core/checks/schema.ts';
import { type RawFormat, rawFormats, rawSampleBytes, waveHeader } from '../../media/wave/header.ts';
import {
  type AudioBufferLike,
  brokenAt,
  channelsOf,
  interleaved,
  isAudioBuffer,
  planesOfBlock,
  planesOfBuffer,
  requireChannels,
  requireSampleRate,
  type SampleBlock,
} from '../../pcm/sound.ts';
import { type ByteChunks, type ByteSource, type ByteStream, chunksOf, isByteSource, itemsOf } from './byte-sources.ts';

/** Samples in memory, or blocks of them as they come. */
export interface SoundSamples {
  /**
   * Float32, full scale 1.0: an array for each channel, all equally long; one array with all channels frame by frame;
   * or a stream of such blocks, each of any length (an async iterable or a WHATWG stream). They are read when the run
   * begins; do not change them until it has ended.
   */
  readonly samples: SampleBlock | AsyncIterable<SampleBlock> | ByteStream;
  /** Frames per second, whole, 1 to 768000. */
  readonly sampleRate: number;
  /** 1 to 64. Default: the number of arrays, one for a single array and for a stream. */
  readonly channels?: number;
  /** Outputs are named after it, "talk" as "talk.wav". Default: "input". */
  readonly name?: string;
}

/** Samples as bytes without a file around them, as microphones, telephones and `ffmpeg -f s16le` give them. */
export interface RawSound {
  /** The bytes of all channels, frame by frame: in memory, or a stream of chunks of any size. */
  readonly raw: ByteSource;
  /** Kind of the samples, by FFmpeg's name: u8, s16le, s24le, s32le, f32le, mulaw or alaw. */
  readonly format: RawFormat;
  /** Frames per second, whole, 1 to 768000. */
  readonly sampleRate: number;
  /** 1 to 64. */
  readonly channels: number;
  /** As of `SoundSamples`: outputs are named after it. Default: "input". */
  readonly name?: string;
}

/** Sound without a file: samples, raw PCM, or an `AudioBuffer` of Web Audio. */
export type SoundInput = SoundSamples | RawSound | AudioBufferLike;

export const isSound = (value: unknown): value is SoundInput =>
  typeof value === 'object' && value !== null && ('samples' in value || 'raw' in value || isAudioBuffer(value));

/** Sound as the bytes of a WAV file. */
export interface WaveBytes {
  /** With the extension. */
  readonly name: string;
  /** See `streamOf`. */
  readonly stream: ByteChunks | null;
  /** The head of the file, for so many bytes of samples; null: their number is not known yet. */
  header(dataBytes: number | null): Buffer;
  /**
   * The samples, in pieces that are valid until the next is asked for.
   * @param what the input's name, for messages
   * @throws EarshotError bad_request for samples that are none and where a stream fails; AbortError
   */
  chunks(what: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void>;
}

/** The stream that is read, which can be read only once; null: there is none. */
export function streamOf(data: ByteSource | WaveBytes): ByteChunks | null {
  if ('header' in data) return data.stream;
  return data instanceof Uint8Array ? null : data;
}

const streamIn = (source: unknown): ByteChunks | null =>
  isByteSource(source) && !(source instanceof Uint8Array) ? source : null;

/** @throws EarshotError bad_request for a rate, channels or a kind of samples that there is not */
export function waveBytesOf(input: SoundInput): WaveBytes {
  if ('raw' in input) return fromRaw(input);
  if (isAudioBuffer(input)) {
    const planes = planesOfBuffer(input);
    const form = formOf('f32le', input.sampleRate, planes.length);
    return {
      name: 'input.wav',
      stream: null,
      header: (bytes) => waveHeader(form, bytes),
      chunks: () => written([planes]),
    };
  }
  return fromSamples(input);
}

function formOf(format: RawFormat, sampleRate: unknown, channels: unknown) {
  return { format, sampleRate: requireSampleRate(sampleRate), channels: requireChannels(channels) };
}

/** @throws EarshotError bad_request */
function nameOf(name: unknown = 'input'): string {
  if (typeof name !== 'string') throw badValue('name', 'text', name);
  return /\.wav$/iu.test(name) ? name : `${name}.wav`;
}

function fromSamples({ samples, sampleRate, channels: given, name }: SoundSamples): WaveBytes {
  const channels = channelsOf(samples, given);
  const form = formOf('f32le', sampleRate, channels);
  const stream = streamIn(samples);
  const whole = stream === null ? [planesOfBlock(samples, channels)] : [];
  if (stream === null && (whole[0]?.[0]?.length ?? 0) === 0) throw badInput('samples', 'at least one frame', 'none');
  return {
    name: nameOf(name),
    stream,
    header: (bytes) => waveHeader(form, bytes),
    chunks: (what, signal) => written(stream === null ? whole : blocksOf(stream, channels, what, signal)),
  };
}

async function* blocksOf(
  source: ByteChunks,
  channels: number,
  what: string,
  signal: AbortSignal,
): AsyncGenerator<Float32Array[], void, void> {
  let frames = 0;
  for await (const block of itemsOf(source, what, signal)) {
    const planes = planesOfBlock(block, channels, frames);
    frames += planes[0]?.length ?? 0;
    yield planes;
  }
}

async function* written(
  blocks: Iterable<readonly Float32Array[]> | AsyncIterable<readonly Float32Array[]>,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const planes of blocks)
    for (const piece of interleaved(planes)) yield new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength);
}

function fromRaw({ raw, format, sampleRate, channels, name }: RawSound): WaveBytes {
  if (!rawFormats.includes(format)) throw badValue('format', `one of ${rawFormats.join(', ')}`, format);
  if (!isByteSource(raw)) throw badInput('raw', 'bytes or a stream of bytes', typeof raw);
  const form = formOf(format, sampleRate, channels);
  const stream = streamIn(raw);
  const check = frameChecker(form);
  if (raw instanceof Uint8Array) {
    check.look(raw);
    check.end();
  }
  return {
    name: nameOf(name),
    stream,
    header: (bytes) => waveHeader(form, bytes),
    async *chunks(what, signal) {
      if (stream === null) {
        yield raw as Uint8Array;
        return;
      }
      for await (const chunk of chunksOf(stream, what, signal)) {
        check.look(chunk);
        yield chunk;
      }
      check.end();
    },
  };
}

type RawForm = ReturnType<typeof formOf>;

/** Looks at bytes as they come: floats must be numbers, and the last frame whole. */
function frameChecker({ format, channels }: RawForm) {
  const frameBytes = rawSampleBytes(format) * channels;
  let bytes = 0;
  let begun: Uint8Array = new Uint8Array();
  return {
    look(chunk: Uint8Array): void {
      if (format === 'f32le') {
        const all = begun.length === 0 ? chunk : Buffer.concat([begun, chunk]);
        const whole = all.length - (all.length % 4);
        requireNumbers(all.subarray(0, whole), bytes - begun.length, channels);
        begun = Uint8Array.from(all.subarray(whole));
      }
      bytes += chunk.length;
    },
    end(): void {
      if (bytes === 0) throw badInput('raw', 'samples', 'none');
      if (bytes % frameBytes === 0) return;
      const expected = `whole frames of ${frameBytes} bytes (${format}, channels: ${channels})`;
      throw badInput('raw', expected, `${bytes} bytes: ${bytes % frameBytes} too many`);
    },
  };
}

/** @param fromByte of the source */
function requireNumbers(bytes: Uint8Array, fromByte: number, channels: number): void {
  // Copied: floats begin at multiples of four bytes.
  const samples = new Float32Array(Uint8Array.from(bytes).buffer);
  const at = brokenAt(samples);
  if (at < 0) return;
  const sample = fromByte / 4 + at;
  throw badInput(
    'raw',
    'numbers (full scale is 1)',
    `${samples[at]} at frame ${Math.floor(sample / channels)} of channel ${(sample % channels) + 1}`,
  );
}
