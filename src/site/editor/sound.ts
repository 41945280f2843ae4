// The samples of a recording, for playing an edit exactly as it will be rendered.
import type { Source } from './source.ts';
import { wavLayout, wavSamples } from './wav.ts';

export interface Sound {
  readonly sampleRate: number;
  readonly frames: number;
  readonly channels: number;
  /** Frames [from, from + frames); silence outside of the recording. */
  read(from: number, frames: number): Promise<Float32Array<ArrayBuffer>[]>;
}

/** Decoded sound is held as 32-bit samples. */
const mostDecodedBytes = 96 * 2 ** 20;
const mostFileBytes = 64 * 2 ** 20;
const headBytes = 65_536;

/** null: too long to be held, and not readable in parts; or a codec that this browser does not have. */
export async function openSound(source: Source): Promise<Sound | null> {
  const head = await source.read([0, Math.min(source.bytes, headBytes) - 1]);
  const layout = wavLayout(head, source.bytes);
  if (layout !== null) {
    const { sampleRate, channels, frames, offset, bits } = layout;
    const frameBytes = channels * (bits / 8);
    return {
      sampleRate,
      channels,
      frames,
      read: async (from, count) =>
        within(from, count, frames, channels, async (first, last) =>
          wavSamples(await source.read([offset + first * frameBytes, offset + last * frameBytes - 1]), layout),
        ),
    };
  }
  const decodedBytes = source.frames * source.channels * 4;
  if (source.bytes > mostFileBytes || decodedBytes > mostDecodedBytes) return null;
  return decoded(await source.read(), source.sampleRate);
}

/** null: this browser cannot decode it. */
export async function decoded(bytes: ArrayBuffer, sampleRate: number): Promise<(Sound & Planes) | null> {
  try {
    // At the rate of the recording, so that nothing is resampled.
    const buffer = await new OfflineAudioContext(1, 1, sampleRate).decodeAudioData(bytes);
    const planes = Array.from({ length: buffer.numberOfChannels }, (_, channel) => buffer.getChannelData(channel));
    return {
      sampleRate,
      channels: planes.length,
      frames: buffer.length,
      planes,
      read: async (from, count) =>
        within(from, count, buffer.length, planes.length, async (first, last) =>
          planes.map((plane) => plane.slice(first, last)),
        ),
    };
  } catch {
    return null;
  }
}

export interface Planes {
  readonly planes: readonly Float32Array[];
}

async function within(
  from: number,
  count: number,
  length: number,
  channels: number,
  read: (first: number, last: number) => Promise<Float32Array<ArrayBuffer>[]>,
): Promise<Float32Array<ArrayBuffer>[]> {
  const [first, last] = [Math.max(0, from), Math.min(length, from + count)];
  if (first === from && last === from + count) return read(first, last);
  const planes = Array.from({ length: channels }, () => new Float32Array(count));
  if (last > first)
    for (const [channel, own] of (await read(first, last)).entries()) planes[channel]?.set(own, first - from);
  return planes;
}
