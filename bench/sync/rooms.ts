// Conversations in made rooms and what recorders with clocks of their own write of them. All at 16 kHz.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wavBytes } from '../../test/fixtures/media/pcm-files.ts';

export const rate = 16_000;
const soundSpeed = 343;
type Random = () => number;

/** Decodes a file to mono at `rate`. */
function decoded(path: string): Float32Array {
  const args = ['-v', 'error', '-i', path, '-ar', String(rate), '-ac', '1', '-f', 'f32le', '-'];
  const { stdout, status, stderr } = spawnSync('ffmpeg', args, { maxBuffer: 2 ** 30 });
  if (status !== 0) throw new Error(`Expected ffmpeg to read ${path}: ${String(stderr)}`);
  return new Float32Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + (stdout.length & ~3)));
}

/** Sound through an encoder and back. */
export function coded(folder: string, sound: Float32Array, extension: string, args: readonly string[]): Float32Array {
  const [from, to] = [join(folder, 'plain.wav'), join(folder, `coded.${extension}`)];
  writeFileSync(from, wavBytes([sound], rate, 'f32'));
  const ran = spawnSync('ffmpeg', ['-y', '-v', 'error', '-i', from, ...args, to]);
  if (ran.status !== 0) throw new Error(`Expected ffmpeg to write ${extension}: ${String(ran.stderr)}`);
  return decoded(to);
}

const fftSize = 32_768;
const turns = Float64Array.from({ length: fftSize }, (_, index) =>
  index & 1 ? Math.sin((Math.PI * (index - 1)) / fftSize) : Math.cos((Math.PI * index) / fftSize),
);

/** In place, of `fftSize`: a plain transform that shares nothing with the library's. */
function fft(re: Float64Array, im: Float64Array, inverse: boolean): void {
  for (let at = 1, to = 0; at < fftSize; at += 1) {
    let bit = fftSize >> 1;
    for (; to & bit; bit >>= 1) to ^= bit;
    to ^= bit;
    if (at >= to) continue;
    [re[at], re[to]] = [re[to] as number, re[at] as number];
    [im[at], im[to]] = [im[to] as number, im[at] as number];
  }
  const sign = inverse ? 1 : -1;
  for (let length = 2; length <= fftSize; length <<= 1) {
    const half = length >> 1;
    const step = (2 * fftSize) / length;
    for (let from = 0; from < fftSize; from += length)
      for (let index = 0, turn = 0; index < half; index += 1, turn += step) {
        const a = from + index;
        const b = a + half;
        const c = turns[turn] as number;
        const s = sign * (turns[turn + 1] as number);
        const bRe = re[b] as number;
        const bIm = im[b] as number;
        const tRe = bRe * c - bIm * s;
        const tIm = bRe * s + bIm * c;
        re[b] = (re[a] as number) - tRe;
        im[b] = (im[a] as number) - tIm;
        re[a] = (re[a] as number) + tRe;
        im[a] = (im[a] as number) + tIm;
      }
  }
}

/** As long as the sound. Two blocks a transform: one real, one imaginary. */
function convolved(sound: Float32Array, taps: Float64Array): Float32Array {
  const fresh = fftSize - taps.length + 1;
  const [tapRe, tapIm] = [new Float64Array(fftSize), new Float64Array(fftSize)];
  tapRe.set(taps);
  fft(tapRe, tapIm, false);
  const out = new Float32Array(sound.length + 2 * fftSize);
  const [re, im] = [new Float64Array(fftSize), new Float64Array(fftSize)];
  for (let from = 0; from < sound.length; from += 2 * fresh) {
    const parts = [sound.subarray(from, from + fresh), sound.subarray(from + fresh, from + 2 * fresh)] as const;
    if (parts.every((part) => part.every((each) => each === 0))) continue;
    re.fill(0).set(parts[0]);
    im.fill(0).set(parts[1]);
    fft(re, im, false);
    for (let bin = 0; bin < fftSize; bin += 1) {
      const a = re[bin] as number;
      const b = im[bin] as number;
      const c = tapRe[bin] as number;
      const d = tapIm[bin] as number;
      re[bin] = a * c - b * d;
      im[bin] = a * d + b * c;
    }
    fft(re, im, true);
    for (let at = 0; at < fftSize; at += 1) {
      out[from + at] = (out[from + at] as number) + (re[at] as number) / fftSize;
      out[from + fresh + at] = (out[from + fresh + at] as number) + (im[at] as number) / fftSize;
    }
  }
  return out.subarray(0, sound.length);
}

const sincAt = (x: number): number => (Math.abs(x) < 1e-9 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

export type Point = readonly [number, number, number];

/** Image sources (Allen and Berkley 1979) of a box; the first tap is the moment of the sound. */
function response(room: Point, from: Point, to: Point, rt60: number): Float64Array {
  const [x, y, z] = room;
  const absorbed = Math.min(0.95, (0.161 * x * y * z) / (2 * (x * y + x * z + y * z) * rt60));
  const reflected = Math.sqrt(1 - absorbed);
  const taps = new Float64Array(Math.round(0.4 * rate));
  const order = 7;
  const images = [0, 1, 2].map((axis) => {
    const length = room[axis] as number;
    return [0, 1].flatMap((side) =>
      Array.from({ length: 2 * order + 1 }, (_, index) => {
        const n = index - order;
        const place = (1 - 2 * side) * (from[axis] as number) + 2 * n * length;
        return { away: place - (to[axis] as number), walls: Math.abs(n - side) + Math.abs(n) };
      }),
    );
  });
  for (const one of images[0] ?? [])
    for (const two of images[1] ?? [])
      for (const three of images[2] ?? []) {
        const distance = Math.max(0.1, Math.hypot(one.away, two.away, three.away));
        const delay = (distance / soundSpeed) * rate;
        if (delay > taps.length - 20) continue;
        const gain = reflected ** (one.walls + two.walls + three.walls) / distance;
        const middle = Math.floor(delay);
        for (let at = Math.max(0, middle - 7); at <= middle + 8; at += 1)
          taps[at] = (taps[at] as number) + gain * sincAt(at - delay) * Math.cos((Math.PI * (at - delay)) / 17) ** 2;
      }
  return taps;
}

/** The voices, each at its place, as they arrive at a microphone. */
export function inRoom(
  voices: readonly Float32Array[],
  room: Point,
  places: readonly Point[],
  microphone: Point,
  rt60: number,
): Float32Array {
  const sum = new Float32Array(voices[0]?.length ?? 0);
  for (const [index, voice] of voices.entries())
    for (const [at, each] of convolved(voice, response(room, places[index] as Point, microphone, rt60)).entries())
      sum[at] = (sum[at] as number) + each;
  return withoutRumble(withoutRumble(sum));
}

/** Image sources only add up: what lies under a voice would become the loudest. First order from 80 Hz on. */
function withoutRumble(sound: Float32Array): Float32Array {
  const keep = Math.exp((-2 * Math.PI * 80) / rate);
  let [before, last] = [0, 0];
  return sound.map((each) => {
    last = keep * (last + each - before);
    before = each;
    return last;
  });
}

/** `count` samples from `start` on, each `step` after the one before: a windowed sinc of 64 taps. */
export function sampledAt(sound: Float32Array, start: number, step: number, count: number): Float32Array {
  const half = 32;
  const out = new Float32Array(count);
  // sin(x - n pi) = +-sin(x), and the window's cosine by the sum of two angles: no function a tap.
  const [cos, sin] = [Math.cos, Math.sin].map((of) =>
    Float64Array.from({ length: 2 * half }, (_, tap) => of((Math.PI * (tap - half + 1)) / half)),
  ) as [Float64Array, Float64Array];
  for (let index = 0; index < count; index += 1) {
    const at = start + step * index;
    const middle = Math.floor(at);
    const part = at - middle;
    if (part < 1e-9) {
      out[index] = sound[middle] ?? 0;
      continue;
    }
    const wave = Math.sin(Math.PI * part) / Math.PI;
    const ownCos = Math.cos((Math.PI * part) / half);
    const ownSin = Math.sin((Math.PI * part) / half);
    const first = middle - half + 1;
    const [from, to] = [Math.max(0, -first), Math.min(2 * half, sound.length - first)];
    let sum = 0;
    for (let tap = from; tap < to; tap += 1) {
      const away = part - (tap - half + 1);
      const window = 0.5 + 0.5 * (ownCos * (cos[tap] as number) + ownSin * (sin[tap] as number));
      sum += ((sound[first + tap] as number) * (tap & 1 ? wave : -wave) * window) / away;
    }
    out[index] = sum;
  }
  return out;
}

function loudness(sound: Float32Array): number {
  let [sum, count] = [0, 0];
  for (const each of sound)
    if (Math.abs(each) > 1e-4) {
      sum += each * each;
      count += 1;
    }
  return Math.sqrt(sum / Math.max(1, count));
}

const normal = (random: Random): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Noise that falls from 200 Hz on, at mean square 1. */
function roomNoise(random: Random, count: number): Float32Array {
  const out = new Float32Array(count);
  const keep = Math.exp((-2 * Math.PI * 200) / rate);
  let [low, power] = [0, 0];
  for (let at = 0; at < count; at += 1) {
    const white = normal(random);
    low = keep * low + (1 - keep) * white * 6;
    out[at] = low + 0.05 * white;
    power += (out[at] as number) ** 2;
  }
  const gain = 1 / Math.sqrt(power / Math.max(1, count));
  return out.map((each) => each * gain);
}

/** Phrases of real voices, each at one loudness, for `conversation`. */
export function phrasesOf(paths: readonly string[]): Float32Array[] {
  return paths.flatMap((path) => {
    const sound = decoded(path);
    const gain = 0.05 / loudness(sound);
    const length = 6 * rate;
    return Array.from({ length: Math.max(1, Math.round(sound.length / length)) }, (_, index) =>
      sound.slice(index * length, Math.min(sound.length, (index + 1) * length)).map((each) => each * gain),
    );
  });
}

/** `talkers` tracks of `seconds`: turns of 1.5 to 12 s, pauses and overlaps, each phrase at a speed of its own. */
export function conversation(
  random: Random,
  phrases: readonly Float32Array[],
  { seconds, talkers, lead = 0 }: { seconds: number; talkers: number; lead?: number },
): Float32Array[] {
  const tracks = Array.from({ length: talkers }, () => new Float32Array(Math.round(seconds * rate)));
  let [at, who] = [lead, 0];
  let order: Float32Array[] = [];
  while (at < seconds - 1) {
    if (order.length === 0)
      order = phrases
        .map((each) => ({ each, key: random() }))
        .sort((a, b) => a.key - b.key)
        .map(({ each }) => each);
    const phrase = order.pop() as Float32Array;
    const speed = 0.86 + 0.3 * random();
    const length = Math.min(phrase.length / speed, (1.5 + 10 * random()) * rate, (seconds - at) * rate);
    tracks[who]?.set(sampledAt(phrase, 0, speed, Math.floor(length)), Math.floor(at * rate));
    at += length / rate + (random() > 0.12 ? 0.1 + 1.1 * random() : -0.1 - 0.5 * random());
    who = talkers === 1 ? 0 : (who + 1 + Math.floor(random() * (talkers - 1))) % talkers;
  }
  return tracks;
}

/** A recorder's clock: its second t is second `world + t (1 + ppm / 1e6)` of the world. */
export interface Clock {
  readonly world: number;
  readonly ppm: number;
}

export interface Recording {
  readonly name: string;
  readonly sound: Float32Array;
  /** The stretches, with their start in the recording, seconds. */
  readonly clocks: readonly (Clock & { readonly from: number })[];
}

/** What a recorder writes of a sound: stretch after stretch, with noise `snrDb` under the voices. */
export function recorded(
  name: string,
  world: Float32Array,
  stretches: readonly (Clock & { readonly seconds: number })[],
  { random, snrDb, gain = 1 }: { random: Random; snrDb: number; gain?: number },
): Recording {
  const parts = stretches.map(({ world: start, ppm, seconds }) =>
    sampledAt(world, start * rate, 1 + ppm * 1e-6, Math.floor(seconds * rate)),
  );
  const sound = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  const clocks = stretches.map(({ world: start, ppm }, index) => {
    const from = at / rate;
    sound.set(parts[index] as Float32Array, at);
    at += parts[index]?.length ?? 0;
    return { world: start, ppm, from };
  });
  const noise = roomNoise(random, sound.length);
  const level = loudness(sound) * 10 ** (-snrDb / 20);
  let peak = 0;
  for (const [index, each] of noise.entries()) {
    const value = ((sound[index] as number) + level * each) * gain;
    sound[index] = value;
    peak = Math.max(peak, Math.abs(value));
  }
  return { name, sound: peak > 0.7 ? sound.map((each) => (each * 0.7) / peak) : sound, clocks };
}

/** Where second `at` of a recording is in another's file, by the clocks; null: not in it. */
export function truthAt(one: Recording, other: Recording, at: number): number | null {
  const clock = one.clocks.findLast(({ from }) => from <= at);
  if (clock === undefined) return null;
  const world = clock.world + (at - clock.from) * (1 + clock.ppm * 1e-6);
  for (const [index, its] of other.clocks.entries()) {
    const there = its.from + (world - its.world) / (1 + its.ppm * 1e-6);
    const end = other.clocks[index + 1]?.from ?? other.sound.length / rate;
    if (there >= its.from && there < end) return there;
  }
  return null;
}
