import { gainToDb } from '../../core/levels.ts';
import { createLimiter, type Limiter } from '../../kernels/limiter.ts';
import type { Analyser } from '../../pcm/stage.ts';
import { slidingMin } from '../series/sliding.ts';
import type { GainCurve } from '../gain/gain-curve.ts';

/** Finer than the limiter's fall within 5 ms. */
const hopSeconds = 0.002;
/** Softer samples than this do not tell the gain that they were given. */
const least = 1e-3;
/** What an encoder's own delay may be off in formats that do not store it. */
const besideSeconds = 0.006;

/** What a limiter would take from the sound that passes, which stays as it is: dB, 0 or less, by hop. */
export function meterReductions(ceilingDbtp: number): Analyser<GainCurve> {
  let limiter: Limiter | null = null;
  let latency = 0;
  let framesPerHop = 1;
  /** By channel: what the limiter has taken in and not yet given out. */
  let held: Float32Array[] = [];
  let frame = 0;
  const gains: number[] = [];
  const take = (planes: readonly Float32Array[], frames: number): void => {
    const limited = planes.map((plane) => plane.slice(0, frames));
    limiter?.process(limited, limited, frames);
    const given = planes.map((plane, channel) => {
      const all = new Float32Array(latency + frames);
      all.set(held[channel] as Float32Array);
      all.set(plane.subarray(0, frames), latency);
      return all;
    });
    for (const [channel, after] of limited.entries()) {
      const before = given[channel] as Float32Array;
      for (let at = Math.max(0, latency - frame); at < frames; at += 1) {
        const [x, y] = [Math.abs(before[at] as number), Math.abs(after[at] as number)];
        if (y >= x || x < least) continue;
        const hop = Math.floor((frame + at - latency) / framesPerHop);
        while (gains.length <= hop) gains.push(1);
        gains[hop] = Math.min(gains[hop] as number, y / x);
      }
    }
    held = given.map((all) => all.slice(frames));
    frame += frames;
  };
  return {
    latencyFrames: 0,
    open(format) {
      limiter = createLimiter({ sampleRate: format.sampleRate, channels: format.channels, ceilingDbtp });
      latency = limiter.latencyFrames;
      framesPerHop = hopSeconds * format.sampleRate;
      held = Array.from({ length: format.channels }, () => new Float32Array(latency));
      return format;
    },
    process(block, emit) {
      take(block.planes, block.frames);
      emit(block);
    },
    flush() {
      take(
        held.map(() => new Float32Array(latency)),
        latency,
      );
    },
    close() {
      limiter = null;
    },
    result() {
      const found = Float32Array.from({ length: gains.length + 1 }, (_, hop) => gainToDb(gains[hop] ?? 1));
      return { hopSeconds, gainsDb: slidingMin(found, Math.round(besideSeconds / hopSeconds), found) };
    },
  };
}
