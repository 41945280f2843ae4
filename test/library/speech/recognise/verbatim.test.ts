import { describe, expect, it } from 'vitest';
import { recognise } from '../../../../src/library/speech/recognise/recognise.ts';
import type { PlacedWord } from '../../../../src/library/speech/recognise/windows/place-words.ts';
import { withHesitations } from '../../../../src/library/speech/recognise/whisper/verbatim.ts';
import type { SpokenWord } from '../../../../src/library/speech/spoken-word.ts';
import { speechOf, speechRun } from '../../../fixtures/speech.ts';
import type { RecordingName } from '../../../fixtures/recordings.ts';
import { slow } from '../../../fixtures/rounds.ts';

/** "Um@1.2" begins at 1.2 s and ends at the next word, or 0.3 s later. */
function words(text: string): PlacedWord[] {
  const found = text.split(' ').map((word) => word.split('@') as [string, string]);
  return found.map(([said, at], index) => ({
    text: said,
    startSeconds: Number(at),
    endSeconds: Number(found[index + 1]?.[1] ?? Number(at) + 0.3),
    confidence: 0.8,
  }));
}

const texts = (found: readonly SpokenWord[]): string => found.map(({ text }) => text).join(' ');

describe('withHesitations', () => {
  it('takes hesitations at their places, and their neighbours as they were heard beside them', () => {
    const plain = words('I@0 went@0.5 There@1 today@2');
    const prompted = words('I@0 went,@0.5 uh,@0.9 there@1.3 today@2');
    const found = withHesitations(plain, prompted, 'en');
    expect(texts(found)).toBe('I went, uh, there today');
    expect(found[2]).toMatchObject({ startSeconds: 0.9, endSeconds: 1.3 });
    expect(found[3]).toMatchObject({ startSeconds: 1.3, endSeconds: 2 });
  });

  it('takes repeated and broken-off words, and no other ones', () => {
    const plain = words('the@0 house@1 was@2 red@3');
    const prompted = words('the@0 the@0.4 house@1 we@1.7 wa-@1.8 was@2 bread@3 indeed@3.5');
    expect(texts(withHesitations(plain, prompted, 'en'))).toBe('the the house wa- was red');
  });

  it('drawn-out sounds are sounds, what is hardly heard is none, and far away is elsewhere', () => {
    const plain = words('yes@0 no@5');
    expect(texts(withHesitations(plain, words('yes@0 Ummmm@1 no@5'), 'en'))).toBe('yes Ummmm no');
    const unsure = words('yes@0 um@1 no@5').map((word) => ({ ...word, confidence: 0.1 }));
    expect(texts(withHesitations(plain, unsure, 'en'))).toBe('yes no');
    expect(texts(withHesitations(plain, words('no@0.2 yes@5'), 'en'))).toBe('yes no');
    expect(texts(withHesitations(words('ja@0'), words('ähm@0 ja@0.6'), 'de'))).toBe('ähm ja');
    expect(texts(withHesitations(words('好@0'), words('um@0 好@0.6'), 'zh'))).toBe('好');
  });

  it('what both wrote, each in its way, is there once', () => {
    const plain = words('tutti.@0 Emm,@1 oggi@2');
    expect(texts(withHesitations(plain, words('tutti.@0 Ehm,@1.1 oggi@2'), 'it'))).toBe('tutti. Emm, oggi');
  });

  it('a hesitation that is a part of a word of the plain reading is none', () => {
    const one = withHesitations(words('the@0 aligner@1 works@2'), words('the@0 align@1 er,@1.4 works@2'), 'en');
    expect(texts(one)).toBe('the aligner works');
    const other = withHesitations(words('the@0 uhuru@1 fell@2'), words('the@0 uh,@1 hooroo@1.3 fell@2'), 'en');
    expect(texts(other)).toBe('the uhuru fell');
    const said = withHesitations(words('the@0 aligner@1 works@2'), words('the@0 aligner,@1 er,@1.4 works@2'), 'en');
    expect(texts(said)).toBe('the aligner, er, works');
  });

  it('repeats a word only beside one that both readings have, and keeps the order of words', () => {
    expect(texts(withHesitations(words("I'm@0 thinking@1"), words('I@0 I@0.2 think@1'), 'en'))).toBe("I'm thinking");
    const late = words('the@0 thick@1 corpus@2');
    expect(texts(withHesitations(late, words('the@0 um@0.9 thick@0.6 corpus@2'), 'en'))).toBe('the um thick corpus');
  });

  it('words do not overlap', () => {
    const found = withHesitations(words('so@0 then@3'), words('so@0 um@0.5 then@3'), 'en');
    expect(found.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds])).toEqual([
      [0, 0.5],
      [0.5, 3],
      [3, 3.3],
    ]);
  });
});

async function verbatim(name: RecordingName): Promise<SpokenWord[]> {
  const { regions } = await recognise(await speechOf(name), { ...speechRun(), language: 'en', verbatim: true });
  const found: SpokenWord[] = [];
  for await (const region of regions) found.push(...region.words);
  return found;
}

const bare = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, '');

describe('recognise, verbatim', () => {
  it('keeps the three fillers of spontaneous speech, at their places', slow, async () => {
    const found = (await verbatim('acoustic_corpus.wav')).filter(({ text }) => /^(um|uh)$/.test(bare(text)));
    // From the TextGrid beside the recording, which leaves the uh unnamed behind a pause and up to 14.87 s.
    const places = [
      ['um', 8.02, 8.57],
      ['uh', 14.47, 14.87],
      ['um', 22.9, 23.53],
    ] as const;
    expect(found.map(({ text }) => bare(text))).toEqual(places.map(([text]) => text));
    for (const [index, [, start, end]] of places.entries()) {
      expect(Math.abs((found[index]?.startSeconds ?? 0) - start)).toBeLessThan(0.3);
      expect(Math.abs((found[index]?.endSeconds ?? 0) - end)).toBeLessThan(0.3);
    }
  });

  it.each([
    ['um.flac', 'um'],
    ['uh.flac', 'uh'],
  ] as const)('keeps the held filler of %s and does not turn in circles', slow, async (name, filler) => {
    const found = await verbatim(name);
    expect(bare(found[0]?.text ?? '')).toBe('montreal');
    expect(found.map(({ text }) => bare(text))).toContain(filler);
    expect(found.length).toBeLessThan(9);
    for (const { text } of found) expect(text.length).toBeLessThan(12);
  });
});
