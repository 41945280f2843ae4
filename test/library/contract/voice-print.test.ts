import { describe, expect, it } from 'vitest';
import { EarshotError } from '../../../src/library/core/errors/errors.ts';
import {
  checkVoiceName,
  checkVoicePrint,
  chosenVoices,
  directionOf,
  directionText,
} from '../../../src/library/contract/voice-print.ts';
import { direction, voiceNamed } from '../../fixtures/sounds/voice-prints.ts';

const anna = voiceNamed('Anna Müller', direction({ 0: 1 }));
const ben = voiceNamed('Ben', direction({ 1: 1 }));

const refusal = (work: () => unknown): EarshotError => {
  try {
    work();
  } catch (thrown) {
    return EarshotError.from(thrown);
  }
  throw new Error('Expected a refusal');
};

describe('a voice print', () => {
  it('comes back from text to the bit', () => {
    const way = direction({ 0: 3, 7: -4, 191: 0.25 });
    expect(directionOf(directionText(way))).toEqual(way);
  });

  it('is refused when it is anything else, and the error has none of its numbers', () => {
    const { print } = anna;
    const wrong: unknown[] = [
      null,
      [],
      'print',
      { ...print, format: 'earshot-transcript' },
      { ...print, version: 2 },
      { ...print, model: 'x' },
      { ...print, seconds: -1 },
      { ...print, recordings: 0 },
      { ...print, seconds: Number.NaN },
      { ...print, plain: print.plain.slice(4) },
      { ...print, plain: `${print.plain.slice(0, -2)}!!` },
      { ...print, telephone: directionText(direction({ 0: 1 }).map((value) => value * 2)) },
      { ...print, telephone: directionText(direction({ 0: 1 }).map(() => Number.NaN)) },
    ];
    for (const value of wrong) {
      const { code, message, details } = refusal(() => checkVoicePrint(value));
      expect(code).toBe('bad_request');
      expect(JSON.stringify([message, details])).not.toContain(print.plain.slice(0, 20));
    }
    expect(checkVoicePrint({ ...print, extra: 1 })).toEqual(print);
  });
});

describe('names of voices', () => {
  it('are one line without commas, and not the word for all', () => {
    expect(checkVoiceName('  Zoe\u0308 ')).toBe('Zoë');
    for (const name of ['', ' ', 'a,b', 'a\nb', 'all', 'ALL', 'x'.repeat(81)])
      expect(() => checkVoiceName(name)).toThrow('Expected a name');
  });

  it('choose voices without regard to case; each comes once', () => {
    expect(chosenVoices(['anna müller', 'Ben', 'BEN'], [anna, ben])).toEqual([anna, ben]);
    expect(chosenVoices(['all'], [anna, ben])).toEqual([anna, ben]);
    expect(chosenVoices(['all'], [])).toEqual([]);
  });

  it('stay out of the error where one is not there', () => {
    const { code, message, nextAction, details } = refusal(() => chosenVoices(['Ben', 'Carla'], [anna, ben]));
    expect(code).toBe('bad_request');
    expect(message).toContain('voices[1]');
    expect(JSON.stringify([message, nextAction, details])).not.toMatch(/Anna|Ben|Carla/);
  });
});
