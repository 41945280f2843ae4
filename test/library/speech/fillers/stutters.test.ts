import { describe, expect, it } from 'vitest';
import type { TimeRange } from '../../../../src/library/core/time-range.ts';
import { findStutters, fluentText } from '../../../../src/library/speech/fillers/stutters.ts';
import type { SpokenWord } from '../../../../src/library/speech/spoken-word.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { seeded } from '../../../fixtures/random.ts';
import { withStutters } from '../../../fixtures/sounds/mouth-sounds.ts';
import { soundOf, speechOf } from '../../../fixtures/spoken-sounds.ts';
import { textGridWords } from '../../../fixtures/text-grid.ts';

const seed = Number(process.env['SEED'] ?? 1);
console.info(`stutters: seed ${seed} (SEED=${seed} repeats it)`);

const how = { signal: new AbortController().signal, onProgress: (): void => undefined };
const overlap = (a: TimeRange, b: TimeRange): number =>
  Math.max(0, Math.min(a.endSeconds, b.endSeconds) - Math.max(a.startSeconds, b.startSeconds));

const words = textGridWords(recording('acoustic_corpus.TextGrid'));
const corpus = await speechOf('acoustic_corpus.wav');
const samples = corpus.read(0, corpus.frames);

describe('written stutters', () => {
  it.each([
    ['h-h-here', 'here'],
    ['H-h-here,', 'Here,'],
    ['b-but', 'but'],
    ['th-the', 'the'],
    ['I-I-I', 'I'],
    ['\u201Cst-st-stop!\u201D', 'Stop!\u201D'.replace('S', 's')],
  ])('"%s" is "%s"', (text, fluent) => {
    expect(fluentText(text)).toBe(fluent);
  });

  it.each([
    'here',
    'e-mail',
    'D-Day',
    'T-test',
    're-record',
    'so-so',
    'well-known',
    'words-words',
    '-',
    '',
    'a-',
    'X-ray',
  ])('"%s" is meant', (text) => {
    expect(fluentText(text)).toBeNull();
  });
});

describe('stutters in the sound', () => {
  const which = words.flatMap((_, index) => (index % 5 === 1 ? [index] : []));
  /** Times from the start of the stutter on. */
  const covering = (scene: ReturnType<typeof withStutters>, text: (word: SpokenWord) => string): SpokenWord[] =>
    scene.words.map((word, index) => {
      const stutter = scene.made.find(({ endSeconds }) => Math.abs(endSeconds - word.startSeconds) < 0.01);
      return scene.pieces.has(index) && stutter
        ? { ...word, text: text(word), startSeconds: stutter.startSeconds }
        : word;
    });

  it.each([
    ['between the words', 6, (scene: ReturnType<typeof withStutters>) => scene.words],
    [
      'within the time of a word that is written so',
      6,
      (scene: ReturnType<typeof withStutters>) => covering(scene, ({ text }) => `${text.charAt(0)}-${text}`),
    ],
    // "nothing" and "more" have their first sound again: what is no stutter there is not told apart.
    [
      'within the time of a word that is written without',
      2,
      (scene: ReturnType<typeof withStutters>) => covering(scene, ({ text }) => text),
    ],
  ] as const)('are found %s, and words stay whole', async (_, least, heardIn) => {
    const scene = withStutters(samples, words, which, seeded(seed));
    const found = (await findStutters(soundOf(scene.samples), heardIn(scene), [], how)).filter(
      ({ kept }) => kept === null,
    );
    const hits = scene.made.filter((made) => found.some((one) => overlap(one, made) > 0.03));
    expect(hits.length).toBeGreaterThanOrEqual(least);
    for (const one of found) {
      expect(
        scene.made.some((made) => overlap(one, made) >= 0.8 * (one.endSeconds - one.startSeconds)),
        `${one.startSeconds.toFixed(2)} s`,
      ).toBe(true);
      for (const word of scene.words) expect(overlap(one, word), word.text).toBeLessThan(0.02);
    }
  });

  it('fluent speech has none', async () => {
    expect(await findStutters(corpus, words, [], how)).toEqual([]);
    const jfk = await speechOf('jfk.wav');
    const even = Array.from({ length: 22 }, (_, at) => ({
      text: 'word',
      startSeconds: 0.3 + at * 0.46,
      endSeconds: 0.7 + at * 0.46,
    }));
    expect((await findStutters(jfk, even, [], how)).filter(({ kept }) => kept === null)).toEqual([]);
  });
});
