import type { Stage } from '../../pcm/stage.ts';

/** Second-order Butterworth by the bilinear transform (Bristow-Johnson, Audio EQ Cookbook, Q = 1/sqrt 2). */
function coefficients(
  cutoffHz: number,
  sampleRate: number,
): { b0: number; b1: number; b2: number; a1: number; a2: number } {
  const w = (2 * Math.PI * Math.min(cutoffHz, 0.45 * sampleRate)) / sampleRate;
  const alpha = Math.sin(w) * Math.SQRT1_2;
  const a0 = 1 + alpha;
  const cos = Math.cos(w);
  return {
    b0: (1 + cos) / 2 / a0,
    b1: -(1 + cos) / a0,
    b2: (1 + cos) / 2 / a0,
    a1: (-2 * cos) / a0,
    a2: (1 - alpha) / a0,
  };
}

/**
 * Removes rumble from a copy of the sound: 12 dB per octave below the cut-off. Not linear in phase: for measurement
 * only.
 */
export function highPassForMeasuring(cutoffHz: number): Stage {
  let filter = coefficients(cutoffHz, 48_000);
  let state: { x1: number; x2: number; y1: number; y2: number }[] = [];
  /** Reused: a new megabyte per second of sound would be too much garbage. */
  let buffers: Float32Array[] = [];
  return {
    latencyFrames: 0,
    open(format) {
      filter = coefficients(cutoffHz, format.sampleRate);
      state = Array.from({ length: format.channels }, () => ({ x1: 0, x2: 0, y1: 0, y2: 0 }));
      return format;
    },
    process(block, emit) {
      const { b0, b1, b2, a1, a2 } = filter;
      const planes = block.planes.map((plane, channel) => {
        const memory = state[channel] as (typeof state)[number];
        let { x1, x2, y1, y2 } = memory;
        const buffer = buffers[channel];
        const whole =
          buffer && buffer.length >= block.frames ? buffer : (buffers[channel] = new Float32Array(block.frames));
        const out = whole.subarray(0, block.frames);
        for (let frame = 0; frame < block.frames; frame += 1) {
          const sample = plane[frame] as number;
          // A NaN would stay in the filter forever.
          const x = Number.isFinite(sample) ? sample : 0;
          const y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2;
          x2 = x1;
          x1 = x;
          y2 = y1;
          y1 = y;
          out[frame] = y;
        }
        Object.assign(memory, { x1, x2, y1, y2 });
        return out;
      });
      emit({ planes, frames: block.frames });
    },
    flush: () => undefined,
    close() {
      buffers = [];
    },
  };
}
