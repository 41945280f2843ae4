// What the tools make of a sound classifier's answers: music by the second, who is in a recording, music in the pauses.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMusicalSeconds } from '../../../src/library/dsp/denoise/passages/musical-seconds.ts';
import { createStruckSeconds } from '../../../src/library/dsp/denoise/passages/struck-seconds.ts';
import { isNoise } from '../../../src/library/dsp/denoise/passages/what-is-heard.ts';
import type { Heard, Listener } from '../../../src/library/dsp/listener/listener.ts';
import { createCensus } from '../../../src/library/dsp/listener/who-is-heard.ts';
import { listenInPauses, musicBehind } from '../../../src/library/dsp/voice/music-behind.ts';

const [speech, whisper, laughter, bark, cowbell] = [0, 12, 13, 70, 87];
const [music, woodBlock, harp, bell, shot] = [132, 168, 194, 195, 421];

/** A patch for each record of scores by class. */
function heard(...patches: readonly Readonly<Record<number, number>>[]): Heard {
  const scoreIn = (patch: number, classes: readonly number[]): number =>
    Math.max(...classes.map((each) => patches[patch]?.[each] ?? 0));
  return {
    patches: patches.length,
    scoreIn,
    meanOf: (classes) =>
      Math.max(...classes.map((each) => patches.reduce((sum, of) => sum + (of[each] ?? 0), 0) / patches.length)),
  };
}
const always = (answer: Heard): Listener => ({ hear: () => Promise.resolve(answer) });
const rough = (from: number, to: number): Float32Array =>
  Float32Array.from({ length: to - from }, (_, hop) => 10 ** -(hop % 4));

async function musicalIn(
  scores: readonly (Readonly<Record<number, number>> | null)[],
  powers = rough,
): Promise<number[]> {
  const hear = (second: number): Promise<Heard | null> => {
    const found = scores[second];
    return Promise.resolve(found ? heard(found) : null);
  };
  const musical = createMusicalSeconds(hear, powers, () => undefined);
  const found: number[] = [];
  for (const second of scores.keys()) if (await musical.is(second)) found.push(second);
  return found;
}

describe('a recording of strokes', () => {
  const strokes = Float32Array.from({ length: 100 }, (_, hop) => 10 ** -((hop % 25) * 0.4));
  const saw = Float32Array.from({ length: 100 }, (_, hop) => (hop % 25 < 15 ? 1 : 1e-4));
  const areAll = (...seconds: readonly (readonly [Readonly<Record<number, number>>, Float32Array])[]): boolean => {
    const found = createStruckSeconds();
    for (const [scores, powers] of seconds) found.add(heard(scores, scores), powers);
    return found.areAll();
  };

  it('is one where most seconds are, over a quiet background', () => {
    expect(areAll([{}, strokes], [{ [woodBlock]: 0.9 }, strokes], [{}, saw])).toBe(true);
    expect(areAll([{}, strokes.map((power) => power + 0.05)])).toBe(false);
    expect(areAll([{}, saw])).toBe(false);
    expect(areAll()).toBe(false);
  });

  it('is none of barks, and none as soon as somebody speaks', () => {
    expect(areAll([{ [bark]: 0.4 }, strokes])).toBe(false);
    expect(areAll([{ [cowbell]: 0.7 }, strokes])).toBe(true);
    expect(areAll(...Array.from({ length: 20 }, () => [{}, strokes] as const), [{ [speech]: 0.6 }, saw])).toBe(false);
  });
});

describe('seconds of music', () => {
  const [song, talk, noise] = [{ [music]: 0.8 }, { [speech]: 0.9, [music]: 0.05 }, {}];

  it('begin and end with it, between noise and talk', async () => {
    expect(await musicalIn([noise, noise, noise, song, song, song, song, talk, talk, talk])).toEqual([3, 4, 5, 6]);
  });

  it('include a rest and a word, and none of a voice over soft music', async () => {
    expect(await musicalIn([song, song, noise, song, talk, song, song])).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(await musicalIn(Array.from({ length: 6 }, () => ({ [speech]: 0.8, [music]: 0.4 })))).toEqual([]);
  });

  it('are none where a voice is over loud music, in its pauses as well', async () => {
    const [over, between] = [{ [speech]: 0.2, [music]: 0.9 }, song];
    expect(await musicalIn([over, between, over, over, between, over, over])).toEqual([]);
  });

  it('are none of a machine that is a little like music, and those of castanets', async () => {
    expect(await musicalIn(Array.from({ length: 6 }, () => ({ [music]: 0.45 })))).toEqual([]);
    expect(await musicalIn(Array.from({ length: 3 }, () => ({ [woodBlock]: 0.31 })))).toEqual([0, 1, 2]);
  });

  it('are those of an instrument that is heard for certain, without any Music', async () => {
    expect(await musicalIn(Array.from({ length: 4 }, () => ({ [harp]: 0.7 })))).toEqual([0, 1, 2, 3]);
    expect(await musicalIn(Array.from({ length: 4 }, () => ({ [harp]: 0.5 })))).toEqual([]);
  });

  it('are none where the level stands still, as of a hum', async () => {
    const even = (from: number, to: number): Float32Array => new Float32Array(to - from).fill(0.01);
    expect(await musicalIn([song, song, song, song], even)).toEqual([]);
  });
});

describe('a recording', () => {
  const whoIn = (...patches: readonly Readonly<Record<number, number>>[]) => {
    const census = createCensus();
    for (const patch of patches) census.add(heard(patch));
    return census.result();
  };

  it('has a person in it who says little, also whispering, else music, else neither', () => {
    const long = Array.from({ length: 100 }, () => ({ [music]: 0.9 }));
    expect(whoIn(...long, { [speech]: 0.6 }, { [whisper]: 0.5 }, { [speech]: 0.9 })).toBe('person');
    expect(whoIn(...long, { [speech]: 0.6 }, { [speech]: 0.9 })).toBe('music');
    expect(whoIn({ [bark]: 0.9 }, { [bark]: 0.9 }, { [music]: 0.3 })).toBe('other');
    expect(whoIn({ [bark]: 0.9 }, { [bark]: 0.9 }, { [laughter]: 0.25 })).toBe('perhaps');
    expect(whoIn()).toBeNull();
  });

  it('that is short needs half of it, one of hours more than three', () => {
    expect(whoIn({ [speech]: 0.9 }, {})).toBe('person');
    const hours = Array.from({ length: 2000 }, () => ({ [music]: 0.9 }));
    expect(whoIn(...hours, ...Array.from({ length: 9 }, () => ({ [speech]: 0.9 })))).toBe('music');
    expect(whoIn(...hours, ...Array.from({ length: 11 }, () => ({ [speech]: 0.9 })))).toBe('person');
  });
});

it('what was taken away is no voice where it barks, bangs, or rings and does not speak', async () => {
  const judge = (...patches: readonly Readonly<Record<number, number>>[]): Promise<boolean> =>
    isNoise(always(heard(...patches)), 48_000, 60_000, (from, to) => new Float32Array(to - from));
  expect(await judge({ [bark]: 0.12, [speech]: 0.4 })).toBe(true);
  expect(await judge({ [shot]: 0.25 })).toBe(true);
  expect(await judge({ [bell]: 0.3, [speech]: 0.1 })).toBe(true);
  expect(await judge({ [bell]: 0.3, [speech]: 0.5 })).toBe(false);
  expect(await judge({ [bark]: 0.3 }, {}, {})).toBe(false);
  // A sheep is what pieces of voices sound like.
  expect(await judge({ [92]: 0.5, [67]: 0.4 })).toBe(false);
});

it('music behind a voice is what the pauses near it say, and not what plays alone', async () => {
  const seconds = 60;
  const perSecond = 50;
  // A pause of half a second in each, and music alone from 0 to 5.
  const activity = {
    hopSeconds: 1 / perSecond,
    speech: Uint8Array.from({ length: seconds * perSecond }, (_, hop) => (hop % perSecond < 25 ? 1 : 0)),
    voiced: new Uint8Array(),
    music: new Uint8Array(),
  };
  let asked = 0;
  const listener: Listener = {
    hear() {
      asked += 1;
      return Promise.resolve(heard({ [music]: asked > 35 ? 0.9 : 0.5 }));
    },
  };
  const pauses = listenInPauses(listener, activity, [0, 1, 2, 3, 4]);
  for (let second = 0; second < seconds; second += 1)
    await pauses.process({ planes: [new Float32Array(48_000)], frames: 48_000 }, () => undefined);
  expect(asked).toBe(55);
  const behind = pauses.result();
  expect([behind.length, behind[2], behind[30], behind[45], behind[59]]).toEqual([60, 0, 0, 1, 1]);
});

it('which pauses count for a second is as defined: all within 15 s, else the nearest', () => {
  const gaps = fc.array(
    fc.tuple(fc.double({ min: 0.1, max: 40, noNaN: true }), fc.double({ min: 0.3, max: 10, noNaN: true }), fc.nat(9)),
    { minLength: 1, maxLength: 30 },
  );
  fc.assert(
    fc.property(gaps, (given) => {
      let at = 0;
      const pauses = given.map(([gap, length, score]) => {
        const from = at + gap;
        at = from + length;
        return { from, to: at, music: score / 9 };
      });
      const seconds = Math.ceil(at) + 30;
      const expected = Array.from({ length: seconds }, (_, second) => {
        const away = pauses.map(({ from, to }) => Math.max(0, from - second - 0.5, second + 0.5 - to));
        const near = pauses.filter((_pause, index) => (away[index] as number) <= Math.max(15, Math.min(...away)));
        const length = near.reduce((sum, { from, to }) => sum + to - from, 0);
        return near.reduce((sum, { from, to, music: score }) => sum + (to - from) * score, 0) >= 0.7 * length ? 1 : 0;
      });
      expect([...musicBehind(seconds, pauses)]).toEqual(expected);
    }),
  );
  // Ten hours with a pause in every three seconds take no longer than their seconds and pauses.
  const hours = Array.from({ length: 12_000 }, (_, pause) => ({ from: 3 * pause, to: 3 * pause + 0.5, music: 1 }));
  expect(musicBehind(36_000, hours).every((each) => each === 1)).toBe(true);
});
