import { createSampleWindow } from '../suppressor/sample-window.ts';
import { suppressorRate } from '../suppressor/suppressor.ts';

/** 10 ms. */
export const hopFrames = 480;
export const hopsPerSecond = suppressorRate / hopFrames;

/** Analysis runs at 8 kHz: enough for voices, at a sixth of the cost. */
const earFactor = 6;
const earRate = suppressorRate / earFactor;
const earHop = hopFrames / earFactor;
/** Removes rumble: two poles, -6 dB at 150 Hz. */
const share = 1 - Math.exp((-2 * Math.PI * 0.64 * 150) / earRate);

/** Mean square above 150 Hz, hop by hop; hop numbers are absolute. */
export interface PowerEar {
  /** Number of complete hops. */
  readonly end: number;
  power(from: number, to: number): Float32Array;
  push(plane: Float32Array, frames: number): void;
  discard(beforeHop: number): void;
}

function smoothed(raw: Float32Array): Float32Array {
  const out = new Float32Array(Math.max(0, raw.length - 2));
  for (let i = 0; i < out.length; i += 1)
    out[i] = 0.25 * (raw[i] as number) + 0.5 * (raw[i + 1] as number) + 0.25 * (raw[i + 2] as number);
  return out;
}

/** NaN, infinite and absurd samples count as 0. */
export function createPowerEar(): PowerEar {
  const powers = createSampleWindow(1);
  const state = { sum: 0, count: 0, square: 0, heard: 0, first: 0, second: 0 };
  return {
    get end() {
      return powers.end;
    },
    power(from, to) {
      // A sound does not end between two hops: smoothed over 30 ms.
      return smoothed(powers.read(0, from - 1, to + 1));
    },
    push(plane, frames) {
      // Variables of this function: V8 makes an object of each number that it writes into an outer one.
      let { sum, count, square, heard, first, second } = state;
      const done = new Float32Array(Math.ceil((frames + count + heard * earFactor) / hopFrames));
      let got = 0;
      for (let i = 0; i < frames; i += 1) {
        const x = plane[i] as number;
        if (x < 1e6 && x > -1e6) sum += x;
        count += 1;
        if (count < earFactor) continue;
        let y = sum / earFactor;
        sum = 0;
        count = 0;
        first += share * (y - first);
        y -= first;
        second += share * (y - second);
        y -= second;
        square += y * y;
        heard += 1;
        if (heard < earHop) continue;
        done[got] = square / earHop;
        got += 1;
        square = 0;
        heard = 0;
        if (Math.abs(first) < 1e-30) first = 0;
        if (Math.abs(second) < 1e-30) second = 0;
      }
      Object.assign(state, { sum, count, square, heard, first, second });
      powers.append([done], got);
    },
    discard: (beforeHop) => powers.discard(beforeHop - 1),
  };
}
