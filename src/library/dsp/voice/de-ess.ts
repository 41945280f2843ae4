import { dbToGain, powerToDb } from '../../core/levels.ts';
import type { Stage } from '../../pcm/stage.ts';
import { binHz, binOf, bins, powerScale, spectralStage } from './spectral-stage.ts';

/** Range of the sibilants s and sh, Hz. */
const lowHz = 4500;
const highHz = 12_000;
/** Range in which the gain sets in, Hz. */
const shelfFromHz = 3200;
const shelfToHz = 5000;
/**
 * Sibilants up to this level relative to the speech are left alone, dB: 95 in 100 of a well-recorded reader's are
 * below.
 */
const toleratedDb = -4;
const ratio = 3;
const mostReductionDb = 9;
/** Share of the reduction for voices that are not sharp: their sibilants change by less than a decibel. */
const gentleShare = 0.4;
/** Share of a frame's reduction that is left in the next, 5 ms later: 25 ms to 1 / e. */
const release = 0.81;

/** Reduction for a sibilant's level relative to the speech, dB. */
export const deEssingDb = (hissDb: number): number =>
  Math.min(mostReductionDb, Math.max(0, (hissDb - toleratedDb) * (1 - 1 / ratio)));

/**
 * Reduces only sharp sibilants: when the power between 4.5 and 12 kHz comes within 4 dB of the speech's own level, and
 * is most of the sound at that moment, the highs (a shelf from 3.2 to 5 kHz) fall by two thirds of the excess, at most
 * 9 dB. Split-band de-essing with a level-relative threshold, on short-time spectra without phase shift; one gain for
 * all channels.
 * @param activeDb mean square of the speech over the channels, dBFS
 * @param sharpness of the recording, 0 to 1: the whole reduction at 1, four tenths at 0. Default 1
 */
export function deEss(activeDb: number, sharpness = 1): Stage & { maxReductionDb(): number } {
  const [from, to] = [binOf(lowHz), binOf(highHz)];
  const shelf = Float64Array.from({ length: bins }, (_, bin) => {
    const share = Math.min(
      1,
      Math.max(0, Math.log((bin * binHz + 1) / shelfFromHz) / Math.log(shelfToHz / shelfFromHz)),
    );
    return 0.5 - 0.5 * Math.cos(Math.PI * share);
  });
  const start = shelf.findIndex((share) => share > 0);
  const strength = gentleShare + (1 - gentleShare) * sharpness;
  let reduction = 0;
  let deepest = 0;
  const stage = spectralStage({
    begin: (channels) => (spectra) => {
      let [hiss, total] = [0, 0];
      for (const { re, im } of spectra) {
        for (let bin = 2; bin < bins; bin += 1) {
          const power = (re[bin] as number) ** 2 + (im[bin] as number) ** 2;
          total += power;
          if (bin >= from && bin <= to) hiss += power;
        }
      }
      const level = powerToDb((hiss * powerScale) / channels + 1e-20) - activeDb;
      // Vowels have highs, too, but far more power below.
      const wanted = hiss > 0.4 * total ? strength * deEssingDb(level) : 0;
      reduction = Math.max(wanted, reduction * release);
      if (reduction < 0.05) return;
      deepest = Math.max(deepest, reduction);
      const gain = dbToGain(-reduction);
      for (let bin = start; bin < bins; bin += 1) {
        const here = 1 + (shelf[bin] as number) * (gain - 1);
        for (const { re, im } of spectra) {
          re[bin] = (re[bin] as number) * here;
          im[bin] = (im[bin] as number) * here;
        }
      }
    },
  });
  return { ...stage, maxReductionDb: () => deepest };
}
