// The head of a WAV file, for samples that come without one.
import { waveTags } from '../ffmpeg/wave-form.ts';

/** Bytes of a sample, and the tag, of each kind of raw PCM, by FFmpeg's names. */
const kinds = {
  u8: [waveTags.pcm, 1],
  s16le: [waveTags.pcm, 2],
  s24le: [waveTags.pcm, 3],
  s32le: [waveTags.pcm, 4],
  f32le: [waveTags.float, 4],
  mulaw: [7, 1],
  alaw: [6, 1],
} as const;

/** Samples without a file around them, by FFmpeg's names: "s16le" is 16 bits with a sign, the lowest byte first. */
export type RawFormat = keyof typeof kinds;

export const rawFormats = Object.keys(kinds) as readonly RawFormat[];

/** Bytes of a sample of one channel. */
export const rawSampleBytes = (format: RawFormat): number => kinds[format][1];

/** What a writer states that does not know the length yet. */
const unknownBytes = 0xffff_ffff;

/**
 * The 44 bytes before the samples.
 * @param dataBytes of the samples; null, or more than fit into the head: it says that the length is unknown
 */
export function waveHeader(
  { format, sampleRate, channels }: { format: RawFormat; sampleRate: number; channels: number },
  dataBytes: number | null,
): Buffer {
  const [tag, sampleBytes] = kinds[format];
  const frameBytes = sampleBytes * channels;
  const header = Buffer.alloc(44);
  const isStated = dataBytes !== null && dataBytes < 0xffff_f000 - header.length;
  header.write('RIFF', 0);
  header.writeUInt32LE(isStated ? header.length - 8 + dataBytes : unknownBytes, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(tag, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(sampleRate, 24);
  // Of 64 channels at the highest rate, more than fit.
  header.writeUInt32LE(Math.min(unknownBytes, sampleRate * frameBytes), 28);
  header.writeUInt16LE(frameBytes, 32);
  header.writeUInt16LE(8 * sampleBytes, 34);
  header.write('data', 36);
  header.writeUInt32LE(isStated ? dataBytes : unknownBytes, 40);
  return header;
}
