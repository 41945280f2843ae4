// What the recogniser writes down and what that costs, beside faster-whisper (int8, batched by 8, with words) and
// OpenAI's own code (float32) with the same weights in the same run.
//     node bench/speech/recognition.ts [--runs=3] [--samples=FOLDER] [--openai] [--only=words,silence,speed]
//     node bench/speech/recognition.ts --only=long [--hours=3]    a transcript with speakers: what it takes and costs
// The samples are the folder of recordings with texts that lies beside the checkout. Quiet, telephone, noise and the
// like: hard-cases.ts.
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { extractSpeech, speechRate } from '../../src/library/speech/speech-sound.ts';
import { flag, median, runs, wanted } from '../compare.ts';
import {
  fasterWhisper,
  floats,
  normalised,
  openaiWhisper,
  ours,
  ourTranscript,
  peer,
  type Reader,
  type Reading,
  samplesOf,
} from './readers.ts';
import { wordErrors } from './word-error.ts';
import { probe } from '../../src/library/media/read/probe.ts';

/**
 * 300 s each of what holds no voice. Notes of the music are drawn by a small generator, so that it is the same always.
 */
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

async function bench(work: string): Promise<void> {
  const folder = flag('samples') ?? fileURLToPath(new URL('../../../shared/samples/', import.meta.url));
  if (!existsSync(folder)) throw new Error(`Expected recordings with texts in ${folder}: name a folder with --samples`);
  const samples = await samplesOf([join(folder, 'speech'), join(folder, 'fillers')], work);
  const faster = fasterWhisper();
  const openai = process.argv.includes('--openai') ? openaiWhisper() : null;
  const peers: (readonly [string, Reader])[] = [['earshot', ours(2)]];
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
      const each = all
        .map((one, index) => `${basename(samples[index]?.name ?? '')} ${one.errors}/${one.words}`)
        .join(', ');
      console.log(`${name.padEnd(30)} word error ${((100 * errors) / words).toFixed(1)} %  (${each})`);
    }
  }
  if (wanted('silence')) {
    const options = { signal: new AbortController().signal, onProgress: () => undefined };
    const { path: noise } = await extractSpeech(probe(join(folder, 'noise/noise_48k.wav')), work, options);
    for (const [name, sound] of voiceless(floats(noise))) {
      const path = join(work, 'voiceless.f32');
      writeFileSync(path, sound);
      console.log(`${name.padEnd(30)} ${ours(2)([path])[0]?.words} words in 300 s`);
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
    const [done] = ourTranscript(2)([path]);
    const { wallSeconds, cpuSeconds, peakMb, words } = done as Reading;
    console.log(
      `${hours} h with speakers: ${((hours * 3600) / wallSeconds).toFixed(1)}x real time, ` +
        `${cpuSeconds.toFixed(0)} s of CPU, peak ${peakMb.toFixed(0)} MB (${words} words)`,
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

const work = mkdtempSync(join(tmpdir(), 'earshot-bench-'));
try {
  await bench(work);
} finally {
  rmSync(work, { recursive: true, force: true });
}
