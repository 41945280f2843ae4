// Floats as the bytes of a WAV's samples, rounded as in Node: 16 bits by the kernel, 24 as FFmpeg does.
import { toPcm16 } from '../../library/kernels/ops.ts';
import type { BitDepth } from '../../library/media/formats.ts';
import type { AudioBlock } from '../../library/pcm/block.ts';

/** Adding and taking it away rounds a double of this size to a whole number, halves to even. */
const rounding = 1.5 * 2 ** 52;
const most32 = 2 ** 31 - 1;

type Put = (bytes: DataView, at: number, sample: number) => void;

/** The upper 24 of 32 bits. */
const put24: Put = (bytes, at, sample) => {
  const whole = Math.max(-most32 - 1, Math.min(most32, sample * 2 ** 31 + rounding - rounding));
  bytes.setUint16(at, (whole >> 8) & 0xffff, true);
  bytes.setInt8(at + 2, whole >> 24);
};
const putFloat: Put = (bytes, at, sample) => bytes.setFloat32(at, sample, true);

/** A writer of blocks as interleaved bytes; those of a block are valid until the next. */
type Interleaver = (block: AudioBlock) => Uint8Array;

function interleavedPcm16(channels: number, dithered: boolean): Interleaver {
  let samples = new Int16Array(0);
  let firstFrame = 0;
  return ({ planes, frames }) => {
    if (samples.length < frames * channels) samples = new Int16Array(frames * channels);
    toPcm16(planes, frames, samples, { dithered, firstFrame });
    firstFrame += frames;
    return new Uint8Array(samples.buffer, 0, 2 * frames * channels);
  };
}

/** @param dithered with 16 bits */
export function interleaver(depth: BitDepth, channels: number, dithered: boolean): Interleaver {
  if (depth === '16') return interleavedPcm16(channels, dithered);
  const put = depth === '24' ? put24 : putFloat;
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
