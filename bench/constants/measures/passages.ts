// What remove_noise makes of voices in noise at several levels, of quiet voices, of music alone, and of
// noises: with DeepFilterNet3, whose networks answer from the store.
import { readFileSync } from 'node:fs';
import { chooseNoiseEngine } from '../../../src/library/dsp/denoise/engines.ts';
import { pieces } from '../../../test/fixtures/sounds/music.ts';
import { creak, laugh, sing, whisper } from '../../../test/fixtures/sounds/revoice.ts';
import { secondsOf, watched } from '../../../test/fixtures/sounds/watched.ts';
import { machines } from '../../quality/machines.ts';
import { siSdr } from '../../quality/measures.ts';
import { mix, noises, rate, sample } from '../../quality/mixtures.ts';
import { otherNoises } from '../../quality/other-noises.ts';
import { figure, type Measure } from '../figures.ts';
import { storedSound } from '../store.ts';

const seconds = 6;
const frames = seconds * rate;
const levelOf = (plane: Float32Array): number =>
  10 * Math.log10(plane.reduce((sum, x) => sum + x * x, 0) / plane.length + 1e-20);
function atLevel(plane: Float32Array, dbfs: number): Float32Array {
  const gain = 10 ** ((dbfs - levelOf(plane)) / 20);
  return plane.map((x) => x * gain);
}
async function kept(name: string, make: () => Float32Array): Promise<Float32Array> {
  const { buffer, byteOffset, length } = readFileSync(await storedSound(`passages/${name}`, make));
  return new Float32Array(buffer.slice(byteOffset, byteOffset + length));
}
const speech = (): Float32Array => sample('noise/clean_speech_48k.wav').slice(0, frames);
const sound = (from: Readonly<Record<string, (frames: number) => Float32Array>>, name: string): Float32Array =>
  (from[name] as (frames: number) => Float32Array)(frames);

const mixtures = [
  ['pink', 0, -20],
  ['pink', 10, -50],
  ['recorded', 0, -50],
  ['recorded', 10, -20],
] as const;
const quietVoices: Readonly<Record<string, () => Float32Array>> = {
  whisper: () => whisper(speech()),
  creak: () => creak(speech()),
  singing: () => sing(speech()),
  laughter: () => laugh(seconds),
};
const songs = ['rock', 'pop', 'drums', 'strummed guitar'];

export const measure: Measure = async () => {
  const engine = await chooseNoiseEngine(undefined, 'deepfilternet3');
  const run = async (plane: Float32Array) => {
    const { planes, passages } = await watched(engine, [plane]);
    return { out: planes[0] as Float32Array, passages };
  };
  const voice = await kept('voice', speech);
  const gains: number[] = [];
  for (const [noise, snrDb, dbfs] of mixtures) {
    const noisy = await kept(`${noise} ${snrDb} ${dbfs}`, () => atLevel(mix(voice, sound(noises, noise), snrDb), dbfs));
    gains.push(siSdr((await run(noisy)).out, voice) - siSdr(noisy, voice));
  }
  const lost: number[] = [];
  for (const [name, make] of Object.entries(quietVoices)) {
    const quiet = await kept(name, () => atLevel(make(), -46));
    lost.push(levelOf(quiet) - levelOf((await run(quiet)).out));
  }
  let [missed, left, taken] = [0, 0, 0];
  for (const name of songs) {
    const music = await kept(`music ${name}`, () => (pieces[name] as (length: number) => Float32Array)(seconds));
    missed += seconds - secondsOf((await run(music)).passages, 'music');
  }
  const steady = { ...machines, ...otherNoises };
  for (const name of Object.keys(steady).slice(0, 8)) {
    const noise = await kept(`noise ${name}`, () => atLevel(sound(steady, name), -30));
    const { out, passages } = await run(noise);
    taken += secondsOf(passages, 'music');
    left += levelOf(out) - levelOf(noise);
  }
  const mean = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0) / values.length;
  return [
    figure('gain of voices in noise, mean', mean(gains), 'dB', 'higher', 2),
    figure('lost of quiet voices, worst', Math.max(...lost), 'dB', 'lower', 2),
    figure('music not kept', missed, 's', 'lower', 1),
    figure('noise taken for music', taken, 's', 'lower', 1),
    figure('noise turned down, sum', -left, 'dB', 'higher', 1),
  ];
};
