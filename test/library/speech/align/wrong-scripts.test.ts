// Scripts that are not read, on words as a recogniser hears them: bench/speech/wrong-scripts.ts has the recordings.
import { expect, it } from 'vitest';
import { alignScript, type AlignedScript } from '../../../../src/library/speech/align/align-script.ts';
import type { SpokenWord } from '../../../../src/library/speech/spoken-word.ts';
import { seeded } from '../../../fixtures/random.ts';
import { knownSounds } from '../../../fixtures/sounds/known-breaths.ts';
import {
  acousticWords,
  edgeErrors,
  quantile,
  soundOf,
  speechOf,
  spokenSound,
} from '../../../fixtures/spoken-sounds.ts';
import { slow, slower } from '../../../fixtures/rounds.ts';

const { signal } = new AbortController();
const truth = acousticWords();
const kennedy =
  'And so my fellow Americans ask not what your country can do for you ask what you can do for your country.';
const others = [
  kennedy,
  'From fairest creatures we desire increase, that thereby beauty rose might never die, but as the riper should by ' +
    'time decease, his tender heir might bear his memory.',
  'The committee will meet again on Thursday afternoon to discuss the budget.',
  'Seven engineers repaired the old bridge.',
];

/** Heard badly: vowels are wrong, and some words are lost. No word is spelt as in the script. */
const misheard = (words: readonly SpokenWord[]): SpokenWord[] =>
  words.flatMap((word, index) =>
    index % 7 === 3
      ? []
      : [{ ...word, text: word.text.replaceAll(/[aeiou]/gu, (vowel) => 'eiouy'['aeiou'.indexOf(vowel)]!) }],
  );

async function align(text: string, recognised: readonly SpokenWord[]): Promise<AlignedScript> {
  const sound = await speechOf('acoustic_corpus.wav');
  try {
    return await alignScript(sound, { format: 'txt', text }, { language: 'en', recognised, signal });
  } finally {
    sound.close();
  }
}

const textOf = (words: readonly SpokenWord[]): string => words.map(({ text }) => text).join(' ');
const found = ({ words }: AlignedScript): number => words.filter(({ matched }) => matched).length;

it.each(others)("finds no word of another recording's script, well or badly heard: %s", slow, async (text) => {
  for (const heard of [truth, misheard(truth)]) {
    const aligned = await align(text, heard);
    expect(found(aligned)).toBe(0);
    expect(aligned).toMatchObject({ isOtherRecording: true, matchedDecided: true });
  }
});

it('finds the script that is read where it was heard badly', slower, async () => {
  const aligned = await align(textOf(truth), misheard(truth));
  expect(aligned).toMatchObject({ isOtherRecording: false, matchedDecided: true });
  expect(found(aligned)).toBeGreaterThanOrEqual(0.94 * truth.length);
});

it("finds the half that is read and not the half of another recording's script", slower, async () => {
  const half = truth.slice(0, 29);
  for (const text of [`${textOf(half)}. ${kennedy}`, `${kennedy} ${textOf(truth.slice(29))}`]) {
    const { words } = await align(text, truth);
    const theirs = words.filter(({ text: word }) => kennedy.split(' ').includes(word) && !textOf(truth).includes(word));
    expect(theirs.length).toBeGreaterThan(8);
    expect(theirs.filter(({ matched }) => matched)).toEqual([]);
    expect(words.filter(({ matched }) => matched).length).toBeGreaterThanOrEqual(28);
  }
});

/** As whisper-base hears it: some ten of its words are others. */
const sonnet =
  "1. From fairest creatures we desire increase, that thereby beauty's rows might never die, but as the ripers " +
  'should by time deceased, his tender air might bear his memory. But thou, contracted to thy own bright eyes, feats ' +
  "thy light's flame with self-substantial fuel, making a famine where abundance lies, thy self-thy foe, to thy " +
  "sweet self-too-cruel. Thou that art now the world's fresh ornament, and only herald to the gaudy spring, within " +
  'thine own bud-barriest thy content, and tender churl makes waste in niggarding. Pity the world, or else this ' +
  "glutton be, to eat the world's dew by the grave and thee.";
const written =
  "1. From fairest creatures we desire increase, That thereby beauty's rose might never die, But as the riper should " +
  "by time decease, His tender heir might bear his memory: But thou, contracted to thine own bright eyes, Feed'st " +
  "thy light's flame with self-substantial fuel, Making a famine where abundance lies.";

it("finds no word of another recording's half where some words of the own half were misheard", slower, async () => {
  const { spoken } = knownSounds.find(({ name }) => name === 'sonnet001.mp3')!;
  const length = spoken.reduce((sum, [start, end]) => sum + end - start, 0);
  const texts = sonnet.split(' ');
  /** Where so much of what is spoken has passed. */
  const at = (share: number): number => {
    let left = share * length;
    for (const [start, end] of spoken) {
      if (left <= end - start) return start + left;
      left -= end - start;
    }
    return spoken.at(-1)![1];
  };
  const recognised = texts.map((text, index) => ({
    text,
    startSeconds: at(index / texts.length),
    endSeconds: at((index + 0.9) / texts.length),
  }));
  const sound = await speechOf('sonnet001.mp3');
  const text = `${written} ${textOf(truth.slice(29))}.`;
  const { words } = await alignScript(sound, { format: 'txt', text }, { language: 'en', recognised, signal });
  sound.close();
  const own = written.split(' ').length;
  expect(words.slice(own).filter(({ matched }) => matched)).toEqual([]);
  expect(words.slice(0, own).filter(({ matched }) => matched).length).toBeGreaterThanOrEqual(0.95 * own);
});

it('finds no short passage of another recording where other words were surely heard', slower, async () => {
  for (const other of ['his power to do for them', 'young man', 'consider how much there might be prudently']) {
    const [from, to] = [30, 30 + other.split(' ').length];
    const text = `${textOf(truth.slice(0, from))} ${other} ${textOf(truth.slice(to))}`;
    const sure = truth.map((word) => ({ ...word, confidence: 0.9 }));
    const { words } = await align(text, sure);
    expect(words.slice(from, to).filter(({ matched }) => matched)).toEqual([]);
    const own = [...words.slice(0, from), ...words.slice(to)];
    expect(own.filter(({ matched }) => matched).length).toBeGreaterThanOrEqual(own.length - 1);
  }
});

it('finds passages in another order where they are said', slow, async () => {
  const sentences = [truth.slice(0, 12), truth.slice(12, 30), truth.slice(30, 44), truth.slice(44)];
  for (const order of [
    [2, 0, 3, 1],
    [3, 2, 1, 0],
    [1, 2, 3, 0],
  ]) {
    const text = order.map((at) => `${textOf(sentences[at]!)}.`).join(' ');
    const aligned = await align(text, truth);
    expect(aligned.isReordered).toBe(true);
    expect(aligned.words.map((word) => word.text.replace('.', ''))).toEqual(truth.map((word) => word.text));
    expect(found(aligned)).toBe(truth.length);
    expect(quantile(edgeErrors(aligned.words, truth), 0.9)).toBeLessThan(0.2);
  }
});

it('finds no word of a script in a sister language of what is said, and all of its own', slow, async () => {
  const italian =
    'Il mare era tranquillo e nessun vento muoveva le vele. La sua famiglia abitava in una casa piccola con una ' +
    'terrazza e un giardino di rose. Il figlio studiava musica nella capitale e tornava per le vacanze di Natale.';
  const spanish =
    'El mar era tranquilo y ningún viento movía las velas. Su familia habitaba en una casa pequeña con una terraza y ' +
    'un jardín de rosas. El hijo estudiaba música en la capital y tornaba para las vacaciones de Navidad.';
  const { sound, words: recognised } = await spokenSound('it', italian);
  const alignText = (text: string): Promise<AlignedScript> =>
    alignScript(sound, { format: 'txt', text }, { language: 'it', recognised, signal });
  const sister = await alignText(spanish);
  expect([found(sister), sister.isOtherRecording]).toEqual([0, true]);
  const own = await alignText(italian);
  expect([found(own), own.isOtherRecording]).toEqual([own.words.length, false]);
  sound.close();
});

it('finds no word in silence and steady noise, with and without a recogniser', async () => {
  const random = seeded(7);
  for (const samples of [new Float32Array(160_000), Float32Array.from({ length: 160_000 }, () => random() - 0.5)])
    for (const recognised of [[], null]) {
      const sound = soundOf(samples);
      const aligned = await alignScript(
        sound,
        { format: 'txt', text: kennedy },
        { language: 'en', recognised, signal },
      );
      sound.close();
      expect(aligned).toMatchObject({ isWithoutSpeech: true, isOtherRecording: false, matchedDecided: true });
      expect(aligned.words).toHaveLength(22);
      expect(found(aligned)).toBe(0);
    }
});

it('takes every word as spoken where next to nothing was heard', slower, async () => {
  const heard: readonly SpokenWord[][] = [[], [{ text: 'Thanks.', startSeconds: 20, endSeconds: 20.4 }]];
  for (const recognised of heard) {
    const aligned = await align(textOf(truth), recognised);
    expect(aligned).toMatchObject({ isOtherRecording: false, matchedDecided: false });
    expect(found(aligned)).toBe(truth.length);
  }
});
