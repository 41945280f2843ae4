/** Hops per second, about: a quarter of a millisecond each. */
export const hopsPerSecond = 4000;
/** Clicks are looked for above this, Hz, where a voice has little; at low rates above this share of the rate. */
const highHz = 3000;
const highShare = 1 / 6;
/** A voice is looked for above this, Hz: below are hum, rumble and the breath of plosives. */
const middleHz = 300;

export interface HopLevels {
  readonly hopFrames: number;
  push(plane: Float32Array, frames: number): void;
}

/** Of a high-pass of the first order. */
const poleOf = (hz: number, sampleRate: number): number => Math.exp((-2 * Math.PI * hz) / sampleRate);

/**
 * Mean power of each hop of a stream, in the highs and without the lows.
 * @param take called for each whole hop
 */
export function createHopLevels(sampleRate: number, take: (high: number, middle: number) => void): HopLevels {
  const hopFrames = Math.max(1, Math.round(sampleRate / hopsPerSecond));
  const high = poleOf(Math.min(highHz, sampleRate * highShare), sampleRate);
  const middle = poleOf(middleHz, sampleRate);
  /** Of the four filters, then the sums of the hop. */
  const state = new Float64Array(6);
  let count = 0;
  return {
    hopFrames,
    push(plane, frames) {
      // One by one: where they come from an array that is taken apart, the loop is five times slower.
      let high1 = state[0] as number;
      let high2 = state[1] as number;
      let middle1 = state[2] as number;
      let middle2 = state[3] as number;
      let highSum = state[4] as number;
      let middleSum = state[5] as number;
      for (let i = 0; i < frames;) {
        const end = Math.min(frames, i + hopFrames - count);
        count += end - i;
        for (; i < end; i += 1) {
          const sample = plane[i] as number;
          // Broken samples count as 0.
          const x = sample < 1e6 && sample > -1e6 ? sample : 0;
          high1 = high * high1 + (1 - high) * x;
          const highOnce = x - high1;
          high2 = high * high2 + (1 - high) * highOnce;
          highSum += (highOnce - high2) * (highOnce - high2);
          middle1 = middle * middle1 + (1 - middle) * x;
          const middleOnce = x - middle1;
          middle2 = middle * middle2 + (1 - middle) * middleOnce;
          middleSum += (middleOnce - middle2) * (middleOnce - middle2);
        }
        if (count < hopFrames) break;
        take(highSum / hopFrames + 1e-12, middleSum / hopFrames + 1e-12);
        highSum = 0;
        middleSum = 0;
        count = 0;
      }
      state[0] = high1;
      state[1] = high2;
      state[2] = middle1;
      state[3] = middle2;
      state[4] = highSum;
      state[5] = middleSum;
    },
  };
}
