// Which pairs of channels remove_noise cleans together: built scenes of one voice in both channels, and of two people
// with a microphone each, with what they share besides: bleed, noise, rumble.
import { readFileSync } from 'node:fs';
import { meterChannelGroups } from '../../../src/library/dsp/denoise/channel-groups.ts';
import { compose } from '../../../src/library/pcm/compose.ts';
import { seeded } from '../../../test/fixtures/random.ts';
import { rate, sample } from '../../quality/mixtures.ts';
import { convolve, room } from '../../quality/voice-cases.ts';
import { figure, type Measure } from '../figures.ts';
import { storedSound } from '../store.ts';

const seconds = 4;
const frames = seconds * rate;
type Pair = readonly [left: Float32Array, right: Float32Array];

const gainOf = (db: number): number => 10 ** (db / 20);
const scaled = (plane: Float32Array, db: number): Float32Array => {
  const gain = gainOf(db);
  return plane.map((x) => x * gain);
};
const levelOf = (plane: Float32Array): number =>
  10 * Math.log10(plane.reduce((sum, x) => sum + x * x, 0) / plane.length + 1e-20);
const voice = (name: string, from: number): Float32Array => {
  const plane = sample(name).slice(from * rate, from * rate + frames);
  return scaled(plane, -24 - levelOf(plane));
};
const late = (plane: Float32Array, milliseconds: number): Float32Array => {
  const by = Math.round((milliseconds / 1000) * rate);
  return plane.map((_, at) => plane[at - by] ?? 0);
};

const sum = (...planes: readonly Float32Array[]): Float32Array =>
  (planes[0] as Float32Array).map((_, at) => planes.reduce((total, plane) => total + (plane[at] ?? 0), 0));
const white = (seed: number, dbfs: number): Float32Array => {
  const random = seeded(seed);
  return Float32Array.from({ length: frames }, () => (random() - 0.5) * Math.sqrt(12) * gainOf(dbfs));
};
const rumble = (dbfs: number): Float32Array =>
  Float32Array.from({ length: frames }, (_, at) => Math.sin((2 * Math.PI * 31 * at) / rate) * gainOf(dbfs + 3));

interface Scene {
  readonly name: string;
  /** One voice in both channels, not two people. */
  readonly isOne: boolean;
  readonly pair: () => Pair;
}

function scenes(): readonly Scene[] {
  const [first, second] = [voice('speech/sonnet001.mp3', 5), voice('noise/clean_speech_48k.wav', 0)];
  const both = (left: Float32Array, right: Float32Array, noiseDbfs: number): Pair => [
    sum(left, white(1, noiseDbfs)),
    sum(right, white(2, noiseDbfs)),
  ];
  const spaced = (milliseconds: number): Pair => both(first, late(first, milliseconds), -60);
  const inRoom = (seed: number): Pair => [
    convolve(first, room(0.3, 6, seed)).slice(0, frames),
    convolve(first, room(0.3, 6, seed + 1)).slice(0, frames),
  ];
  const atOnce = (bleedDb: number, rumbleDbfs: number): Pair => [
    sum(first, scaled(late(second, 10), bleedDb), rumble(rumbleDbfs)),
    sum(second, scaled(late(first, 10), bleedDb), rumble(rumbleDbfs)),
  ];
  /** They speak one after the other. */
  const inTurns = (bleedDb: number, rumbleDbfs: number): Pair => {
    const isFirst = (at: number): boolean => Math.floor(at / rate) % 4 < 2;
    const [a, b] = [first.map((x, at) => (isFirst(at) ? x : 0)), second.map((x, at) => (isFirst(at) ? 0 : x))];
    return [
      sum(a, scaled(late(b, 8), bleedDb), rumble(rumbleDbfs), white(3, -62)),
      sum(b, scaled(late(a, 8), bleedDb), rumble(rumbleDbfs), white(4, -62)),
    ];
  };
  const one = (name: string, pair: () => Pair): Scene => ({ name, isOne: true, pair });
  const two = (name: string, pair: () => Pair): Scene => ({ name, isOne: false, pair });
  return [
    ...[0, -3, -6, -12].map((db) => one(`panned ${db}`, () => both(first, scaled(first, db), -60))),
    ...[-40, -34, -30, -27].map((noise) => one(`noise ${noise}`, () => both(first, first, noise))),
    ...[0.1, 0.2, 0.3].map((milliseconds) => one(`spaced ${milliseconds}`, () => spaced(milliseconds))),
    ...[1, 3].map((seed) => one(`room ${seed}`, () => inRoom(seed))),
    ...[-30, -20, -14, -10].map((bleed) => two(`at once ${bleed}`, () => atOnce(bleed, -90))),
    ...[-40, -30, -24].map((dbfs) => two(`at once, rumble ${dbfs}`, () => atOnce(-20, dbfs))),
    ...[-30, -20, -14].map((bleed) => two(`turns ${bleed}`, () => inTurns(bleed, -90))),
    ...[-40, -30, -24].map((dbfs) => two(`turns, rumble ${dbfs}`, () => inTurns(-20, dbfs))),
  ];
}

/** A pair of channels, made once. */
async function keptPair({ name, pair }: Scene): Promise<Pair> {
  const path = await storedSound(`channel-groups/${name}`, () => {
    const [left, right] = pair();
    const inRow = new Float32Array(2 * frames);
    inRow.set(left);
    inRow.set(right, frames);
    return inRow;
  });
  const { buffer, byteOffset } = readFileSync(path);
  const samples = new Float32Array(buffer.slice(byteOffset, byteOffset + 8 * frames));
  return [samples.subarray(0, frames), samples.subarray(frames)];
}

function isOneScene(pair: Pair): boolean {
  const meter = meterChannelGroups();
  const pipeline = compose([meter], { sampleRate: rate, channels: 2, layout: 'stereo' });
  pipeline.process({ planes: pair, frames }, () => undefined);
  pipeline.flush(() => undefined);
  pipeline.close();
  return meter.result().groups.length === 1;
}

export const measure: Measure = async () => {
  const all = scenes();
  let [apart, together] = [0, 0];
  for (const scene of all) {
    const found = isOneScene(await keptPair(scene));
    if (scene.isOne && !found) apart += 1;
    if (!scene.isOne && found) together += 1;
  }
  const ones = all.filter(({ isOne }) => isOne).length;
  return [
    figure(`scenes taken apart, of ${ones}`, apart, '', 'lower'),
    figure(`two people taken together, of ${all.length - ones}`, together, '', 'lower'),
  ];
};
