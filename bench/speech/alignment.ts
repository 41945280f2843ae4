// How near the times of aligned scripts and refined transcripts are to those that people gave, beside echogarden where
// npm can fetch it, and what aligning costs.
//     node bench/speech/alignment.ts [--only=words,damage,espeak,speed,long] [--samples=FOLDER] [--seed=1] [--no-peer]
// Errors are those of starts and ends: median, 90 and 95 %; shares within 50, 100 and 200 ms.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openEncoder } from '../../src/library/media/write/encode.ts';
import { createFanOut } from '../../src/library/runtime/job/fan-out.ts';
import { alignScript } from '../../src/library/speech/align/align-script.ts';
import { chooseVoice, refineWords } from '../../src/library/speech/align/refine-words.ts';
import { recognise } from '../../src/library/speech/recognise/recognise.ts';
import { extractSpeech, openSpeech, speechRate, type SpeechSound } from '../../src/library/speech/speech-sound.ts';
import type { SpokenWord } from '../../src/library/speech/spoken-word.ts';
import { transcribe } from '../../src/library/speech/transcribe/transcribe.ts';
import { seeded } from '../../test/fixtures/random.ts';
import { spokenSound, withNoise } from '../../test/fixtures/spoken-sounds.ts';
import { wanted } from '../compare.ts';
import { damaged, joined, readSamples } from './alignment-cases.ts';
import { judged, type KnownWord, wordsOfTranscript } from './alignment-measures.ts';
import { probe } from '../../src/library/media/read/probe.ts';

const flag = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const folder = flag('samples') ?? fileURLToPath(new URL('../../../shared/samples/', import.meta.url));
const seed = Number(flag('seed') ?? 1);
const scratch = mkdtempSync(join(tmpdir(), 'earshot-alignment-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const { signal } = new AbortController();
const fanOut = createFanOut(1, signal);

let made = 0;
const newFolder = (): string => {
  const path = join(scratch, String((made += 1)));
  mkdirSync(path);
  return path;
};
const extract = (path: string): Promise<SpeechSound> =>
  extractSpeech(probe(path), newFolder(), { signal, onProgress: () => {} });

function soundOf(...parts: readonly Float32Array[]): SpeechSound {
  const path = join(newFolder(), 'speech.f32');
  const file = openSync(path, 'w');
  for (const part of parts) writeSync(file, new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
  closeSync(file);
  return openSpeech(path);
}

async function heardWords(sound: SpeechSound): Promise<SpokenWord[]> {
  const options = { verbatim: true, fanOut, signal, parallelism: 1, modelsDir: undefined, onProgress: () => {} };
  const { regions } = await recognise(sound, options);
  const words: SpokenWord[] = [];
  for await (const region of regions) words.push(...region.words);
  return words;
}

/** The words of a transcript as a listener gets it. */
async function transcribedWords(sound: SpeechSound): Promise<SpokenWord[]> {
  const options = { fanOut, signal, parallelism: 1, modelsDir: undefined, pass: () => () => undefined };
  const { transcript } = await transcribe(sound, { ...options, verbatim: true, speakerLabels: false });
  return transcript.sentences.flatMap(({ words }) => words);
}

const textOf = (words: readonly KnownWord[]): string => words.map(({ text }) => text).join(' ');

async function aligned(sound: SpeechSound, script: readonly KnownWord[], recognised: readonly SpokenWord[] | null) {
  const { words } = await alignScript(
    sound,
    { format: 'txt', text: textOf(script) },
    { language: 'en', recognised, signal },
  );
  return judged(script, words);
}

const print = (title: string, line: string): void => console.log(`${title.padEnd(44)} ${line}`);

interface PeerWord {
  readonly text: string;
  readonly startTime: number;
  readonly endTime: number;
}

/**
 * echogarden's `dtw`, against eSpeak NG as well; the last version that gets eSpeak NG from npm. null where it cannot be
 * had.
 */
async function openPeer(): Promise<
  ((samples: Float32Array, text: string, language: string) => Promise<PeerWord[]>) | null
> {
  if (process.argv.includes('--no-peer')) return null;
  const home = fileURLToPath(new URL('../.media/echogarden/', import.meta.url));
  const entry = join(home, 'node_modules/echogarden/dist/api/API.js');
  if (!existsSync(entry)) {
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'package.json'), '{ "private": true }');
    spawnSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', 'echogarden@2.10.2'], {
      cwd: home,
      stdio: 'ignore',
    });
  }
  if (!existsSync(entry)) {
    console.log('No echogarden here: npm could not fetch it');
    return null;
  }
  const { align } = (await import(pathToFileURL(entry).href)) as {
    align(path: string, text: string, options: object): Promise<{ readonly wordTimeline: readonly PeerWord[] }>;
  };
  return async (samples, text, language) => {
    const path = join(newFolder(), 'sound.wav');
    const format = { sampleRate: speechRate, channels: 1, layout: 'mono' as const };
    const sink = openEncoder(path, format, { format: 'wav', bitDepth: '16' });
    sink.write({ ...format, planes: [samples], frames: samples.length });
    sink.finish();
    sink.close();
    try {
      return [...(await align(path, text, { engine: 'dtw', language })).wordTimeline];
    } catch (thrown) {
      console.log(`echogarden fails: ${String(thrown)}`);
      return [];
    }
  };
}

/** The peer has a word for each of ours, or its words cannot be compared. */
function judgedPeer(script: readonly KnownWord[], words: readonly PeerWord[]): string {
  if (words.length !== script.length) return `${words.length} words for ${script.length}`;
  return judged(
    script,
    words.map(({ startTime, endTime }) => ({ startSeconds: startTime, endSeconds: endTime, matched: true })),
  );
}

async function benchWords({ acoustic, sonnet }: Awaited<ReturnType<typeof readSamples>>): Promise<void> {
  const peer = await openPeer();
  for (const [name, sample] of [
    ['acoustic_corpus', acoustic],
    ['sonnet001', sonnet],
  ] as const)
    for (const noise of [null, 10]) {
      const samples = noise === null ? sample.samples : withNoise(sample.samples, noise, seeded(seed));
      const sound = soundOf(samples);
      const title = `${name}${noise === null ? '' : `, ${noise} dB noise`}`;
      print(`${title}: script`, await aligned(sound, sample.words, await heardWords(sound)));
      print(`${title}: script, no recogniser`, await aligned(sound, sample.words, null));
      print(
        `${title}: words of the transcript`,
        judged(sample.words, wordsOfTranscript(sample.words, await transcribedWords(sound))),
      );
      if (peer)
        print(`${title}: echogarden dtw`, judgedPeer(sample.words, await peer(samples, textOf(sample.words), 'en-US')));
      sound.close();
    }
}

async function benchDamage({ all }: Awaited<ReturnType<typeof readSamples>>): Promise<void> {
  const whole = joined(all);
  const sound = soundOf(whole.samples);
  const heard = await heardWords(sound);
  print('all samples in a row', await aligned(sound, whole.words, heard));
  for (const [title, script] of Object.entries(damaged(whole.words, seeded(seed))))
    print(title, await aligned(sound, script, heard));
  const meeting = await extract(join(folder, 'meetings/ami-trn05.wav'));
  const strange = meeting.read(0, 20 * speechRate);
  for (const [title, places] of [
    ['20 s of strange speech in front', [0]],
    ['the same in front and in the middle', [0, Math.floor(all.length / 2)]],
  ] as const) {
    const { samples, words } = joined(all, strange, places);
    const longer = soundOf(samples);
    print(title, await aligned(longer, words, await heardWords(longer)));
  }
}

const texts: Readonly<Record<string, string>> = {
  de:
    'Am nächsten Morgen ging der alte Fischer früh zum Hafen. Das Wasser war ruhig, und kein Wind bewegte die Segel. ' +
    'Er dachte an die vielen Jahre, die er hier verbracht hatte.',
  fr:
    'Le lendemain matin, le vieux pêcheur descendit au port. La mer était calme et aucun vent ne gonflait les ' +
    'voiles. Il pensait aux longues années passées sur cette côte.',
  es:
    'A la mañana siguiente el viejo pescador bajó al puerto. El mar estaba tranquilo y ningún viento movía las ' +
    'velas. Pensaba en los muchos años que había pasado en aquella costa.',
  ja: 'あさ はやく おじいさん は みなと へ いきました。 うみ は しずか で、 かぜ も ありません でした。 かれ は むかし の こと を おもいだしました。',
};

async function benchEspeak(): Promise<void> {
  for (const [language, text] of Object.entries(texts))
    for (const wordsPerMinute of [140, 205]) {
      const { sound, words } = await spokenSound(language, text, { wordsPerMinute, pitch: 75 });
      const found = await alignScript(sound, { format: 'txt', text }, { language, recognised: null, signal });
      const script = words.map((word) => ({ ...word, said: true }));
      print(`eSpeak ${language}, ${wordsPerMinute} words a minute`, judged(script, found.words));
    }
}

/** CPU seconds of this process, so that others on the machine do not count. */
async function benchCost({ all }: Awaited<ReturnType<typeof readSamples>>, seconds: number): Promise<void> {
  const whole = joined(all);
  const length = whole.samples.length / speechRate;
  const copies = Math.ceil(seconds / length);
  const once = soundOf(whole.samples);
  const heard = await heardWords(once);
  const repeated = (words: readonly SpokenWord[]): SpokenWord[] =>
    Array.from({ length: copies }, (_, copy) =>
      words.map((word) => ({
        ...word,
        startSeconds: word.startSeconds + copy * length,
        endSeconds: word.endSeconds + copy * length,
      })),
    ).flat();
  const sound = soundOf(...Array.from({ length: copies }, () => whole.samples));
  const text = Array.from({ length: copies }, () => textOf(whole.words)).join('\n');
  const recognised = repeated(heard);
  const works: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['script', () => alignScript(sound, { format: 'txt', text }, { language: 'en', recognised, signal })],
    [
      'script, no recogniser',
      () => alignScript(sound, { format: 'txt', text }, { language: 'en', recognised: null, signal }),
    ],
    [
      'words of a transcript',
      async () => {
        const voice = await chooseVoice(sound, heard, { language: 'en', signal });
        return refineWords(sound, recognised, { language: 'en', voice, signal });
      },
    ],
  ];
  for (const [title, work] of works) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    const peakMb = process.resourceUsage().maxRSS / 1024;
    const speed = sound.durationSeconds / ((user + system) / 1e6);
    print(
      `${(sound.durationSeconds / 3600).toFixed(2)} h, ${title}`,
      `${speed.toFixed(0)}x real time a core, peak so far ${peakMb.toFixed(0)} MB`,
    );
  }
}

if (existsSync(folder)) {
  const samples: Awaited<ReturnType<typeof readSamples>> = await readSamples(folder, extract);
  if (wanted('words')) await benchWords(samples);
  if (wanted('damage')) await benchDamage(samples);
  if (wanted('espeak')) await benchEspeak();
  if (wanted('speed')) await benchCost(samples, 1200);
  if (wanted('long')) await benchCost(samples, 3 * 3600);
} else console.log(`No samples in ${folder}: name their folder with --samples=FOLDER`);
process.exit();
