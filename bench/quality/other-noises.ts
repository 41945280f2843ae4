// A second family of noises, for judging what was set on the first (mixtures.ts, passages.ts): machines with a beat or
// a whine, weather, an office.
import { rate } from './mixtures.ts';
import { seeded } from './voice-cases.ts';

export const tau = 2 * Math.PI;
export const make = (frames: number, value: (i: number) => number): Float32Array =>
  Float32Array.from({ length: frames }, (_, i) => value(i));

export function white(frames: number, seed: number): Float32Array {
  const random = seeded(seed);
  return make(frames, () => 2 * random() - 1);
}

export function dull(plane: Float32Array, share: number): Float32Array {
  let y = 0;
  return plane.map((x) => (y += share * (x - y)));
}

/** Sounds at given moments, each `value` of the frame since. */
export function struck(
  frames: number,
  moments: readonly number[],
  length: number,
  value: (i: number, n: number) => number,
): Float32Array {
  const out = new Float32Array(frames);
  for (const [n, at] of moments.entries())
    for (let i = 0, from = Math.round(at * rate); i < length && from + i < frames; i += 1)
      out[from + i] = (out[from + i] as number) + value(i, n);
  return out;
}

/** Moments from 0 on, each so long after the one before. */
export function moments(frames: number, gap: (n: number) => number): number[] {
  const out: number[] = [];
  for (let at = 0.05; at < frames / rate; at += gap(out.length)) out.push(at);
  return out;
}

export const added = (a: Float32Array, b: Float32Array): Float32Array => a.map((x, i) => x + (b[i] as number));

export const otherNoises: Readonly<Record<string, (frames: number) => Float32Array>> = {
  'train on joints': (frames) => {
    const random = seeded(61);
    const wheels = struck(
      frames,
      moments(frames, (n) => (n % 2 === 0 ? 0.16 : 0.62)),
      6000,
      (i) => (random() - 0.5) * Math.exp(-i / 1200),
    );
    return added(
      dull(white(frames, 62), 0.05).map((x) => 0.5 * x),
      dull(wheels, 0.08).map((x) => 6 * x),
    );
  },
  'vacuum cleaner': (frames) =>
    dull(white(frames, 63), 0.2).map(
      (x, i) =>
        x +
        0.3 * Math.sin((tau * 312 * i) / rate) +
        0.2 * Math.sin((tau * 624 * i) / rate) +
        0.15 * Math.sin((tau * 3744 * i) / rate),
    ),
  'washing machine': (frames) =>
    dull(white(frames, 64), 0.03).map(
      (x, i) => x * (1 + 0.8 * Math.sin((tau * 0.9 * i) / rate)) + 0.02 * Math.sin((tau * 100 * i) / rate),
    ),
  alarm: (frames) =>
    white(frames, 65).map((x, i) => 0.02 * x + ((i / rate) % 1 < 0.5 ? Math.sin((tau * 960 * i) / rate) : 0)),
  drill: (frames) =>
    white(frames, 66).map((x, i) => {
      const phase = (290 * i) / rate - 19 * Math.cos((1.3 * i) / rate);
      let sum = 0.2 * x;
      for (let k = 1; k < 20; k += 1) sum += (0.5 * Math.sin(tau * k * phase)) / k;
      return sum * (Math.sin((0.9 * i) / rate) > -0.3 ? 1 : 0.02);
    }),
  keyboard: (frames) => {
    const random = seeded(67);
    return struck(
      frames,
      moments(frames, () => 0.12 + 0.08 * random() + (random() < 0.12 ? 0.7 * random() : 0)),
      4000,
      (i) =>
        (random() - 0.5) * (Math.exp(-i / 90) + 0.3 * Math.exp(-Math.abs(i - 3000) / 60)) +
        0.12 * Math.sin(i * 0.05) * Math.exp(-i / 700),
    );
  },
  rain: (frames) => {
    const random = seeded(68);
    const drops = Array.from({ length: Math.floor((frames / rate) * 900) }, () => ({
      hz: 0.1 + 0.5 * random(),
      strength: random() ** 3,
      at: (random() * frames) / rate,
    }));
    return struck(
      frames,
      drops.map(({ at }) => at),
      400,
      (i, n) => (drops[n]?.strength ?? 0) * Math.sin((drops[n]?.hz ?? 0) * i) * Math.exp(-i / 60),
    );
  },
  clock: (frames) => {
    const random = seeded(69);
    const ticks = struck(
      frames,
      moments(frames, () => 0.5),
      1200,
      (i, n) =>
        Math.sin((n % 2 === 0 ? 0.3 : 0.35) * i) * Math.exp(-i / 150) + 0.3 * (random() - 0.5) * Math.exp(-i / 60),
    );
    return added(
      ticks,
      white(frames, 70).map((x) => 0.004 * x),
    );
  },
  wind: (frames) => {
    const random = seeded(71);
    let [gust, aim] = [0.3, 0.3];
    return dull(white(frames, 72), 0.02).map((x, i) => {
      if (i % rate === 0) aim = 0.1 + random();
      gust += (aim - gust) / rate;
      return x * gust;
    });
  },
};
