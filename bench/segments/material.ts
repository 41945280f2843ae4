// Sound for benches of segments, made by seed: speech, music-like, noise, sines, and what tortures codecs.
import { fileURLToPath } from 'node:url';
import { openAudio } from '../../src/library/media/read/decode.ts';
import { seeded } from '../../test/fixtures/random.ts';
import { probe } from '../../src/library/media/read/probe.ts';

export const rate = 44_100;
export type Stereo = readonly [Float32Array, Float32Array];

const twoPi = 2 * Math.PI;
const recordings = ['jfk.flac', 'austen-0870.flac', 'clean_speech_48k.flac', 'acoustic_corpus.flac', 'sonnet001.mp3'];

function recording(name: string): Float32Array {
  const path = fileURLToPath(new URL(`../../test/recordings/${name}`, import.meta.url));
  const source = openAudio(probe(path), { rate, channels: 1 });
  const parts: Float32Array[] = [];
  for (let block = source.next(); block; block = source.next()) parts.push((block.planes[0] as Float32Array).slice());
  source.close();
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The recordings of the tests one after the other, a little to the left or right, at levels that differ. */
function speech(frames: number): Stereo {
  const random = seeded(1);
  const voices = recordings.map(recording);
  const [left, right] = [new Float32Array(frames), new Float32Array(frames)];
  for (let at = 0, turn = 0; at < frames; turn += 1) {
    const voice = voices[turn % voices.length] as Float32Array;
    const from = turn < voices.length ? 0 : Math.floor(random() * voice.length * 0.5);
    const pan = 0.3 + 0.4 * random();
    const gain = 0.4 + 0.6 * random();
    const count = Math.min(frames - at, voice.length - from);
    for (let i = 0; i < count; i += 1) {
      const sample = gain * (voice[from + i] as number);
      left[at + i] = sample * (1 - pan) + 0.0003 * (random() - 0.5);
      right[at + i] = sample * pan + 0.0003 * (random() - 0.5);
    }
    at += count;
  }
  return [left, right];
}

/** Plucked strings (Karplus and Strong) in chords, a bass and a drum, never twice the same. */
function music(frames: number): Stereo {
  const random = seeded(2);
  const [left, right] = [new Float32Array(frames), new Float32Array(frames)];
  const pluck = (at: number, hz: number, gain: number, pan: number, seconds: number): void => {
    const period = Math.max(2, Math.round(rate / hz));
    const string = Float32Array.from({ length: period }, () => random() * 2 - 1);
    const end = Math.min(frames, at + Math.round(seconds * rate));
    for (let i = at, k = 0; i < end; i += 1, k = (k + 1) % period) {
      const sample = string[k] as number;
      string[k] = 0.498 * (sample + (string[(k + 1) % period] as number));
      left[i] = (left[i] as number) + gain * (1 - pan) * sample;
      right[i] = (right[i] as number) + gain * pan * sample;
    }
  };
  const drum = (at: number): void => {
    for (let i = 0; i < 0.15 * rate && at + i < frames; i += 1) {
      const fade = Math.exp((-i * 30) / rate);
      const hit = fade * (0.3 * Math.sin((twoPi * 60 * i) / rate) + 0.1 * (random() - 0.5));
      left[at + i] = (left[at + i] as number) + hit;
      right[at + i] = (right[at + i] as number) + hit;
    }
  };
  const chords = [
    [0, 4, 7],
    [5, 9, 12],
    [7, 11, 14],
    [-3, 0, 4],
  ];
  for (let beat = 0; beat * 0.5 * rate < frames; beat += 1) {
    const at = Math.round(beat * 0.5 * rate * (1 + 0.002 * random()));
    const chord = chords[(beat >> 2) % chords.length] as number[];
    for (const note of chord)
      if (random() < 0.7) pluck(at, 220 * 2 ** ((note + 12 * Math.floor(random() * 2)) / 12), 0.18, random(), 1.5);
    if (beat % 2 === 0) pluck(at, 55 * 2 ** ((chord[0] as number) / 12), 0.3, 0.5, 1);
    drum(at);
  }
  return [left, right];
}

function noise(frames: number): Stereo {
  const random = seeded(3);
  const plane = (): Float32Array => {
    let low = 0;
    return Float32Array.from({ length: frames }, () => {
      low = 0.97 * low + 0.1 * (random() - 0.5);
      return 0.15 * (random() - 0.5) + low;
    });
  };
  return [plane(), plane()];
}

function sines(frames: number): Stereo {
  const plane = (tones: readonly number[]): Float32Array =>
    Float32Array.from({ length: frames }, (_, i) =>
      tones.reduce((sum, hz) => sum + 0.15 * Math.sin((twoPi * hz * i) / rate), 0),
    );
  return [plane([440, 1000, 3111]), plane([441, 997])];
}

/** Digital silence, clicks, chirps and bursts in turn. */
function torture(frames: number): Stereo {
  const random = seeded(4);
  const [left, right] = [new Float32Array(frames), new Float32Array(frames)];
  for (let at = 0; at < frames;) {
    const kind = Math.floor(random() * 4);
    const count = Math.min(frames - at, Math.floor((0.3 + 3 * random()) * rate));
    const [from, to] = [50 + 500 * random(), 2000 + 15_000 * random()];
    const every = Math.floor(300 + 20_000 * random());
    for (let i = 0; i < count; i += 1) {
      const x = i / count;
      let sample = 0;
      if (kind === 1) sample = i % every === 0 ? 0.9 : 0;
      if (kind === 2) sample = 0.5 * Math.sin(((twoPi * count) / rate) * (from * x + 0.5 * (to - from) * x * x));
      if (kind === 3) sample = i % every < every / 8 ? 0.6 * (random() - 0.5) : 0;
      left[at + i] = sample;
      right[at + i] = kind === 2 ? -0.5 * sample : sample;
    }
    at += count;
  }
  return [left, right];
}

export const materials = { speech, music, noise, sines, torture } as const;
export type Material = keyof typeof materials;
