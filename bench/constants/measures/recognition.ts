// What the recogniser writes of recordings whose texts are known: as they are, quietly in 16 bits, in noise, after half
// a minute of music, and on a telephone; and what it invents in music.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recognise } from '../../../src/library/speech/recognise/recognise.ts';
import { openSpeech, speechRate } from '../../../src/library/speech/speech-sound.ts';
import { runHere } from '../../../src/library/dsp/denoise/suppressor/pieces.ts';
import { joined } from '../../../test/fixtures/media/signals.ts';
import { seeded } from '../../../test/fixtures/random.ts';
import { readVoice } from '../../../test/fixtures/sounds/conversations.ts';
import { pieces as music } from '../../../test/fixtures/sounds/music.ts';
import { withNoise } from '../../../test/fixtures/spoken-sounds.ts';
import { rate } from '../../quality/mixtures.ts';
import { filtered, resampled } from '../../quality/voice-cases.ts';
import { plainWords, wordErrors } from '../../speech/word-error.ts';
import { figure, type Measure } from '../figures.ts';
import { samples, storedSound } from '../store.ts';
import { signal } from './spoken-material.ts';

const voice = (file: string) => (): Float32Array => readVoice(join(samples, 'speech', file));
const text = (file: string): string[] => plainWords(readFileSync(join(samples, 'speech', file), 'utf8'));
const readings = ['jfk', 'austen-0870', 'austen-0880', 'austen-0890'].map((name) => ({
  name,
  make: voice(`${name}.wav`),
  words: text(`${name}.txt`),
}));

/** What 16 bits leave of a recording at a lower level. */
const quiet =
  (decibels: number) =>
  (plane: Float32Array): Float32Array =>
    plane.map((x) => Math.round(x * 10 ** (decibels / 20) * 32_767) / 32_767);
const musicSeconds = 30;
/** Of each piece without a voice. */
const silentSeconds = 12;
const pop = (): Float32Array =>
  resampled((music['pop'] as (length: number) => Float32Array)(musicSeconds), rate, speechRate);
/** G.712's pass band. */
const [telephoneFromHz, telephoneToHz] = [300, 3400];

const conditions: Readonly<Record<string, (plane: Float32Array) => Float32Array>> = {
  'as recorded': (plane) => plane,
  'quiet, -45 dB': quiet(-45),
  'in noise, 5 dB': (plane) => withNoise(plane, 5, seeded(5)),
  'after music': (plane) => joined(pop(), plane),
  telephone: (plane) =>
    // The filter counts in a rate of its own.
    filtered(plane, (at) => {
      const hz = (at * speechRate) / rate;
      return hz >= telephoneFromHz && hz <= telephoneToHz ? 1 : 0;
    }),
};

async function wordsIn(path: string): Promise<string[]> {
  const sound = openSpeech(path);
  try {
    const options = { fanOut: runHere(signal), signal, modelsDir: undefined, onProgress: () => undefined };
    const { regions } = await recognise(sound, { ...options, verbatim: false });
    const said: string[] = [];
    for await (const { words } of regions) said.push(...words.map((word) => word.text));
    return plainWords(said.join(' '));
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code === 'no_speech') return [];
    throw thrown;
  } finally {
    sound.close();
  }
}

export const measure: Measure = async () => {
  const figures = [];
  for (const [condition, change] of Object.entries(conditions)) {
    let [errors, words] = [0, 0];
    for (const { name, make, words: spoken } of readings) {
      const path = await storedSound(`recognition/${name}, ${condition}`, () => change(make()));
      errors += wordErrors(spoken, await wordsIn(path)).errors;
      words += spoken.length;
    }
    figures.push(figure(`word error, ${condition}`, (100 * errors) / words, '%', 'lower', 1));
  }
  let invented = 0;
  for (const [name, play] of Object.entries(music))
    invented += (
      await wordsIn(
        await storedSound(`recognition/music, ${name}`, () => resampled(play(silentSeconds), rate, speechRate)),
      )
    ).length;
  return [...figures, figure('words invented in music', invented, '', 'lower')];
};
