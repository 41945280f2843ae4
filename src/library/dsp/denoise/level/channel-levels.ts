import type { Analyser } from '../../../pcm/stage.ts';

/** Mean square of each channel for each second, without frequencies below voices. */
export interface ChannelLevels {
  readonly perChannel: readonly Float32Array[];
}

/** Rumble says nothing about the loudness of a voice: two poles, -6 dB here. */
const cutoffHz = 150;

/**
 * Measures the input of `levellingCurve` in a first pass over a recording. Memory: 4 bytes per second and channel. NaN,
 * infinite and absurd samples count as 0.
 */
export function meterChannelLevels(): Analyser<ChannelLevels> {
  let seconds: number[][] = [];
  let memory: { first: number; second: number; sum: number }[] = [];
  let [rate, share, filled] = [1, 0, 0];
  const close = (): void => {
    for (const [channel, state] of memory.entries()) {
      seconds[channel]?.push(state.sum / Math.max(1, filled));
      state.sum = 0;
    }
    filled = 0;
  };
  return {
    latencyFrames: 0,
    open(format) {
      rate = format.sampleRate;
      share = 1 - Math.exp((-2 * Math.PI * 0.64 * cutoffHz) / rate);
      seconds = Array.from({ length: format.channels }, () => []);
      memory = seconds.map(() => ({ first: 0, second: 0, sum: 0 }));
      return format;
    },
    process(block, emit) {
      for (let at = 0; at < block.frames;) {
        const end = Math.min(block.frames, at + rate - filled);
        for (const [channel, state] of memory.entries()) {
          const plane = block.planes[channel] as Float32Array;
          let { first, second, sum } = state;
          for (let i = at; i < end; i += 1) {
            let x = plane[i] as number;
            if (!(x < 1e6 && x > -1e6)) x = 0;
            first += share * (x - first);
            x -= first;
            second += share * (x - second);
            x -= second;
            sum += x * x;
          }
          state.first = Math.abs(first) < 1e-30 ? 0 : first;
          state.second = Math.abs(second) < 1e-30 ? 0 : second;
          state.sum = sum;
        }
        filled += end - at;
        at = end;
        if (filled === rate) close();
      }
      emit(block);
    },
    flush() {
      if (filled > 0) close();
    },
    close: () => undefined,
    result: () => ({ perChannel: seconds.map((values) => Float32Array.from(values)) }),
  };
}
