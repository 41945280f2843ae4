// Samples above full scale (1): float holds them, integers clip them, and so do players.
import type { Warning } from '../core/progress/progress.ts';
import type { AudioBlock } from './block.ts';
import type { Analyser } from './stage.ts';

/** Peaks that are less above full scale are no reason for a word: encoders and filters make them. */
const leastOver = 10 ** (0.1 / 20);

/** What lies above full scale. */
export interface OverFullScale {
  readonly samples: number;
  readonly peak: number;
}

/** The gain that brings a peak down to another, dB: rounded so that it fits. */
export const fittingGainDb = (peak: number, most = 1): number => -Math.ceil(200 * Math.log10(peak / most)) / 10;

/** Counts samples above full scale in blocks, and finds their peak. */
export class FullScaleMeter implements OverFullScale {
  samples = 0;
  peak = 1;

  look({ planes, frames }: AudioBlock): void {
    for (const plane of planes) {
      let over = 0;
      let { peak } = this;
      for (let i = 0; i < frames; i += 1) {
        const sample = plane[i] as number;
        if (sample <= 1 && sample >= -1) continue;
        const magnitude = Math.abs(sample);
        // NaN is no peak.
        if (magnitude > 1) over += 1;
        if (magnitude > peak) peak = magnitude;
      }
      this.samples += over;
      this.peak = peak;
    }
  }
}

/**
 * @param format that was written
 * @param clips does it hold integers? Others keep such samples, and players clip them
 */
export function overFullScale({ samples, peak }: OverFullScale, format: string, clips: boolean): Warning | null {
  if (peak < leastOver) return null;
  const gain = fittingGainDb(peak);
  const lie =
    `${samples} ${samples === 1 ? 'sample lies' : 'samples lie'} above full scale, ` +
    `by up to ${(20 * Math.log10(peak)).toFixed(1)} dB`;
  const outcome = clips
    ? `, and ${samples === 1 ? 'was' : 'were'} clipped`
    : `: ${format} holds them, but players clip them`;
  return {
    code: 'over_full_scale',
    message: `${lie}${outcome}; a gain of ${gain.toFixed(1)} dB saves them (fit_peaks of convert)`,
  };
}

/** The greatest magnitude of the sound that passes. */
export function meterPeak(): Analyser<number> {
  let peak = 0;
  return {
    latencyFrames: 0,
    open: (format) => format,
    process(block, emit) {
      for (const plane of block.planes)
        for (let i = 0; i < block.frames; i += 1) peak = Math.max(peak, Math.abs(plane[i] as number) || 0);
      emit(block);
    },
    flush: () => undefined,
    close: () => undefined,
    result: () => peak,
  };
}
