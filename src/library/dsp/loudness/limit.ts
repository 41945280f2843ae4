import { dbToGain } from '../../core/levels.ts';
import { createLimiter, type Limiter } from '../../kernels/limiter.ts';
import { applyGain } from '../../kernels/ops.ts';
import type { AudioBlock } from '../../pcm/block.ts';
import type { Stage } from '../../pcm/stage.ts';

export interface LimitOptions {
  /** Gain before the limiter, dB. Default 0. */
  readonly gainDb?: number;
  /** Greatest true peak of the output, dBTP. */
  readonly ceilingDbtp: number;
}

/**
 * One gain, then a look-ahead true-peak limiter (see the limiter kernel). `maxReductionDb` is its greatest reduction.
 */
export function limit(options: LimitOptions): Stage & { maxReductionDb(): number } {
  let limiter: Limiter | null = null;
  let channels = 0;
  return {
    get latencyFrames() {
      return limiter?.latencyFrames ?? 0;
    },
    open(format) {
      limiter = createLimiter({
        sampleRate: format.sampleRate,
        channels: format.channels,
        ceilingDbtp: options.ceilingDbtp,
        gainDb: options.gainDb ?? 0,
      });
      channels = format.channels;
      return format;
    },
    process(block, emit) {
      limiter?.process(block.planes, block.planes, block.frames);
      emit(block);
    },
    flush(emit) {
      const frames = this.latencyFrames;
      if (!limiter || frames === 0) return;
      const rest: AudioBlock = { planes: Array.from({ length: channels }, () => new Float32Array(frames)), frames };
      limiter.process(rest.planes, rest.planes, frames);
      emit(rest);
    },
    close() {
      limiter = null;
    },
    maxReductionDb: () => limiter?.maxReductionDb() ?? 0,
  };
}

/** One gain, dB. */
export function amplify(gainDb: number): Stage {
  const gain = dbToGain(gainDb);
  return {
    latencyFrames: 0,
    open: (format) => format,
    process(block, emit) {
      applyGain(block.planes, gain, block.frames);
      emit(block);
    },
    flush: () => undefined,
    close: () => undefined,
  };
}
