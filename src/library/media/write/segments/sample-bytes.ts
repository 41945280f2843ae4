// The samples that a codec of interleaved integers has been given, as FLAC's MD5 counts them: little-endian, of as many
// bytes as they need.
import { AV_SAMPLE_FMT_S16 } from 'node-av/constants';
import type { CodecSettings } from '../codec/packet-encoder.ts';

/** Of 16 bits, or of 24 in the upper part of 32. */
export const bytesPerSample = ({ sampleFormat }: CodecSettings): number => (sampleFormat === AV_SAMPLE_FMT_S16 ? 2 : 3);

export interface SampleBytes {
  /** @param data of 16 or 32 bits a sample */
  take(data: Uint8Array, frames: number): void;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** @param most frames; those beyond are not taken */
export function sampleBytes(settings: CodecSettings, most: number): SampleBytes {
  const size = bytesPerSample(settings);
  const bytes = new Uint8Array(most * settings.channels * size);
  let at = 0;
  return {
    take(data, frames) {
      const count = Math.min(frames * settings.channels, (bytes.length - at) / size);
      if (size === 2) bytes.set(data.subarray(0, count * size), at);
      else
        for (let from = 1, to = at; to < at + count * size; from += 4, to += size) {
          bytes[to] = data[from] as number;
          bytes[to + 1] = data[from + 1] as number;
          bytes[to + 2] = data[from + 2] as number;
        }
      at += count * size;
    },
    get bytes() {
      return at === bytes.length ? bytes : bytes.slice(0, at);
    },
  };
}
