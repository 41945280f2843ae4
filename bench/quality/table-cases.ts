// The sets of the table: a clean voice, and the same spoilt in the ways that recordings are. The same bytes every time.
import { birdsong } from '../../test/fixtures/sounds/birds.ts';
import { pieces } from '../../test/fixtures/sounds/music.ts';
import { machines } from './machines.ts';
import { mix, noises, rate } from './mixtures.ts';
import { otherNoises, struck, tau } from './other-noises.ts';
import { clippedTo, hummed } from './repair-cases.ts';
import { convolve, resampled, room, seeded, telephone } from './voice-cases.ts';

type Noise = (frames: number) => Float32Array;
type Change = (voice: Float32Array) => Float32Array;

/** One spoilt recording, and the rows of the table that it counts in. */
export interface TableCase {
  readonly rows: readonly string[];
  readonly of: Change;
}

const given = (from: Readonly<Record<string, Noise>>, name: string): Noise => {
  const noise = from[name];
  if (!noise) throw new Error(`Expected a noise ${name}`);
  return noise;
};

/** A dog: two or three barks, then a while of nothing; harmonics that fall, in a rough throat. */
export function barks(frames: number): Float32Array {
  const random = seeded(64);
  const times: number[] = [];
  for (let at = 0.3; at < frames / rate; at += 1.1 + 1.2 * random())
    for (let n = 0; n < 2 + Math.round(random()); n += 1) times.push(at + 0.33 * n);
  const pitches = times.map(() => 380 + 180 * random());
  return struck(frames, times, 0.2 * rate, (i, n) => {
    const t = i / rate;
    const phase = tau * ((pitches[n] ?? 0) * (t - 1.2 * t * t));
    let sum = 0.4 * (random() - 0.5);
    for (let k = 1; k <= 14; k += 1) sum += Math.sin(k * phase) * Math.exp(-(((k - 3) / 4) ** 2));
    return sum * Math.min(1, t / 0.015) * Math.exp(-t / 0.06);
  });
}

/** Eight kinds of noise: even ones, people, weather, a machine, bangs, animals. */
const kinds: Readonly<Record<string, Noise>> = {
  pink: given(noises, 'pink'),
  babble: given(noises, 'babble'),
  recorded: given(noises, 'recorded'),
  rain: given(otherNoises, 'rain'),
  'vacuum cleaner': given(otherNoises, 'vacuum cleaner'),
  hammering: given(machines, 'hammering'),
  barks,
  birds: (frames) => birdsong(frames, rate),
};

const snrsDb = [0, 5, 10, 15, 20] as const;
/** In `--quick` each kind at this one, and pink noise at the others. */
const quickSnrDb = 5;
const [humDb, clippedDb, musicDb, quietDbfs] = [5, 10, 10, -45] as const;
/** Speech from 1.5 m: about as much direct sound as reflections. */
const directToReverberantDb = 0;

const decibels = (plane: Float32Array): number =>
  10 * Math.log10(plane.reduce((sum, x) => sum + x * x, 0) / plane.length);
const quiet: Change = (voice) => {
  const gain = 10 ** ((quietDbfs - decibels(voice)) / 20);
  return voice.map((x) => Math.round(x * gain * 32_767) / 32_767);
};
const under: Change = (voice) =>
  mix(voice, given(pieces, 'strummed guitar')(Math.ceil(voice.length / rate)).slice(0, voice.length), musicDb);

/** @param quick fewer levels and rooms */
export function tableCases(quick: boolean): TableCase[] {
  const noisy = Object.entries(kinds).flatMap(([kind, noise]) =>
    snrsDb
      .filter((snrDb) => !quick || snrDb === quickSnrDb || kind === 'pink')
      .map((snrDb): TableCase => ({
        rows: quick
          ? [`${kind}, ${snrDb} dB`]
          : [`${kind}, ${snrsDb[0]} to ${snrsDb.at(-1)} dB`, `all kinds, ${snrDb} dB`],
        of: (voice) => mix(voice, noise(voice.length), snrDb),
      })),
  );
  const rooms = (quick ? [0.3, 0.9] : [0.3, 0.6, 0.9, 1.2]).map((t60): TableCase => ({
    rows: [`room, ${t60} s`],
    of: (voice) => convolve(voice, room(t60, directToReverberantDb, Math.round(100 * t60))),
  }));
  const one = (row: string, of: Change): TableCase => ({ rows: [row], of });
  return [
    one('clean', (voice) => voice),
    ...noisy,
    ...rooms,
    one('telephone', (voice) => resampled(telephone(voice), 8000, rate).slice(0, voice.length)),
    one(`quiet, ${quietDbfs} dBFS`, quiet),
    one(`hum, ${humDb} dB`, (voice) => hummed(voice, 50, humDb)),
    one(`clipped, ${clippedDb} dB`, (voice) => clippedTo(voice, clippedDb).plane),
    one(`music under it, ${musicDb} dB`, under),
  ];
}
