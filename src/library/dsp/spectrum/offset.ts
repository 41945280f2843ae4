import { dbToGain } from '../../core/levels.ts';
import type { Analyser, Stage } from '../../pcm/stage.ts';

/** A smaller offset, as a share of the greatest sample, takes less than 0.5 dB of the room of the peaks. */
const leastShareOfPeak = 0.05;
/** With an offset goes what drifts more slowly than this: no one hears it, Hz. */
const slowestHz = 5;
/** NaN and absurd samples count as 0, as in every kernel. */
const valid = (x: number): number => (x < 4294967296 && x > -4294967296 ? x : 0);

/** Measures the mean of each channel: the constant offset of a faulty converter or a circuit without a capacitor. */
export function meterOffset(): Analyser<readonly number[]> {
  let sums: number[] = [];
  let frames = 0;
  return {
    latencyFrames: 0,
    open(format) {
      sums = Array.from({ length: format.channels }, () => 0);
      frames = 0;
      return format;
    },
    process(block, emit) {
      for (const [channel, plane] of block.planes.entries()) {
        let sum = sums[channel] ?? 0;
        for (let i = 0; i < block.frames; i += 1) sum += valid(plane[i] as number);
        sums[channel] = sum;
      }
      frames += block.frames;
      emit(block);
    },
    flush: () => undefined,
    close: () => undefined,
    result: () => sums.map((sum) => sum / Math.max(1, frames)),
  };
}

/** Is one of the offsets worth removing? @param samplePeakDbfs of the same sound */
export const hasOffset = (offsets: readonly number[], samplePeakDbfs: number): boolean =>
  offsets.some((offset) => Math.abs(offset) > leastShareOfPeak * dbToGain(samplePeakDbfs));

/**
 * Removes an offset and what is below 5 Hz: one pole, which starts at the offset so that the beginning has no step.
 * @param offsets of each channel, full scale 1
 */
export function removeOffset(offsets: readonly number[]): Stage {
  let slow: number[] = [];
  let share = 0;
  return {
    latencyFrames: 0,
    open(format) {
      slow = Array.from({ length: format.channels }, (_, channel) => offsets[channel] ?? 0);
      share = 1 - Math.exp((-2 * Math.PI * slowestHz) / format.sampleRate);
      return format;
    },
    process(block, emit) {
      for (const [channel, plane] of block.planes.entries()) {
        let mean = slow[channel] ?? 0;
        for (let i = 0; i < block.frames; i += 1) {
          const x = valid(plane[i] as number);
          mean += share * (x - mean);
          plane[i] = x - mean;
        }
        slow[channel] = mean;
      }
      emit(block);
    },
    flush: () => undefined,
    close: () => undefined,
  };
}
