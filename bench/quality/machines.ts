// A third family of noises: machines, bells and small things whose strokes and tones may be taken for music.
// node bench/quality/run.ts --passages
import { rate } from './mixtures.ts';
import { added, dull, make, moments, struck, tau, white } from './other-noises.ts';
import { seeded } from './voice-cases.ts';

/** Harmonics of a pitch that moves: `hz` of each moment, `partials` of 1/k. */
function revolving(frames: number, partials: number, hz: (seconds: number) => number, rough = 0): Float32Array {
  const random = seeded(80);
  let phase = 0;
  return make(frames, (i) => {
    phase += hz(i / rate) / rate;
    let sum = rough * (random() - 0.5);
    for (let k = 1; k <= partials; k += 1) sum += Math.sin(tau * k * phase + k * k) / k;
    return sum;
  });
}

export const machines: Readonly<Record<string, (frames: number) => Float32Array>> = {
  'circular saw': (frames) => {
    // It slows down in the wood.
    const load = (t: number): number => Math.min(1, Math.max(0, 2 * Math.sin(1.1 * t)));
    return revolving(frames, 14, (t) => 480 - 90 * load(t), 2);
  },
  'cordless screwdriver': (frames) =>
    revolving(frames, 18, (t) => 90 + 520 * Math.min(1, (t % 2.3) / 0.4), 0.6).map((x, i) =>
      (i / rate) % 2.3 < 1.6 ? x : 0.01 * x,
    ),
  motorcycle: (frames) => revolving(frames, 30, (t) => 60 + 70 * Math.abs(Math.sin(0.7 * t)) ** 3, 1),
  siren: (frames) => revolving(frames, 6, (t) => 900 + 450 * Math.sin(0.5 * tau * t), 0.05),
  'reversing lorry': (frames) =>
    white(frames, 81).map((x, i) => 0.1 * x + ((i / rate) % 1.1 < 0.55 ? Math.sin((tau * 1250 * i) / rate) : 0)),
  telephone: (frames) =>
    white(frames, 82).map(
      (x, i) =>
        0.02 * x +
        ((i / rate) % 4 < 1.5
          ? Math.sin((tau * 1350 * i) / rate) * (0.5 + 0.5 * Math.sign(Math.sin((tau * 20 * i) / rate)))
          : 0),
    ),
  'grandfather clock': (frames) => {
    const random = seeded(83);
    const swings = struck(
      frames,
      moments(frames, (n) => (n % 2 === 0 ? 0.97 : 1.03)),
      2400,
      (i, n) =>
        Math.sin((n % 2 === 0 ? 0.16 : 0.21) * i) * Math.exp(-i / 400) +
        0.5 * Math.sin((n % 2 === 0 ? 0.41 : 0.37) * i) * Math.exp(-i / 120) +
        0.4 * (random() - 0.5) * Math.exp(-i / 40),
    );
    return added(
      swings,
      white(frames, 84).map((x) => 0.003 * x),
    );
  },
  'turn signal': (frames) => {
    const random = seeded(85);
    const relay = struck(
      frames,
      moments(frames, (n) => (n % 2 === 0 ? 0.36 : 0.34)),
      900,
      (i, n) =>
        (n % 2 === 0 ? 1 : 0.6) *
        (Math.sin((n % 2 === 0 ? 0.24 : 0.31) * i) * Math.exp(-i / 90) + 0.6 * (random() - 0.5) * Math.exp(-i / 30)),
    );
    return added(
      relay,
      dull(white(frames, 86), 0.03).map((x) => 0.4 * x),
    );
  },
  'dripping tap': (frames) => {
    const random = seeded(87);
    const drops = moments(frames, () => 0.55 + 0.12 * random()).map((at) => ({ at, hz: 0.09 + 0.05 * random() }));
    return added(
      struck(
        frames,
        drops.map(({ at }) => at),
        3000,
        (i, n) => Math.sin((drops[n]?.hz ?? 0.1) * i * (1 + i / 9000)) * Math.exp(-i / 500),
      ),
      white(frames, 88).map((x) => 0.003 * x),
    );
  },
  hammering: (frames) => {
    const random = seeded(89);
    const blows = moments(frames, (n) => (n % 7 === 6 ? 1.5 : 0.42 + 0.05 * random()));
    return added(
      struck(
        frames,
        blows,
        7000,
        (i, n) =>
          (0.7 + (0.3 * ((n * 7) % 5)) / 5) *
          ((random() - 0.5) * Math.exp(-i / 250) +
            0.4 * Math.sin(0.105 * i) * Math.exp(-i / 1500) +
            0.2 * Math.sin(0.274 * i) * Math.exp(-i / 900)),
      ),
      white(frames, 90).map((x) => 0.004 * x),
    );
  },
  'sewing machine': (frames) => {
    const random = seeded(91);
    const stitches = struck(
      frames,
      moments(frames, (n) => 0.075 + 0.03 * Math.sin(0.02 * n)),
      2500,
      (i) => (random() - 0.5) * Math.exp(-i / 200) + 0.3 * Math.sin(0.06 * i) * Math.exp(-i / 600),
    );
    return added(
      stitches,
      revolving(frames, 8, () => 210, 0.2).map((x) => 0.1 * x),
    );
  },
  'train on sleepers': (frames) => {
    const random = seeded(92);
    const wheels = struck(
      frames,
      moments(frames, (n) => [0.11, 0.24, 0.11, 0.74][n % 4] ?? 0.74),
      7000,
      (i, n) => (n % 4 < 2 ? 1 : 0.7) * (random() - 0.5) * Math.exp(-i / 1500) * (1 + Math.sin(0.02 * i)),
    );
    return added(
      dull(white(frames, 93), 0.04).map((x) => 0.5 * x),
      dull(wheels, 0.1).map((x) => 5 * x),
    );
  },
  footsteps: (frames) => {
    const random = seeded(94);
    return added(
      struck(
        frames,
        moments(frames, () => 0.52 + 0.03 * random()),
        5000,
        (i, n) =>
          dullStep(i, n % 2) * (0.8 + (0.4 * ((n * 13) % 7)) / 7) +
          0.5 * (random() - 0.5) * Math.exp(-Math.abs(i - 2600) / 300),
      ),
      white(frames, 95).map((x) => 0.004 * x),
    );
  },
  crickets: (frames) =>
    white(frames, 96).map(
      (x, i) =>
        0.05 * x + ((i / rate) % 0.62 < 0.28 && (i / rate) % 0.04 < 0.022 ? Math.sin((tau * 3400 * i) / rate) : 0),
    ),
  helicopter: (frames) =>
    dull(white(frames, 97), 0.06).map((x, i) => {
      const blade = (i / rate) % 0.085;
      return x * (0.2 + 2 * Math.exp(-blade / 0.012)) + 0.05 * Math.sin((tau * 620 * i) / rate);
    }),
  printer: (frames) => {
    const random = seeded(98);
    const lines = struck(
      frames,
      moments(frames, (n) => (n % 20 === 19 ? 0.5 : 0.045)),
      1600,
      (i, n) => (0.6 + (0.4 * ((n * 11) % 6)) / 6) * (random() - 0.5) * Math.exp(-i / 150),
    );
    return added(
      lines,
      revolving(frames, 10, (t) => (t % 1.4 < 0.9 ? 180 : 260), 0.2).map((x) => 0.06 * x),
    );
  },
};

const dullStep = (i: number, foot: number): number => Math.sin((0.011 + 0.002 * foot) * i) * Math.exp(-i / 700);
