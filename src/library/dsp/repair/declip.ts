import { createDeclip, type Declip } from '../../kernels/declip.ts';
import type { Emit, Stage } from '../../pcm/stage.ts';
import { createSampleWindow, type SampleWindow } from '../denoise/suppressor/sample-window.ts';
import type { ClippedLevels } from './clipping.ts';

/** Frame length: about as long as voice and music stay stationary, as a power of two. */
const frameSeconds = 0.043;
const mostFrame = 8192;
/** Frames overlap by three quarters. */
const hopsPerFrame = 4;
/** Frames per kernel call: under a tenth of a second of work. */
const batch = 16;
/** Upper bound; frames converge after 30 to 70 rounds. */
const mostRounds = 300;
/** The kernel needs finite levels. */
const never = 1e9;

/** One channel's restored samples, from the frame `from` on. */
interface Restored {
  /** Sums of the windowed estimates, and of their weights. */
  readonly sum: Float32Array;
  readonly weight: Float32Array;
}

/** The hops of a stretch that have clipped samples. */
function clippedHops(plane: Float32Array, hop: number, { lowest, highest }: ClippedLevels): Uint8Array {
  const hops = new Uint8Array(plane.length / hop);
  for (let i = 0; i < plane.length; i += 1) {
    const x = plane[i] as number;
    if (x >= highest || x <= lowest) hops[Math.floor(i / hop)] = 1;
  }
  return hops;
}

/**
 * Restores clipped samples (see kernels/declip.ts); all others stay as they are. Restored peaks may exceed full scale.
 * The output is in step with the input and equally long.
 * @param channels see `meterClipping`
 */
export function declip(channels: readonly (ClippedLevels | null)[]): Stage {
  let [frame, hop] = [0, 0];
  let kernel: Declip | null = null;
  let held: SampleWindow = createSampleWindow(0);
  let weights = new Float32Array();
  let restored: (Restored | null)[] = [];
  /** Output frames so far; the next batch's first frame begins `frame - hop` before it. */
  let done = 0;

  const restore = (channel: number, levels: ClippedLevels, { sum, weight }: Restored): void => {
    const start = done - (frame - hop);
    const plane = held.read(channel, start, start + (batch - 1) * hop + frame);
    const hops = clippedHops(plane, hop, levels);
    const active: number[] = [];
    for (let n = 0; n < batch; n += 1) if (hops.subarray(n, n + hopsPerFrame).includes(1)) active.push(n);
    if (active.length === 0) return;
    const frames = new Float32Array(active.length * frame);
    for (const [place, n] of active.entries()) frames.set(plane.subarray(n * hop, n * hop + frame), place * frame);
    const out = new Float32Array(frames.length);
    const limits = { lowest: Math.max(-never, levels.lowest), highest: Math.min(never, levels.highest) };
    kernel?.restore(frames, active.length, limits, mostRounds, out);
    for (const [place, n] of active.entries()) {
      for (let i = 0; i < frame; i += 1) {
        const window = weights[i] as number;
        sum[n * hop + i] = (sum[n * hop + i] as number) + window * (out[place * frame + i] as number);
        weight[n * hop + i] = (weight[n * hop + i] as number) + window * window;
      }
    }
  };

  /** Outputs the samples that no later frame covers, and shifts the sums. */
  const take = (channel: number, count: number): Float32Array<ArrayBuffer> => {
    const from = done - (frame - hop);
    const plane = held.read(channel, from, from + count);
    const [levels, parts] = [channels[channel] ?? null, restored[channel] ?? null];
    if (!levels || !parts) return plane;
    for (let i = 0; i < count; i += 1) {
      const x = plane[i] as number;
      const weight = parts.weight[i] as number;
      if ((x >= levels.highest || x <= levels.lowest) && weight > 0) plane[i] = (parts.sum[i] as number) / weight;
    }
    for (const values of [parts.sum, parts.weight]) {
      values.copyWithin(0, count);
      values.fill(0, values.length - count);
    }
    return plane;
  };

  /** Processes one batch; returns where the next output begins. */
  const run = (last: number | null, emit: Emit): number => {
    for (const [channel, levels] of channels.entries()) {
      const parts = restored[channel];
      if (levels && parts) restore(channel, levels, parts);
    }
    const count = batch * hop;
    const from = done - (frame - hop);
    const skip = Math.max(0, -from);
    const planes = Array.from(channels, (_, channel) => take(channel, count));
    const to = Math.min(count, (last ?? Number.POSITIVE_INFINITY) - from);
    done += count;
    held.discard(done - (frame - hop));
    if (to > skip) emit({ planes: planes.map((plane) => plane.subarray(skip, to)), frames: to - skip });
    return from + count;
  };

  return {
    latencyFrames: 0,
    open(format) {
      frame = Math.min(mostFrame, 2 ** Math.round(Math.log2(frameSeconds * format.sampleRate)));
      hop = frame / hopsPerFrame;
      kernel = createDeclip(frame);
      held = createSampleWindow(format.channels);
      weights = Float32Array.from({ length: frame }, (_, i) => Math.sin((Math.PI * i) / frame));
      restored = channels.map((levels) =>
        levels
          ? {
              sum: new Float32Array((batch - 1) * hop + frame),
              weight: new Float32Array((batch - 1) * hop + frame),
            }
          : null,
      );
      return format;
    },
    process({ planes, frames }, emit) {
      held.append(planes, frames);
      while (held.end >= done + batch * hop) run(null, emit);
    },
    flush(emit) {
      const last = held.end;
      for (let at = done - (frame - hop); at < last;) at = run(last, emit);
    },
    close() {
      kernel = null;
    },
  };
}
