import { dbToGain, powerToDb } from '../../core/levels.ts';
import type { AudioBlock } from '../../pcm/block.ts';
import type { Emit, Stage } from '../../pcm/stage.ts';
import { voiceRate } from './spectral-stage.ts';

/** Frames from one gain to the next. */
const hopFrames = 480;
/** Hops to either side for averaging the level. */
const reachHops = 10;
/**
 * Gain starts to fall this far above the speech's own level; the knee is twice as wide as the distance to its middle,
 * dB.
 */
const thresholdDb = 4;
const kneeDb = 6;
const ratio = 2;
const mostReductionDb = 6;

/** Gain for a level over the speech's own, dB. */
export function compressionDb(overDb: number): number {
  const over = overDb - thresholdDb;
  const slope = 1 - 1 / ratio;
  const wanted =
    over <= -kneeDb / 2 ? 0 : over < kneeDb / 2 ? (slope * (over + kneeDb / 2) ** 2) / (2 * kneeDb) : slope * over;
  return -Math.min(mostReductionDb, wanted);
}

/**
 * Gentle compression: two to one from 4 dB above the speech's own level on, knee of 6 dB, at most 6 dB. The level is
 * the mean square under a Hann window of 0.2 s centred on the moment (the future is known), so that syllables keep
 * their shape and the gain is in place when they start. One gain for all channels, interpolated between points 10 ms
 * apart. (Giannoulis, Massberg, Reiss, JAES 60, 2012, for curve and knee.)
 * @param activeDb mean square of the speech over the channels, dBFS
 */
export function compress(activeDb: number): Stage {
  const weights = Float64Array.from(
    { length: 2 * reachHops + 1 },
    (_, i) => 1 - Math.cos((2 * Math.PI * (i + 1)) / (2 * reachHops + 2)),
  );
  const weightSum = weights.reduce((sum, weight) => sum + weight, 0);
  const latencyFrames = (reachHops + 1) * hopFrames;
  let channels = 1;
  /**
   * Delayed sound, and the powers of the hops in the window: the first is of the hop `2 * reachHops` before the last.
   */
  let held: Float32Array[] = [];
  let filled = 0;
  let powers = new Float64Array(2 * reachHops + 1);
  let [gain, nextGain] = [1, 1];
  let first = true;

  const advance = (emit: Emit): void => {
    // A whole new hop is at the end of the buffer; the hop at its front is emitted.
    const newest = latencyFrames;
    let sum = 0;
    for (const plane of held)
      for (let i = newest; i < newest + hopFrames; i += 1) sum += (plane[i] as number) * (plane[i] as number);
    powers.copyWithin(0, 1);
    powers[2 * reachHops] = sum / (hopFrames * channels);
    let power = 0;
    for (const [i, weight] of weights.entries()) power += weight * (powers[i] as number);
    gain = nextGain;
    nextGain = dbToGain(compressionDb(powerToDb(power / weightSum + 1e-12) - activeDb));
    if (first) gain = nextGain;
    first = false;
    const step = (nextGain - gain) / hopFrames;
    const planes = held.map((plane) => {
      const out = plane.slice(0, hopFrames);
      for (let i = 0; i < hopFrames; i += 1) out[i] = (out[i] as number) * (gain + step * i);
      plane.copyWithin(0, hopFrames);
      return out;
    });
    filled -= hopFrames;
    emit({ planes, frames: hopFrames });
  };

  const take = ({ planes, frames }: AudioBlock, emit: Emit): void => {
    for (let at = 0; at < frames;) {
      const length = Math.min(frames - at, latencyFrames + hopFrames - filled);
      for (const [channel, plane] of held.entries()) {
        for (let i = 0; i < length; i += 1) {
          const sample = (planes[channel] as Float32Array)[at + i] as number;
          plane[filled + i] = Number.isFinite(sample) ? sample : 0;
        }
      }
      filled += length;
      at += length;
      if (filled === latencyFrames + hopFrames) advance(emit);
    }
  };

  return {
    latencyFrames,
    open(format) {
      if (format.sampleRate !== voiceRate)
        throw new TypeError(`Expected sound at ${voiceRate} Hz but received ${format.sampleRate}`);
      ({ channels } = format);
      held = Array.from({ length: channels }, () => new Float32Array(latencyFrames + hopFrames));
      filled = latencyFrames;
      powers = new Float64Array(2 * reachHops + 1);
      first = true;
      return format;
    },
    process: take,
    flush(emit) {
      // An incomplete hop is padded with silence, which is cut off again.
      const behind = filled - latencyFrames;
      let left = latencyFrames + behind;
      const frames = latencyFrames + hopFrames;
      take({ planes: held.map(() => new Float32Array(frames)), frames }, (block) => {
        const count = Math.min(left, block.frames);
        left -= count;
        if (count > 0) emit({ planes: block.planes.map((plane) => plane.subarray(0, count)), frames: count });
      });
    },
    close() {
      held = [];
    },
  };
}
