// Does align_script tell another recording's script from one that was heard badly? Each recording with its own text and
// with the others' texts; also in noise, stuttered, in other languages, and with sentences at another place.
//     node bench/speech/wrong-scripts.ts [--only=clean,noise,stutter,meetings,languages,moved] [--samples=FOLDER]
//         [--seed=1] [--cache=FOLDER]
// Prints for each pair the share of the script's words that are found, and how the script was judged. What the
// recogniser heard is kept in the folder --cache, where one is named.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFanOut } from '../../src/library/runtime/job/fan-out.ts';
import { type AlignedScript, alignScript } from '../../src/library/speech/align/align-script.ts';
import { recognise } from '../../src/library/speech/recognise/recognise.ts';
import { extractSpeech, type SpeechSound } from '../../src/library/speech/speech-sound.ts';
import type { SpokenWord } from '../../src/library/speech/spoken-word.ts';
import { seeded } from '../../test/fixtures/random.ts';
import { soundOf, spokenSound, withNoise } from '../../test/fixtures/spoken-sounds.ts';
import { temporaryFolder } from '../../test/fixtures/temporary-folder.ts';
import { wanted } from '../compare.ts';
import { joined, readSamples } from './alignment-cases.ts';
import type { KnownWord } from './alignment-measures.ts';
import { mixed, shuffled, spokenTexts, stuttered } from './wrong-script-cases.ts';
import { probe } from '../../src/library/media/read/probe.ts';

const flag = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const folder = flag('samples') ?? fileURLToPath(new URL('../../../shared/samples/', import.meta.url));
const cache = flag('cache');
const seed = Number(flag('seed') ?? 1);
const { signal } = new AbortController();
const fanOut = createFanOut(1, signal);

interface Heard {
  readonly language: string;
  readonly words: readonly SpokenWord[];
}

interface Recording {
  readonly name: string;
  readonly samples: Float32Array;
  /** Its own text; null where none is known. */
  readonly text: string | null;
}

async function hear(sound: SpeechSound, samples: Float32Array): Promise<Heard> {
  const path = cache === undefined ? null : join(cache, `${createHash('sha1').update(samples).digest('hex')}.json`);
  if (path !== null && existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as Heard;
  const options = { verbatim: true, fanOut, signal, modelsDir: undefined, onProgress: () => undefined };
  const { language, regions } = await recognise(sound, options);
  const words: SpokenWord[] = [];
  for await (const region of regions) words.push(...region.words);
  if (path !== null) {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, JSON.stringify({ language, words }));
  }
  return { language, words };
}

interface Pair {
  readonly found: number;
  readonly words: number;
  /** false where the recogniser heard too little to tell. */
  readonly isDecided: boolean;
}

async function align({ name, samples }: Recording, title: string, text: string, isOwn: boolean): Promise<Pair> {
  const sound = soundOf(samples);
  const { language, words: recognised } = await hear(sound, samples);
  const aligned = await alignScript(sound, { format: 'txt', text }, { language, recognised, signal });
  sound.close();
  const words = aligned.words.length + aligned.leftOut.reduce((sum, passage) => sum + passage.words, 0);
  const found = aligned.words.filter(({ matched }) => matched).length;
  const share = `${((100 * found) / words).toFixed(0)} %`;
  console.log(
    `${name.padEnd(28)} ${title.padEnd(22)} ${isOwn ? 'own  ' : 'wrong'} ${share.padStart(5)} ` +
      `${found} of ${words}`.padEnd(12) +
      `heard ${recognised.length}`.padEnd(11) +
      (aligned.isOtherRecording ? "another recording's" : aligned.matchedDecided ? '' : 'not decided'),
  );
  return { found, words, isDecided: aligned.matchedDecided };
}

/** How many words of a script are found that are said there, and how many that are not. */
async function judge({ name, samples }: Recording, title: string, script: readonly KnownWord[]): Promise<void> {
  const sound = soundOf(samples);
  const { language, words: recognised } = await hear(sound, samples);
  const text = script.map((word) => word.text).join(' ');
  const { words } = await alignScript(sound, { format: 'txt', text }, { language, recognised, signal });
  sound.close();
  const found = (said: boolean): string => {
    const own = words.filter((_, at) => script[at]?.said === said);
    return `${own.filter(({ matched }) => matched).length} of ${own.length}`;
  };
  console.log(`${name.padEnd(28)} ${title.padEnd(40)} said: ${found(true).padEnd(12)} not said: ${found(false)}`);
}

/** How many words of a script in another order are found, and how many of these where its own order has them. */
async function reorder({ name, samples, text }: Recording, title: string, moved: string): Promise<void> {
  const sound = soundOf(samples);
  const { language, words: recognised } = await hear(sound, samples);
  const aligned = (written: string): Promise<AlignedScript> =>
    alignScript(sound, { format: 'txt', text: written }, { language, recognised, signal });
  const places = ({ words }: AlignedScript): string[] =>
    words.flatMap((word) => (word.matched ? [`${word.text} ${word.startSeconds.toFixed(1)}`] : []));
  const [own, other] = [places(await aligned(text ?? '')), places(await aligned(moved))];
  sound.close();
  const same = other.filter((place) => own.includes(place)).length;
  console.log(`${name.padEnd(28)} ${title.padEnd(40)} found: ${other.length} of ${own.length}, at its place: ${same}`);
}

/** Each recording with its own text and all others. */
async function crossed(title: string, recordings: readonly Recording[], scripts: readonly Recording[]): Promise<void> {
  const own: Pair[] = [];
  const wrong: Pair[] = [];
  for (const recording of recordings)
    for (const { name, text } of scripts) {
      if (text === null) continue;
      const isOwn = text === recording.text;
      (isOwn ? own : wrong).push(await align(recording, name, text, isOwn));
    }
  // What is not decided claims nothing.
  const shares = wrong.filter(({ isDecided }) => isDecided).map(({ found, words }) => found / words);
  const open = wrong.length - shares.length;
  const found = own.reduce((sum, pair) => sum + pair.found, 0);
  const all = own.reduce((sum, { words }) => sum + words, 0);
  console.log(
    `== ${title}: own scripts ${found} of ${all} words found; ${wrong.length} wrong pairs, ${open} not decided, ` +
      `${shares.filter((share) => share > 0.05).length} of them with over 5 % found, most ` +
      `${(100 * Math.max(0, ...shares)).toFixed(1)} %\n`,
  );
}

async function meetings(): Promise<Recording[]> {
  const read = async (name: string): Promise<Recording> => {
    const sound = await extractSpeech(probe(join(folder, name)), temporaryFolder('earshot-wrong-'), {
      signal,
      onProgress: () => undefined,
    });
    const samples = sound.read(0, sound.frames);
    sound.close();
    return { name, samples, text: null };
  };
  const names = [
    'meetings/ami-trn05.wav',
    'meetings/ami-trn06.wav',
    'meetings/ami-trn07.wav',
    'meetings/ami-trn08.wav',
  ];
  const others = ['fillers/um.flac', 'fillers/uh.flac', 'noise/clean_speech_48k.wav', 'noise/noise_48k.wav'];
  return Promise.all([...names, ...others].filter((name) => existsSync(join(folder, name))).map(read));
}

if (existsSync(folder)) {
  const { all } = await readSamples(folder, (path) =>
    extractSpeech(probe(path), temporaryFolder('earshot-wrong-'), { signal, onProgress: () => undefined }),
  );
  const names = ['jfk', 'austen-0870', 'austen-0880', 'austen-0890', 'sonnet001', 'acoustic_corpus'];
  const recordings = all.map(({ samples, words }, at): Recording => {
    return { name: names[at] as string, samples, text: words.map(({ text }) => text).join(' ') };
  });
  const changed = (suffix: string, change: (samples: Float32Array) => Float32Array): Recording[] =>
    recordings.map(({ name, samples, text }) => ({ name: `${name}, ${suffix}`, samples: change(samples), text }));
  if (wanted('clean')) await crossed('clean', recordings, recordings);
  for (const decibels of [10, 5, 0])
    if (wanted('noise')) {
      const noisy = changed(`${decibels} dB noise`, (samples) => withNoise(samples, decibels, seeded(seed)));
      await crossed(`${decibels} dB of noise`, noisy, recordings);
    }
  if (wanted('stutter'))
    await crossed(
      'stuttered',
      changed('stuttered', (samples) => stuttered(samples, seeded(seed))),
      recordings,
    );
  if (wanted('meetings')) await crossed('meetings and others', await meetings(), recordings);
  if (wanted('languages'))
    for (const [language, texts] of Object.entries(spokenTexts))
      for (const decibels of [null, 10]) {
        const spoken: Recording[] = [];
        for (const [at, text] of texts.entries()) {
          const { sound } = await spokenSound(language, text, { wordsPerMinute: 150 });
          const samples = sound.read(0, sound.frames);
          const suffix = decibels === null ? '' : `, ${decibels} dB`;
          spoken.push({
            name: `${language} ${at + 1}${suffix}`,
            samples: decibels === null ? samples : withNoise(samples, decibels, seeded(seed)),
            text,
          });
        }
        await crossed(`eSpeak NG, ${language}${decibels === null ? '' : `, ${decibels} dB of noise`}`, spoken, spoken);
      }
  if (wanted('moved')) {
    const texts = recordings.map(({ text }) => text ?? '');
    const whole: Recording = { name: 'all in a row', samples: joined(all).samples, text: texts.join(' ') };
    for (const recording of [whole, ...recordings])
      for (const turn of [0, 1, 2])
        await reorder(recording, `shuffled ${turn}`, shuffled(recording.text ?? '', seeded(seed + turn)));
    for (const [at, recording] of recordings.entries())
      for (const [title, script] of mixed(texts[at] as string, texts[(at + 1) % texts.length] as string))
        await judge(recording, title, script);
  }
} else console.log(`No samples in ${folder}: name their folder with --samples=FOLDER`);
process.exit();
