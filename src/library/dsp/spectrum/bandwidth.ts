import { powerToDb } from '../../core/levels.ts';
import { createSpectrum, type Spectrum } from '../../kernels/spectrum.ts';
import type { Analyser } from '../../pcm/stage.ts';

/** Sound further below the strongest band is codec noise, dither and resampling images, dB. */
const rangeDb = 75;
/** Weaker bands are the quantisation noise of 16 bits, dB relative to full scale per 4096-point bin. */
const floorDbfs = -122;

/** Highest frequency, Hz, with real sound; null for silence. */
function bandwidthHz(maxPower: Float64Array, binHz: number): number | null {
  const smooth = maxPower.map((_, bin) => {
    let sum = 0;
    for (let at = bin - 2; at <= bin + 2; at += 1) sum += maxPower[Math.min(maxPower.length - 1, Math.max(0, at))] ?? 0;
    return powerToDb(sum / 5);
  });
  const strongest = smooth.reduce((most, level) => Math.max(most, level), Number.NEGATIVE_INFINITY);
  const threshold = Math.max(strongest - rangeDb, floorDbfs);
  for (let bin = smooth.length - 1; bin > 0; bin -= 1) if ((smooth[bin] ?? 0) > threshold) return bin * binHz;
  return null;
}

/** A few hundred spectra determine the bandwidth of any recording; more only cost time. */
const looks = 400;

/**
 * Estimates the bandwidth of the sound that passes from its long-term spectrum.
 * @param expectedSeconds length to expect: determines the interval of spectra, 0.1 to 1 s. Default: every 0.25 s.
 */
export function meterBandwidth(expectedSeconds: number | null = null): Analyser<number | null> {
  const everySeconds = expectedSeconds === null ? 0.25 : Math.min(1, Math.max(0.1, expectedSeconds / looks));
  let spectrum: Spectrum | null = null;
  return {
    latencyFrames: 0,
    open(format) {
      // Spectra are at least a sixteenth of their own length apart: damaged files name rates of a few hertz.
      const size = 4096;
      spectrum = createSpectrum({
        ...format,
        size,
        everySeconds: Math.max(everySeconds, size / 16 / format.sampleRate),
      });
      return format;
    },
    process(block, emit) {
      spectrum?.push(block.planes, block.frames);
      emit(block);
    },
    flush: () => undefined,
    close: () => undefined,
    result() {
      if (!spectrum) throw new TypeError('Expected open before result');
      const { maxPower, binHz } = spectrum.result();
      return bandwidthHz(maxPower, binHz);
    },
  };
}
