// Noise that is always there: hiss, hum, a fan. By minimum statistics (Martin 2001, "Noise power spectral density
// estimation based on optimal smoothing and minimum statistics"), with the whole recording at hand.
import type { Analyser } from '../../../pcm/stage.ts';
import { bins, hopSeconds, powerScale, readSpectra, type SpectrumFrame } from '../../voice/spectral-stage.ts';

/** The steady noise of a recording at 48 kHz. */
export interface SteadyNoise {
  /** Power of each bin in a channel, on the scale of `SpectrumFrame`, at one of its frames. */
  at(channel: number, frame: number): Float32Array;
  /** Level of the loudest channel, the median over time, dBFS RMS; null where there is none. */
  readonly dbfs: number | null;
}

/** Powers are averaged over 0.11 s: shorter than pauses between words. */
const meanFrames = 20;
/** The minimum of each bin is taken over this long: longer than syllables and most notes. */
const segmentSeconds = 3;
const segmentFrames = Math.round(segmentSeconds / hopSeconds);
/** Mean power of white noise over the minimum of its averages in a segment; measured on a minute of it. */
const meanOverMinimum = 2.93;
/** Segments, to either side, whose median counts. */
const reachSegments = 2;
/** Weaker powers are digital silence. */
const leastPower = 1e-14;

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

/** Minima by segment of one channel. */
class Minima {
  readonly segments: Float32Array[] = [];
  /** The last powers, `bins` a frame, and their sums. */
  private readonly last = new Float32Array(meanFrames * bins);
  private readonly sums = new Float64Array(bins);
  private least = new Float32Array(bins).fill(Infinity);
  private frames = 0;
  private heard = 0;

  push({ re, im }: SpectrumFrame): void {
    let total = 0;
    for (let bin = 0; bin < bins; bin += 1) total += (re[bin] as number) ** 2 + (im[bin] as number) ** 2;
    // Digital silence, or samples that are no numbers: says nothing about the noise around it.
    if (total > leastPower && total < 1e6) {
      const place = (this.heard % meanFrames) * bins;
      for (let bin = 0; bin < bins; bin += 1) {
        const power = Math.fround((re[bin] as number) ** 2 + (im[bin] as number) ** 2);
        this.sums[bin]! += power - (this.last[place + bin] as number);
        this.last[place + bin] = power;
      }
      this.heard += 1;
      if (this.heard >= meanFrames)
        for (let bin = 0; bin < bins; bin += 1) {
          const mean = Math.max(0, this.sums[bin] as number) / meanFrames;
          if (mean < (this.least[bin] as number)) this.least[bin] = mean;
        }
    }
    this.frames += 1;
    if (this.frames === segmentFrames) this.endSegment();
  }

  /** The last segment counts if it is long enough for a minimum. */
  endRecording(): void {
    if (this.segments.length === 0 || this.frames > segmentFrames / 2) this.endSegment();
  }

  private endSegment(): void {
    this.segments.push(this.least);
    this.least = new Float32Array(bins).fill(Infinity);
    this.frames = 0;
  }
}

/**
 * In each bin the lower of two medians of the segments' minima, before and after: noise that begins or ends in the
 * recording is not taken for steady on its other side.
 */
function noiseIn(segments: readonly Float32Array[], index: number): Float32Array {
  const known = (from: number, to: number): Float32Array[] =>
    segments.slice(Math.max(0, from), to + 1).filter((least) => Number.isFinite(least[0]));
  const sides = [known(index - reachSegments, index), known(index, index + reachSegments)].filter(
    (side) => side.length > 0,
  );
  return Float32Array.from({ length: bins }, (_, bin) => {
    if (sides.length === 0) return 0;
    return meanOverMinimum * Math.min(...sides.map((side) => median(side.map((least) => least[bin] as number))));
  });
}

const powerOf = (noise: Float32Array): number =>
  noise.reduce((sum, power, bin) => sum + (bin === 0 || bin === bins - 1 ? power / 2 : power), 0) * powerScale;

/** Measures steady noise in a first pass. Memory: 1.4 kB a second and channel. */
export function meterSteadyNoise(): Analyser<SteadyNoise> {
  let minima: Minima[] = [];
  return {
    ...readSpectra((count) => {
      minima = Array.from({ length: count }, () => new Minima());
      return (channels) => {
        for (const [channel, spectrum] of channels.entries()) minima[channel]?.push(spectrum);
      };
    }),
    flush() {
      for (const channel of minima) channel.endRecording();
    },
    result() {
      const perChannel = minima.map(({ segments }) => segments);
      const cached: { segment: number; noise: Float32Array }[] = perChannel.map(() => ({
        segment: -1,
        noise: new Float32Array(bins),
      }));
      const levels = perChannel.map((segments) =>
        segments.length === 0 ? 0 : median(segments.map((_, index) => powerOf(noiseIn(segments, index)))),
      );
      const loudest = Math.max(0, ...levels);
      return {
        at(channel, frame) {
          const segments = perChannel[channel] ?? [];
          const segment = Math.min(segments.length - 1, Math.floor(frame / segmentFrames));
          const last = cached[channel];
          if (last === undefined || segment < 0) return new Float32Array(bins);
          if (last.segment !== segment) {
            last.noise = noiseIn(segments, segment);
            last.segment = segment;
          }
          return last.noise;
        },
        dbfs: loudest > 0 ? 10 * Math.log10(loudest) : null,
      };
    },
  };
}
