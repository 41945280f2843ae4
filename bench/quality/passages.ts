// What the tools keep: quiet and unusual voices, music without a voice; what they must not take for music; and whether
// the recording's level matters. node bench/quality/run.ts --passages | --levels
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chooseNoiseEngine, type NoiseEngine } from '../../src/library/dsp/denoise/engines.ts';
import { pieces } from '../../test/fixtures/sounds/music.ts';
import { creak, laugh, sing, whisper } from '../../test/fixtures/sounds/revoice.ts';
import { secondsOf, watched } from '../../test/fixtures/sounds/watched.ts';
import { deepFilterNetFolder } from './engines.ts';
import { lostVoice } from './lost-voice.ts';
import { siSdr } from './measures.ts';
import { machines } from './machines.ts';
import { mix, noises, rate, sample } from './mixtures.ts';
import { otherNoises } from './other-noises.ts';
import { seeded } from './voice-cases.ts';

const decibels = (x: Float32Array): number => 10 * Math.log10(x.reduce((sum, y) => sum + y * y, 0) / x.length + 1e-20);
const at = (x: Float32Array, dbfs: number): Float32Array => {
  const gain = 10 ** ((dbfs - decibels(x)) / 20);
  return x.map((y) => y * gain);
};

async function engines(): Promise<NoiseEngine[]> {
  const folder = await deepFilterNetFolder();
  return [
    ...(folder === null ? [] : [await chooseNoiseEngine(folder, 'deepfilternet3')]),
    await chooseNoiseEngine(undefined, 'rnnoise'),
  ];
}

/** SI-SDR of one mixture at levels from -60 to -10 dBFS. */
export async function benchLevels(): Promise<void> {
  const speech = sample('noise/clean_speech_48k.wav');
  const sounds = {
    clean: speech,
    'pink 5 dB': mix(speech, (noises['pink'] as (n: number) => Float32Array)(speech.length), 5),
  };
  const levels = [-60, -50, -40, -30, -20, -10];
  console.log(`SI-SDR, dB, by the recording's RMS level in dBFS\n| engine, recording | ${levels.join(' | ')} |`);
  console.log(`|---|${levels.map(() => '---').join('|')}|`);
  for (const engine of await engines()) {
    for (const [name, sound] of Object.entries(sounds)) {
      const row: string[] = [];
      for (const level of levels)
        row.push(siSdr((await watched(engine, [at(sound, level)])).planes[0] as Float32Array, speech).toFixed(2));
      console.log(`| ${engine.id}, ${name} | ${row.join(' | ')} |`);
    }
  }
}

const seconds = 12;

/** Noises beside those of the mixtures: what might be taken for music. */
function likeMusic(): Record<string, Float32Array> {
  const frames = seconds * rate;
  const pink = (noises['pink'] as (n: number) => Float32Array)(frames);
  const random = seeded(41);
  const typing = pink.map((x) => 0.001 * x);
  for (let from = 0; from < frames; from += Math.floor((0.06 + random() ** 2) * rate)) {
    for (let i = 0; i < 2400 && from + i < frames; i += 1)
      typing[from + i] =
        (typing[from + i] as number) +
        (random() - 0.5) * Math.exp(-i / 200) * 0.5 +
        Math.sin(i * 0.09) * Math.exp(-i / 500) * 0.1;
  }
  return {
    fan: pink.map(
      (x, i) =>
        x * (1 + 0.2 * Math.sin((2 * Math.PI * 9 * i) / rate)) +
        0.6 * Math.sin((2 * Math.PI * 118 * i) / rate) +
        0.3 * Math.sin((2 * Math.PI * 470 * i) / rate),
    ),
    traffic: pink.map((x, i) => x * (0.3 + Math.abs(Math.sin((2 * Math.PI * 0.11 * i) / rate)))),
    engine: pink.map((x, i) => {
      const phase = 2 * Math.PI * (40 * (i / rate) + 8 * Math.sin((0.8 * i) / rate));
      let sum = 0.25 * x;
      for (let k = 1; k < 30; k += 1) sum += Math.sin(k * phase + k * k) / k;
      return sum;
    }),
    typing,
    'stamping machine': pink.map((x, i) => x * (Math.exp(-(i % (rate / 2)) / 2000) + 0.005)),
  };
}

/** Both errors of the music decision, and the level that voices keep. */
export async function benchPassages(): Promise<void> {
  const speech = sample('noise/clean_speech_48k.wav');
  const austen = sample('speech/austen-0870.wav');
  const voices: Record<string, Float32Array> = {
    whisper: whisper(speech),
    'whisper, another': whisper(austen),
    creak: creak(speech),
    'creak, another': creak(austen),
    singing: sing(speech),
    'singing, low': sing(austen, 2, 130),
    laughter: laugh(seconds),
  };
  const table = (title: string, columns: readonly string[]): void =>
    console.log(`\n${title}\n| sound | ${columns.join(' | ')} |\n|---|${columns.map(() => '---').join('|')}|`);
  for (const engine of await engines()) {
    const line = (name: string, values: readonly string[]): void => console.log(`| ${name} | ${values.join(' | ')} |`);
    table(`${engine.id}: voices at -50 dBFS`, ['level, dB', 'lost voice, dB', 'frames gone', 'saved, s']);
    for (const [name, voice] of Object.entries(voices)) {
      const quiet = at(voice, -50);
      const { planes, passages } = await watched(engine, [quiet]);
      const out = planes[0] as Float32Array;
      const { levelDb, goneShare } = lostVoice(out, quiet);
      const saved = secondsOf(passages, 'quiet_voice') + secondsOf(passages, 'far_voice');
      line(name, [
        (decibels(out) - decibels(quiet)).toFixed(1),
        levelDb.toFixed(1),
        goneShare.toFixed(3),
        saved.toFixed(1),
      ]);
    }
    table(`${engine.id}: music, ${seconds} s`, ['level, dB', 'taken for music, s']);
    for (const [name, piece] of Object.entries(pieces)) {
      const music = piece(seconds);
      const { planes, passages } = await watched(engine, [music]);
      const change = decibels(planes[0] as Float32Array) - decibels(music);
      line(name, [change.toFixed(1), secondsOf(passages, 'music').toFixed(0)]);
    }
    table(`${engine.id}: no music`, ['level, dB', 'taken for music, s']);
    const others: Record<string, Float32Array> = { ...likeMusic(), speech, austen };
    for (const [name, noise] of Object.entries(noises)) {
      others[name] = noise(seconds * rate);
      for (const snrDb of [-5, 5]) others[`speech in ${name}, ${snrDb} dB`] = mix(speech, noise(speech.length), snrDb);
    }
    for (const [name, noise] of Object.entries({ ...otherNoises, ...machines })) others[name] = noise(seconds * rate);
    for (const name of ['pop', 'pads', 'rock'])
      others[`speech over ${name}, 6 dB`] = mix(
        speech.slice(0, seconds * rate),
        (pieces[name] as (s: number) => Float32Array)(seconds),
        6,
      );
    for (const meeting of ['05', '06', '07', '08']) {
      const path = `meetings/ami-trn${meeting}.wav`;
      if (existsSync(fileURLToPath(new URL(`../../../shared/samples/${path}`, import.meta.url))))
        others[path] = sample(path);
    }
    for (const [name, sound] of Object.entries(others)) {
      const { planes, passages } = await watched(engine, [at(sound, -30)]);
      line(name, [(decibels(planes[0] as Float32Array) + 30).toFixed(1), secondsOf(passages, 'music').toFixed(0)]);
    }
  }
}
