import type { Stage } from '../../pcm/stage.ts';
import { createSampleWindow, type SampleWindow } from '../denoise/suppressor/sample-window.ts';
import { createDecimator, type Decimator } from './decimate.ts';
import type { HumReading } from './hum.ts';
import { estimateHum } from './hum-estimate.ts';
import { createInterpolator, interpolatorReach } from './interpolate.ts';

/** Sample rate of the estimate, Hz; harmonics up to 2.5 kHz are removed. */
const estimateHz = 6000;
/** Length of a segment, and context on either side of it, s. */
const segmentSeconds = 16;
const contextSeconds = 3;
/** Crossfade between the estimates of two segments, s. */
const fadeSeconds = 1;
/**
 * Subtracts mains hum from channels that have it, line by line: the phase is tracked, and each line's amplitude is read
 * where nothing else sounds near it. The output is in step with the input and equally long.
 * @param channels see `meterHum`
 */
export function removeHum(channels: readonly (HumReading | null)[]): Stage {
  let decimator: Decimator = createDecimator(1);
  let interpolate = createInterpolator(1);
  let held: SampleWindow = createSampleWindow(0);
  let rate = 0;
  let [segment, context, fade] = [0, 0, 0];
  let done = 0;
  /** The end of the last segment's estimate, which fades into the next one's. */
  let before: (Float32Array | null)[] = [];

  /** The hum of frames [done, to + fade) of a channel. */
  const humOf = (channel: number, { hz }: HumReading, to: number, last: number): Float32Array => {
    const { factor, reach } = decimator;
    const slack = interpolatorReach * factor;
    // On the grid of the lower rate, so that the estimate is in step.
    const from = Math.max(0, done - context);
    const until = Math.min(last, to + fade + context);
    const plane = held.read(channel, from - reach, until + reach + factor);
    for (let i = 0; i < plane.length; i += 1) if (!(Math.abs(plane[i] as number) < 1e6)) plane[i] = 0;
    const slow = decimator.run(plane);
    const hum = estimateHum(slow, rate / factor, hz);
    const padded = new Float32Array(hum.length + 2 * interpolatorReach);
    padded.set(hum, interpolatorReach);
    return interpolate(padded).subarray(done - from, Math.min(until, to + fade) - from + slack);
  };

  const run = (last: number, emit: (planes: Float32Array[], frames: number) => void): number => {
    const to = Math.min(last, done + segment);
    const frames = to - done;
    const planes = Array.from(channels, (reading, channel) => {
      const plane = held.read(channel, done, to);
      if (!reading) return plane;
      const hum = humOf(channel, reading, to, last);
      const old = before[channel];
      for (let i = 0; i < frames; i += 1) {
        const share = old && i < fade ? (i + 0.5) / fade : 1;
        const here = share * (hum[i] ?? 0) + (share < 1 ? (1 - share) * (old?.[i] ?? 0) : 0);
        plane[i] = (plane[i] as number) - here;
      }
      before[channel] = hum.slice(frames, frames + fade);
      return plane;
    });
    done = to;
    held.discard(Math.max(0, done - context) - decimator.reach);
    emit(planes, frames);
    return to;
  };

  return {
    latencyFrames: 0,
    open(format) {
      rate = format.sampleRate;
      const factor = Math.max(1, Math.round(rate / estimateHz));
      decimator = createDecimator(factor);
      interpolate = createInterpolator(factor);
      held = createSampleWindow(format.channels);
      const whole = (seconds: number): number => Math.round((seconds * rate) / factor) * factor;
      [segment, context, fade] = [whole(segmentSeconds), whole(contextSeconds), whole(fadeSeconds)];
      before = channels.map(() => null);
      return format;
    },
    process({ planes, frames }, emit) {
      held.append(planes, frames);
      // The last segment may be half as long again: a short one would give a poor estimate.
      while (held.end >= done + 2 * segment + fade + context)
        run(Number.POSITIVE_INFINITY, (out, count) => emit({ planes: out, frames: count }));
    },
    flush(emit) {
      const last = held.end;
      for (let at = done; at < last;) at = run(last, (out, count) => emit({ planes: out, frames: count }));
    },
    close: () => undefined,
  };
}
