import { dbToGain } from '../../core/levels.ts';
import type { Stage } from '../../pcm/stage.ts';
import type { GainCurve } from './gain-curve.ts';

/**
 * Applies a gain curve, the same gain to all channels. The linear gain is interpolated between hops, so that no step is
 * audible; where it is 1 the samples are unchanged to the bit. Results do not depend on block size.
 */
export const rideGain = ({ gainsDb, hopSeconds }: GainCurve): Stage =>
  ride(hopSeconds, (hop) => dbToGain(gainsDb[Math.min(hop, gainsDb.length - 1)] ?? 0));

/** As `rideGain`, with the factor at the start of each hop. */
export function ride(hopSeconds: number, gainAt: (hop: number) => number): Stage {
  let rate = 1;
  let hop = 0;
  let position = 0;
  const startOf = (index: number): number => Math.round(index * hopSeconds * rate);
  return {
    latencyFrames: 0,
    open(format) {
      rate = format.sampleRate;
      hop = 0;
      position = 0;
      return format;
    },
    process(block, emit) {
      let at = 0;
      while (at < block.frames) {
        const start = startOf(hop);
        const end = startOf(hop + 1);
        const length = Math.min(block.frames - at, end - position);
        const from = gainAt(hop);
        const slope = (gainAt(hop + 1) - from) / (end - start);
        if (from !== 1 || slope !== 0) {
          const offset = position - start;
          for (const plane of block.planes)
            for (let i = 0; i < length; i += 1)
              plane[at + i] = (plane[at + i] as number) * (from + slope * (offset + i));
        }
        at += length;
        position += length;
        if (position === end) hop += 1;
      }
      emit(block);
    },
    flush: () => undefined,
    close: () => undefined,
  };
}

/** Does the curve change nothing? */
export const rideGainIsFlat = ({ gainsDb }: GainCurve): boolean => gainsDb.every((gain) => gain === 0);
