import { describe, expect, it } from 'vitest';
import type { KnownVoice } from '../../../../src/library/contract/voice-print.ts';
import type { HeardVoice } from '../../../../src/library/speech/voices/heard-voices.ts';
import { nameVoices } from '../../../../src/library/speech/voices/known-voices.ts';
import { joinVoicePrints } from '../../../../src/library/speech/voices/join-prints.ts';
import { cosine } from '../../../../src/library/speech/voices/directions.ts';
import { directionOf } from '../../../../src/library/contract/voice-print.ts';
import { direction, voiceNamed } from '../../../fixtures/sounds/voice-prints.ts';

/** A direction whose cosine to the first axis is so much; the rest lies on another axis. */
const alike = (cosine: number, other = 100): Float32Array<ArrayBuffer> =>
  direction({ 0: cosine, [other]: Math.sqrt(1 - cosine * cosine) });

const heard = (speaker: number, way: Float32Array, seconds = 10): HeardVoice => ({
  speaker,
  seconds,
  pieces: [],
  direction: way,
});
const anna = voiceNamed('Anna', direction({ 0: 1 }));
const one = [{ speaker: 1, startSeconds: 0, endSeconds: 10 }];
const decided = (voice: HeardVoice, known: readonly KnownVoice[] = [anna]) =>
  nameVoices(one, [voice], known).decisions[0];

describe('a speaker gets a name', () => {
  it('from a likeness of .55 on', () => {
    expect(decided(heard(1, alike(0.56)))).toMatchObject({ name: 'Anna', likeness: 0.56, runnerUp: null });
    expect(decided(heard(1, alike(0.54)))).toMatchObject({ name: null, likeness: 0.54, confidence: null });
  });

  it('and by the print of a telephone from .67 on', () => {
    const print = voiceNamed('Anna', direction({ 5: 1 }), { telephone: direction({ 0: 1 }) });
    expect(decided(heard(1, alike(0.68)), [print])).toMatchObject({ name: 'Anna', likeness: 0 });
    expect(decided(heard(1, alike(0.66)), [print])?.name).toBeNull();
  });

  it('not where the next name is nearly as much alike', () => {
    const voice = heard(1, direction({ 0: 0.65, 1: 0.52, 100: 0.55 }));
    expect(decided(voice)?.name).toBe('Anna');
    expect(decided(voice, [anna, voiceNamed('Ben', direction({ 1: 1 }))])?.name).toBeNull();
  });

  it('with less than 3 s of speech from .6 on, and never for sure', () => {
    expect(decided(heard(1, alike(0.59), 2.9))?.name).toBeNull();
    expect(decided(heard(1, alike(0.61), 2.9))).toMatchObject({ name: 'Anna', uncertain: true });
    expect(decided(heard(1, alike(0.56), 3))).toMatchObject({ name: 'Anna', uncertain: false });
  });

  it('among more than 50 names from .6 on', () => {
    const others = Array.from({ length: 50 }, (_, at) => voiceNamed(`Other ${at}`, direction({ [20 + at]: 1 })));
    expect(decided(heard(1, alike(0.58)), [anna, ...others])?.name).toBeNull();
    expect(decided(heard(1, alike(0.61)), [anna, ...others])?.name).toBe('Anna');
  });

  it('with a confidence that rises with the likeness', () => {
    const confidences = [0.56, 0.7, 0.9].map((likeness) => decided(heard(1, alike(likeness)))?.confidence ?? 0);
    expect(confidences).toEqual(confidences.toSorted((a, b) => a - b));
    expect(confidences[0]).toBeCloseTo(1 / (1 + Math.exp(-0.01 / 0.06)), 2);
  });

  it('not where there are no names, and not where nothing of it was heard long enough', () => {
    expect(decided(heard(1, alike(0.9)), [])).toEqual({
      speaker: 1,
      name: null,
      likeness: null,
      runnerUp: null,
      confidence: null,
      uncertain: false,
    });
    expect(nameVoices(one, [], [anna]).decisions).toMatchObject([{ speaker: 1, name: null, likeness: null }]);
  });
});

describe('two speakers who are alike one name', () => {
  const turns = [
    { speaker: 1, startSeconds: 0, endSeconds: 10 },
    { speaker: 2, startSeconds: 12, endSeconds: 20 },
    { speaker: 3, startSeconds: 21, endSeconds: 30 },
  ];

  it('are one person where they sound alike and never speak at once', () => {
    const named = nameVoices(turns, [heard(1, alike(0.8)), heard(3, alike(0.9))], [anna]);
    expect(named.turns.map(({ speaker }) => speaker)).toEqual([3, 2, 3]);
    expect(named.decisions).toMatchObject([
      { speaker: 2, name: null },
      { speaker: 3, name: 'Anna', likeness: 0.9 },
    ]);
  });

  it('stay two where they sound different: the name is that of the more alike', () => {
    const named = nameVoices(turns, [heard(1, alike(0.56, 100)), heard(3, alike(0.6, 101))], [anna]);
    expect(named.turns).toEqual(turns);
    expect(named.decisions.map(({ name }) => name)).toEqual([null, null, 'Anna']);
  });

  it('stay two where they speak at once', () => {
    const both = [...turns, { speaker: 1, startSeconds: 25, endSeconds: 26 }];
    const named = nameVoices(both, [heard(1, alike(0.8)), heard(3, alike(0.9))], [anna]);
    expect(named.decisions.map(({ name }) => name)).toEqual([null, null, 'Anna']);
  });
});

describe('prints of several recordings', () => {
  it('are the mean by their seconds, in which a recording counts for a minute at most', () => {
    const long = voiceNamed('Anna', direction({ 0: 1 }), { seconds: 600 }).print;
    const short = voiceNamed('Anna', direction({ 0: 1, 1: 1 }), { seconds: 30 }).print;
    const both = joinVoicePrints(long, short);
    const mean = direction({ 0: 60 + 30 * Math.SQRT1_2, 1: 30 * Math.SQRT1_2 });
    expect(cosine(directionOf(both.plain), mean)).toBeCloseTo(1, 5);
    expect(both).toMatchObject({ seconds: 630, recordings: 2 });
  });

  it('are refused where the voice is another, or the network', () => {
    const { print } = anna;
    expect(() => joinVoicePrints(print, voiceNamed('Ben', alike(0.44)).print)).toThrow(/another one/);
    expect(() => joinVoicePrints(print, { ...print, model: 'b'.repeat(64) })).toThrow(/another network/);
  });
});
