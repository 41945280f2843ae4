// Which stretches of a talk are taken for music under it: what is heard is given here.
import { expect, it } from 'vitest';
import { withoutMusicBeds } from '../../../src/library/dsp/gain/music-beds.ts';
import type { Heard } from '../../../src/library/dsp/listener/listener.ts';
import { musicClass } from '../../../src/library/dsp/listener/sound-classes.ts';

const hopSeconds = 0.02;
const power = (db: number): number => 10 ** (db / 10);
/** Levels of stretches of so many seconds. */
const hopsOf = (...stretches: readonly [seconds: number, db: number][]): Float32Array =>
  Float32Array.from(
    stretches.flatMap(([seconds, db]) => Array<number>(Math.round(seconds / hopSeconds)).fill(power(db))),
  );
const heard = (music: number, speech: number): Pick<Heard, 'meanOf'> => ({
  meanOf: (classes) => (classes.includes(musicClass) ? music : speech),
});

/** Two seconds of a voice, one of something 24 dB softer, and again. */
const energy = hopsOf([2, -20], [1, -44], [2, -20], [1, -44], [2, -20]);
const activity = {
  hopSeconds,
  speech: new Uint8Array(energy.length).fill(1),
  voiced: new Uint8Array(energy.length).fill(1),
  music: new Uint8Array(energy.length),
};
const isSoft = (hop: number): boolean => (energy[hop] as number) < power(-30);

it('music in the pauses is no speech, and only what would be lifted is listened to', async () => {
  const asked: [number, number][] = [];
  const { activity: left, bed } = await withoutMusicBeds(energy, activity, null, (start, end) => {
    asked.push([start, end]);
    return Promise.resolve(heard(0.8, 0.05));
  });
  expect(asked.map(([start]) => Math.floor(start))).toEqual([2, 5]);
  for (const [start, end] of asked) expect(end - start).toBeCloseTo(0.9, 1);
  expect([...bed.keys()].filter((hop) => bed[hop] === 1)).toEqual([...energy.keys()].filter(isSoft));
  expect(left.speech.every((on, hop) => on === (isSoft(hop) ? 0 : 1))).toBe(true);
});

it('music behind the last words, which are heard with it, is no speech either', async () => {
  const { bed } = await withoutMusicBeds(energy, activity, null, () => Promise.resolve(heard(0.2, 0.07)));
  expect([...bed.keys()].filter((hop) => bed[hop] === 1)).toEqual([...energy.keys()].filter(isSoft));
});

it('a pause that shares a stretch with soft last words is listened to without them', async () => {
  const words = hopsOf([2, -20], [0.4, -26], [0.6, -41], [2, -20]);
  const all = new Uint8Array(words.length).fill(1);
  const { bed } = await withoutMusicBeds(
    words,
    { ...activity, speech: all, voiced: all, music: new Uint8Array(words.length) },
    null,
    (start) => Promise.resolve(start > 2.3 ? heard(0.8, 0.05) : heard(0.3, 0.6)),
  );
  expect([...bed.keys()].filter((hop) => bed[hop] === 1)).toEqual(
    [...words.keys()].filter((hop) => (words[hop] as number) < power(-30)),
  );
});

it('of a stretch with an hour of silence in it its first half minute is listened to', async () => {
  const long = hopsOf([2, -20], [0.5, -44], [3600, -90], [0.5, -44], [2, -20]);
  const isSaid = long.map((each) => (each > power(-60) ? 1 : 0));
  const speech = Uint8Array.from(isSaid);
  const asked: number[] = [];
  await withoutMusicBeds(
    long,
    { ...activity, speech, voiced: speech, music: new Uint8Array(long.length) },
    null,
    (from, to) => {
      asked.push(to - from);
      return Promise.resolve(heard(0, 0.9));
    },
  );
  expect(asked.length).toBeGreaterThan(0);
  expect(Math.max(...asked)).toBeLessThanOrEqual(30.001);
});

it.each([
  ['a soft voice', 0, 0.9],
  ['a far voice', 0.25, 0.15],
  ['a soft voice over music', 0.6, 0.5],
  ['a noise', 0.05, 0.05],
])('%s stays what it was', async (_, music, speech) => {
  const { activity: left, bed } = await withoutMusicBeds(energy, activity, null, () =>
    Promise.resolve(heard(music, speech)),
  );
  expect(bed).not.toContain(1);
  expect(left.speech).toEqual(activity.speech);
});
