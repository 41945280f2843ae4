// Which scripts are taken for another recording's, by what the recogniser hears: bench/speech/wrong-scripts.ts, without
// the alignment.
import { anchorsOf } from '../../../src/library/speech/align/anchors/anchors.ts';
import { comparable } from '../../../src/library/speech/align/anchors/similarity.ts';
import { heardWordsOf } from '../../../src/library/speech/align/heard-words.ts';
import { openEspeak } from '../../../src/library/speech/align/reference/espeak.ts';
import { spokenForm } from '../../../src/library/speech/align/script/spoken-form.ts';
import { likelyWords, verdictOn } from '../../../src/library/speech/align/spoken-here.ts';
import { runHere } from '../../../src/library/dsp/denoise/suppressor/pieces.ts';
import { recognise } from '../../../src/library/speech/recognise/recognise.ts';
import { isSteady } from '../../../src/library/speech/activity/is-steady.ts';
import { extractSpeech } from '../../../src/library/speech/speech-sound.ts';
import type { SpokenWord } from '../../../src/library/speech/spoken-word.ts';
import { seeded } from '../../../test/fixtures/random.ts';
import { soundOf, withNoise } from '../../../test/fixtures/spoken-sounds.ts';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import { readSamples } from '../../speech/alignment-cases.ts';
import { mixed, stuttered } from '../../speech/wrong-script-cases.ts';
import { figure, type Measure } from '../figures.ts';
import { samples, stored } from '../store.ts';
import { signal } from './spoken-material.ts';
import { probe } from '../../../src/library/media/read/probe.ts';

interface Kept {
  readonly text: string;
  readonly seconds: number;
  /** As it is, stuttered, in noise. */
  readonly heard: readonly (readonly SpokenWord[])[];
}

async function heardIn(plane: Float32Array): Promise<SpokenWord[]> {
  const options = { verbatim: true, modelsDir: undefined, onProgress: () => undefined };
  const { regions } = await recognise(soundOf(plane), { ...options, fanOut: runHere(signal), signal });
  const words: SpokenWord[] = [];
  for await (const region of regions) words.push(...region.words);
  return words;
}

async function sounds() {
  const { all } = await readSamples(samples, (path) =>
    extractSpeech(probe(path), temporaryFolder('earshot-constants-'), { signal, onProgress: () => undefined }),
  );
  return all;
}

const recordings = (): Promise<Kept[]> =>
  stored('wrong-scripts', async () => {
    const kept: Kept[] = [];
    for (const { samples: plane, words } of await sounds()) {
      const planes = [plane, stuttered(plane, seeded(1)), ...[5, 0].map((db) => withNoise(plane, db, seeded(1)))];
      const heard: SpokenWord[][] = [];
      for (const one of planes) heard.push(await heardIn(one));
      kept.push({ text: words.map(({ text }) => text).join(' '), seconds: plane.length / 16_000, heard });
    }
    return kept;
  });

/** Is a sound told to be without a voice? */
function isTold(plane: Float32Array): boolean {
  const sound = soundOf(plane);
  try {
    return isSteady(sound);
  } finally {
    sound.close();
  }
}

/** What is taken for steady of the recordings in louder noise and quietly in 16 bits, and what is not of noises. */
async function steadiness(): Promise<readonly [lost: number, taken: number]> {
  const random = seeded(2);
  const spoken = (await sounds()).flatMap(({ samples: plane }) => [
    ...[-3, -5].map((db) => withNoise(plane, db, random)),
    plane.map((sample) => Math.round(sample * 0.002 * 32_768) / 32_768),
  ]);
  const noises = [0.2, 0.02, 0.002].map((gain) =>
    Float32Array.from({ length: 4_800_000 }, () => gain * (random() - 0.5)),
  );
  const silent = [new Float32Array(320_000), new Float32Array(320_000).map((_, at) => (at % 40_000 === 0 ? 1 : 0))];
  return [spoken.filter(isTold).length, [...noises, ...silent].filter((plane) => !isTold(plane)).length];
}

export const measure: Measure = async () => {
  const all = await recordings();
  const [spokenLost, steadyTaken] = await steadiness();
  const espeak = await openEspeak();
  const remembered = new Map<string, string>();
  const soundOfWord = (word: string): string => {
    const known = remembered.get(word) ?? espeak.ipa('gmw/en-US', word).replaceAll(/\([a-z-]+\)|[^\p{L}]/gu, '');
    remembered.set(word, known);
    return known;
  };
  const look = (texts: readonly string[], recognised: readonly SpokenWord[], seconds: number) => {
    const heard = heardWordsOf(recognised, 'en');
    const forms = texts.map((text) => spokenForm(text, 'en').spoken);
    const anchors = anchorsOf(forms.map(comparable), heard);
    const sounds = { script: forms.map(soundOfWord), heard: heard.map(({ spoken }) => soundOfWord(spoken)) };
    const letters = forms.reduce((sum, form) => sum + form.length, 0);
    return { verdict: verdictOn(sounds, anchors, seconds / (0.07 * letters)), likely: likelyWords(sounds, anchors) };
  };
  let [lost, taken, open, lostWords, takenWords] = [0, 0, 0, 0, 0];
  for (const [at, { heard, seconds, text }] of all.entries()) {
    for (const words of heard) {
      for (const other of all) {
        const { verdict, likely } = look(other.text.split(' '), words, seconds);
        if (other.text === text) {
          if (verdict === 'not spoken') lost += 1;
          lostWords += text.split(' ').length - likely.length;
        } else if (verdict === 'spoken') taken += 1;
        else if (verdict === 'not known') open += 1;
      }
    }
    for (const [, script] of mixed(text, (all[(at + 1) % all.length] as Kept).text)) {
      const texts = script.map((word) => word.text);
      const { likely } = look(texts, heard[0] ?? [], seconds);
      takenWords += likely.filter((index) => !script[index]?.said).length;
      lostWords += script.filter(({ said }, index) => said && !likely.includes(index)).length;
    }
  }
  return [
    figure('own scripts lost of 24', lost, '', 'lower'),
    figure("others' scripts taken of 120", taken, '', 'lower'),
    figure('not decided', open, '', 'lower'),
    figure('spoken words lost', lostWords, '', 'lower'),
    figure("others' words left of mixed scripts", takenWords, '', 'lower'),
    figure('speech in noise taken for noise, of 18', spokenLost, '', 'lower'),
    figure('silence and noise not told, of 5', steadyTaken, '', 'lower'),
  ];
};
