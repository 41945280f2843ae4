// Times of aligned words against those that people gave (bench/speech/alignment.ts): scripts with and without a
// recogniser's words, as subtitles, with damage, and in a text far longer than the recording; words of a transcript.
import { alignScript } from '../../../src/library/speech/align/align-script.ts';
import { chooseVoice, refineWords } from '../../../src/library/speech/align/refine-words.ts';
import { runHere } from '../../../src/library/dsp/denoise/suppressor/pieces.ts';
import { recognise } from '../../../src/library/speech/recognise/recognise.ts';
import { extractSpeech, openSpeech, type SpeechSound } from '../../../src/library/speech/speech-sound.ts';
import type { SpokenWord } from '../../../src/library/speech/spoken-word.ts';
import type { Script } from '../../../src/library/speech/transcript/read/script.ts';
import { seeded } from '../../../test/fixtures/random.ts';
import { withNoise } from '../../../test/fixtures/spoken-sounds.ts';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import { damaged, joined, readSamples } from '../../speech/alignment-cases.ts';
import { type FoundWord, judgement, type KnownWord, wordsOfTranscript } from '../../speech/alignment-measures.ts';
import { figure, type Measure } from '../figures.ts';
import { hashOf, openAnswers } from '../answers.ts';
import { samples, stored, storedSound, storePath } from '../store.ts';
import { type Espeak, openEspeak, type Utterance } from '../../../src/library/speech/align/reference/espeak.ts';
import { signal } from './spoken-material.ts';
import { probe } from '../../../src/library/media/read/probe.ts';

interface Kept {
  readonly path: string;
  readonly words: readonly KnownWord[];
  readonly heard: readonly SpokenWord[];
}

/** What is aligned with a recording, where it is not its own words with the recogniser's. */
interface Wanted {
  readonly script?: Script;
  readonly known?: readonly KnownWord[];
  readonly recognised?: readonly SpokenWord[] | null;
}

async function heardWords(sound: SpeechSound): Promise<SpokenWord[]> {
  const options = { verbatim: true, parallelism: 1, modelsDir: undefined, onProgress: () => undefined };
  const { regions } = await recognise(sound, { ...options, fanOut: runHere(signal), signal });
  const words: SpokenWord[] = [];
  for await (const region of regions) words.push(...region.words);
  return words;
}

type Name = 'acoustic' | 'acoustic in noise' | 'sonnet' | 'some';

const recordings = (): Promise<Record<Name, Kept>> =>
  stored('alignment', async () => {
    const read = (path: string): Promise<SpeechSound> =>
      extractSpeech(probe(path), temporaryFolder('earshot-constants-'), { signal, onProgress: () => undefined });
    const { acoustic, sonnet, all } = await readSamples(samples, read);
    const kept = async (name: string, plane: Float32Array, words: readonly KnownWord[]): Promise<Kept> => {
      const path = await storedSound(`sounds/alignment-${name.replaceAll(' ', '-')}`, () => plane);
      return { path, words, heard: await heardWords(openSpeech(path)) };
    };
    const noisy = (plane: Float32Array): Float32Array => withNoise(plane, 10, seeded(1));
    // A speech, a reader, a talk.
    const some = joined(all.filter((_, at) => [0, 1, 5].includes(at)));
    return {
      acoustic: await kept('acoustic', acoustic.samples, acoustic.words),
      'acoustic in noise': await kept('acoustic in noise', noisy(acoustic.samples), acoustic.words),
      sonnet: await kept('sonnet', sonnet.samples, sonnet.words),
      some: await kept('some', some.samples, some.words),
    };
  });

const textOf = (words: readonly KnownWord[]): string => words.map(({ text }) => text).join(' ');
const plainScript = (words: readonly KnownWord[]): Script => ({ format: 'txt', text: textOf(words) });

/** Lines as subtitles that come 0.8 s late and run 1 % too slowly. */
function subtitles(words: readonly KnownWord[]): Script {
  const starts = words.flatMap(({ lineStartSeconds }, index) =>
    lineStartSeconds === undefined ? [] : [[index, lineStartSeconds] as const],
  );
  const cues = starts.map(([from, seconds], line) => {
    const [to, next] = starts[line + 1] ?? [words.length, seconds + 3];
    const late = (at: number): number => 0.8 + 1.01 * at;
    return {
      startSeconds: late(seconds),
      endSeconds: late(next - 0.1),
      lines: [textOf(words.slice(from, to))],
      voice: null,
    };
  });
  return { format: 'srt', cues };
}

/** The words somewhere in a long text of others' words in another order. */
function hidden(words: readonly KnownWord[], others: readonly KnownWord[]): KnownWord[] {
  const random = seeded(7);
  const prose = (count: number): KnownWord[] =>
    Array.from({ length: count }, (_, at) => {
      const { text } = others[Math.floor(random() * others.length)] as KnownWord;
      return { text: at % 12 === 11 ? `${text}.` : text, said: false };
    });
  return [...prose(1500), ...words, ...prose(1500)];
}

export const measure: Measure = async () => {
  const all = await recordings();
  const sums = { errors: [] as number[], lines: [] as number[], said: 0, rightly: 0, wrongly: 0 };
  const add = (script: readonly KnownWord[], found: readonly FoundWord[]): void => {
    const { errors, lines, said, rightly, wrongly } = judgement(script, found);
    sums.errors.push(...errors);
    sums.lines.push(...lines);
    sums.said += said;
    sums.rightly += rightly;
    sums.wrongly += wrongly;
  };
  const align = async (
    { path, words, heard }: Kept,
    { script = plainScript(words), known = words, recognised = heard }: Wanted = {},
  ): Promise<void> => {
    const sound = openSpeech(path);
    const aligned = await alignScript(sound, script, { language: 'en', recognised, signal });
    const found = known.length === aligned.words.length ? aligned.words : spread(known, aligned.words);
    add(known, found);
    sound.close();
  };
  await rememberSpeech();
  await align(all.acoustic);
  await align(all['acoustic in noise'], { recognised: null });
  const { sonnet, acoustic } = all;
  const lined = sonnet.words.slice(sonnet.words.findIndex(({ lineStartSeconds }) => lineStartSeconds !== undefined));
  await align(sonnet, { script: subtitles(sonnet.words), known: lined, recognised: null });
  const added = damaged(all.some.words, seeded(1))['sentences that are not said']!;
  const script = damaged(added, seeded(1))['speech left out']!;
  await align(all.some, { script: plainScript(script), known: script });
  const long = hidden(acoustic.words, sonnet.words);
  await align(acoustic, { script: plainScript(long), known: long });
  const { path, heard, words } = all['acoustic in noise'];
  const sound = openSpeech(path);
  const voice = await chooseVoice(sound, heard, { language: 'en', signal });
  add(words, wordsOfTranscript(words, await refineWords(sound, heard, { language: 'en', voice, signal })));
  sound.close();
  const errors = sums.errors.toSorted((a, b) => a - b);
  const quantile = (share: number): number => 1000 * (errors[Math.floor(share * errors.length)] ?? 0);
  return [
    figure('edges of words, median', quantile(0.5), 'ms', 'lower', 1),
    figure('90 %', quantile(0.9), 'ms', 'lower', 0),
    figure('mean', (1000 * errors.reduce((sum, x) => sum + x, 0)) / errors.length, 'ms', 'lower', 1),
    figure(
      `lines more than 0.12 s off of ${sums.lines.length}`,
      sums.lines.filter((error) => error > 0.12).length,
      '',
      'lower',
    ),
    figure(`spoken words missed of ${sums.said}`, sums.said - sums.rightly, '', 'lower'),
    figure('unspoken words found', sums.wrongly, '', 'lower'),
  ];
};

/** What eSpeak NG says is the same for the same arguments: it is said once and kept. */
async function rememberSpeech(): Promise<void> {
  const answers = openAnswers(storePath('espeak.sqlite'));
  const espeak = (await openEspeak()) as { speak: Espeak['speak'] };
  const speak = espeak.speak.bind(espeak);
  espeak.speak = (voice, text, settings) => {
    const key = hashOf(JSON.stringify([voice, text, settings ?? {}]));
    const kept = answers.find<Utterance>(key);
    if (kept) return kept;
    const utterance = speak(voice, text, settings);
    answers.keep(key, utterance);
    return utterance;
  };
}

/** Words that were left out of a long text count as not found. */
function spread(known: readonly KnownWord[], aligned: readonly (FoundWord & { readonly text: string })[]): FoundWord[] {
  let at = 0;
  return known.map(({ text }, index) => {
    const word = aligned[at];
    const left = known.length - index > aligned.length - at;
    if (word === undefined || (left && word.text !== text)) return { startSeconds: 0, endSeconds: 0, matched: false };
    at += 1;
    return word;
  });
}
