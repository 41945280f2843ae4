// Noise of a room's colour: what its pauses sound like, made anew, so that nothing of what was said is in it.
import { setImmediate } from 'node:timers/promises';
import type { TimeRange } from '../core/time-range.ts';
import { throwIfAborted } from '../core/abort.ts';
import { createSpectrum } from '../kernels/spectrum.ts';
import { createStft, type Stft } from '../kernels/stft.ts';
import type { MediaFacts } from '../media/facts.ts';
import { openAudio } from '../media/read/decode.ts';
import type { Filling } from './filling.ts';

/** Resolves hum from its harmonics, and ends within a syllable. */
const frameSize = 2048;
const hop = frameSize / 2;

/** What a room sounds like. */
export interface RoomColour {
  readonly sampleRate: number;
  /** By channel: mean power by bin, which adds up to the mean square. */
  readonly power: readonly Float64Array[];
  /** How alike the channels are, 0 to 1: 1 is the same sound in all. */
  readonly likeness: number;
}

/**
 * Measures the colour of a recording in some of its stretches.
 * @param stretches where no one speaks, in order
 */
export async function measureRoom(
  facts: MediaFacts,
  stretches: readonly TimeRange[],
  { signal, onProgress }: { readonly signal: AbortSignal; onProgress(fraction: number): void },
): Promise<RoomColour> {
  const source = openAudio(facts, { signal });
  try {
    const { sampleRate, channels } = source.format;
    const spectra = Array.from({ length: channels }, () =>
      createSpectrum({ sampleRate, channels: 1, size: frameSize, everySeconds: hop / sampleRate }),
    );
    const likeness = new Likeness(channels);
    let position = 0;
    let at = 0;
    const last = stretches.at(-1)?.endSeconds ?? 0;
    for (let block = source.next(); block !== null && at < stretches.length; block = source.next()) {
      const end = position + block.frames;
      for (; at < stretches.length; at += 1) {
        const { startSeconds, endSeconds } = stretches[at] as TimeRange;
        const from = Math.max(Math.round(startSeconds * sampleRate), position);
        const to = Math.min(Math.round(endSeconds * sampleRate), end);
        if (to > from) {
          const quiet = block.planes.map((plane) => plane.subarray(from - position, to - position));
          for (const [channel, plane] of quiet.entries()) spectra[channel]?.push([plane], to - from);
          likeness.push(quiet);
        }
        if (endSeconds * sampleRate > end) break;
      }
      position = end;
      onProgress(Math.min(1, position / sampleRate / Math.max(0.001, last)));
      await setImmediate();
      throwIfAborted(signal);
    }
    return { sampleRate, power: spectra.map((spectrum) => spectrum.result().power), likeness: likeness.result() };
  } finally {
    source.close();
  }
}

/** Correlation of each channel with the first. */
class Likeness {
  private readonly sums: { own: number; first: number; product: number }[];

  constructor(channels: number) {
    this.sums = Array.from({ length: channels }, () => ({ own: 0, first: 0, product: 0 }));
  }

  push(planes: readonly Float32Array[]): void {
    const first = planes[0] as Float32Array;
    for (const [channel, sum] of this.sums.entries()) {
      const plane = planes[channel] as Float32Array;
      for (const [frame, sample] of plane.entries()) {
        const other = first[frame] as number;
        sum.own += sample * sample;
        sum.first += other * other;
        sum.product += sample * other;
      }
    }
  }

  result(): number {
    const others = this.sums
      .slice(1)
      .map(({ own, first, product }) => product / Math.max(1e-20, Math.sqrt(own * first)));
    return others.length === 0 ? 1 : Math.max(0, Math.min(1, ...others));
  }
}

/** The same noise in each run. */
const seed = 0x9e37_79b9;

/** Makes noise of a colour: spectra of that power with phases of chance, overlapped. */
export class RoomNoise implements Filling {
  private readonly room: RoomColour;
  private readonly stft: Stft;
  private state = seed;
  /** By channel: made and not yet taken, then the half that the next frame is added to. */
  private made: Float32Array[] = [];
  private left = 0;

  constructor(room: RoomColour) {
    this.room = room;
    // Its square and that of its neighbour add up to 1, as the powers of frames by chance do.
    this.stft = createStft({
      window: Float32Array.from({ length: frameSize }, (_, at) => Math.sin((Math.PI * (at + 0.5)) / frameSize)),
      hop,
    });
  }

  next(channels: number, from: number, frames: number): readonly Float32Array[] {
    if (from === 0) this.begin(channels);
    const planes = Array.from({ length: channels }, () => new Float32Array(frames));
    for (let at = 0; at < frames;) {
      if (this.left === 0) this.makeHop();
      const taken = Math.min(this.left, frames - at);
      const begin = hop - this.left;
      for (const [channel, plane] of planes.entries())
        plane.set((this.made[channel] as Float32Array).subarray(begin, begin + taken), at);
      this.left -= taken;
      at += taken;
    }
    return planes;
  }

  private begin(channels: number): void {
    this.made = Array.from({ length: channels }, () => new Float32Array(frameSize));
    this.left = 0;
    // The first half of a first frame fades in.
    this.makeHop();
    this.left = 0;
  }

  private makeHop(): void {
    const { bins } = this.stft;
    const { power, likeness } = this.room;
    const common = this.gaussians(2 * bins);
    const shared = Math.sqrt(likeness);
    const apart = Math.sqrt(1 - likeness);
    for (const [channel, plane] of this.made.entries()) {
      const own = apart === 0 ? common : this.gaussians(2 * bins);
      const colour = power[channel] ?? power[0] ?? new Float64Array(bins);
      const re = new Float32Array(bins);
      const im = new Float32Array(bins);
      for (let bin = 0; bin < bins; bin += 1) {
        // Of a real signal: each bin but the first and the last is two.
        const isSingle = bin === 0 || bin === bins - 1;
        const scale = Math.sqrt((colour[bin] ?? 0) / (isSingle ? 1 : 4));
        re[bin] = scale * (shared * (common[2 * bin] ?? 0) + apart * (own[2 * bin] ?? 0));
        im[bin] = isSingle ? 0 : scale * (shared * (common[2 * bin + 1] ?? 0) + apart * (own[2 * bin + 1] ?? 0));
      }
      plane.copyWithin(0, hop);
      plane.fill(0, hop);
      this.stft.inverse(re, im, 1, 1, plane);
    }
    this.left = hop;
  }

  /** Box and Muller 1958. */
  private gaussians(count: number): Float32Array {
    const values = new Float32Array(count + 1);
    for (let at = 0; at < count; at += 2) {
      const radius = Math.sqrt(-2 * Math.log(1 - this.chance()));
      const angle = 2 * Math.PI * this.chance();
      values[at] = radius * Math.cos(angle);
      values[at + 1] = radius * Math.sin(angle);
    }
    return values;
  }

  /** 0 to below 1: xorshift32 (Marsaglia 2003). */
  private chance(): number {
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return (this.state >>> 0) / 2 ** 32;
  }
}
