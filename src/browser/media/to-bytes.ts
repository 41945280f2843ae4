// Floats as the bytes of a WAV's samples, rounded as FFmpeg does.
import type { BitDepth } from '../../library/media/formats.ts';
import type { AudioBlock } from '../../library/pcm/block.ts';

/** Adding and taking it away rounds a double of this size to a whole number, halves to even. */
const rounding = 1.5 * 2 ** 52;
const clipped = (value: number, most: number): number =>
  value >= most ? most : value <= -most - 1 ? -most - 1 : value;

type Put = (bytes: DataView, at: number, sample: number) => void;

const most16 = 2 ** 15 - 1;
const most32 = 2 ** 31 - 1;

const put16: Put = (bytes, at, sample) =>
  bytes.setInt16(at, clipped(sample * 2 ** 15 + rounding - rounding, most16), true);

/** The upper 24 of 32 bits. */
const put24: Put = (bytes, at, sample) => {
  const whole = clipped(sample * 2 ** 31 + rounding - rounding, most32);
  bytes.setUint16(at, (whole >> 8) & 0xffff, true);
  bytes.setInt8(at + 2, whole >> 24);
};

const putters: Readonly<Record<BitDepth, Put>> = {
  '16': put16,
  '24': put24,
  '32f': (bytes, at, sample) => bytes.setFloat32(at, sample, true),
};

/** A writer of blocks as interleaved bytes; those of a block are valid until the next. */
export function interleaver(depth: BitDepth, channels: number): (block: AudioBlock) => Uint8Array {
  const put = putters[depth];
  const width = Number.parseInt(depth, 10) / 8;
  let bytes = new Uint8Array(0);
  return ({ planes, frames }) => {
    const size = frames * channels * width;
    if (bytes.length < size) bytes = new Uint8Array(size);
    const view = new DataView(bytes.buffer, 0, size);
    for (const [channel, plane] of planes.entries())
      for (let at = 0, place = channel * width; at < frames; at += 1, place += channels * width)
        put(view, place, plane[at] as number);
    return bytes.subarray(0, size);
  };
}
