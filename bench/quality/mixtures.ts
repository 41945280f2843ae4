// Noisy speech by script: the shared samples and noises made here. The same bytes every time.
import { fileURLToPath } from 'node:url';
import { openAudio } from '../../src/library/media/read/decode.ts';
import { seeded } from './voice-cases.ts';
import { probe } from '../../src/library/media/read/probe.ts';

const samples = fileURLToPath(new URL('../../../shared/samples/', import.meta.url));
export const rate = 48_000;

/** Of everything here that is random. */
export const seeds = { white: 1, pink: 2, clicks: 3 } as const;

/** Recordings of voices that read, of the samples. */
export const readVoices = [
  'noise/clean_speech_48k.wav',
  'speech/sonnet001.mp3',
  'speech/jfk.wav',
  'speech/austen-0870.wav',
  'speech/austen-0880.wav',
  'speech/austen-0890.wav',
  'fillers/acoustic_corpus.wav',
];

/** A sample in mono at 48 kHz. */
export function sample(name: string): Float32Array {
  const source = openAudio(probe(samples + name), { rate, channels: 1 });
  const parts: Float32Array[] = [];
  for (let block = source.next(); block; block = source.next())
    parts.push((block.planes[0] as Float32Array).slice(0, block.frames));
  source.close();
  const out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

const make = (frames: number, value: (frame: number) => number): Float32Array =>
  Float32Array.from({ length: frames }, (_, i) => value(i));

function white(frames: number): Float32Array {
  const random = seeded(seeds.white);
  return make(frames, () => 2 * random() - 1);
}

/** -3 dB an octave by Paul Kellet's filter. */
function pink(frames: number): Float32Array {
  const random = seeded(seeds.pink);
  const poles = [
    [0.998_86, 0.055_517_9],
    [0.993_32, 0.075_075_9],
    [0.969, 0.153_852],
    [0.8665, 0.310_485_6],
    [0.55, 0.532_952_2],
    [-0.7616, -0.016_898],
  ] as const;
  const state = poles.map(() => 0);
  return make(frames, () => {
    const x = 2 * random() - 1;
    for (const [i, [pole, gain]] of poles.entries()) state[i] = pole * (state[i] as number) + gain * x;
    return state.reduce((sum, y) => sum + y, 0) + 0.5362 * x;
  });
}

/** Many voices at once: the speech samples, from different places, half of them backwards. */
function voices(count: number, frames: number): Float32Array {
  const samples = ['austen-0870.wav', 'austen-0880.wav', 'austen-0890.wav', 'jfk.wav'].map((name) =>
    sample(`speech/${name}`),
  );
  const all = [...samples, ...samples.map((voice) => voice.toReversed())].map((voice) => {
    const level = Math.sqrt(voice.reduce((sum, x) => sum + x * x, 0) / voice.length);
    return voice.map((x) => x / level);
  });
  return make(frames, (i) => {
    let sum = 0;
    for (let n = 0; n < count; n += 1) {
      const voice = all[n % all.length] as Float32Array;
      sum += voice[(i + n * 51_237) % voice.length] as number;
    }
    return sum;
  });
}

const hum = (frames: number): Float32Array =>
  make(frames, (i) =>
    [1, 2, 3, 4, 5, 6, 8, 10].reduce((sum, n) => sum + Math.sin((2 * Math.PI * 50 * n * i) / rate + n * n) / n, 0),
  );

/** Ten decaying clicks a second at random places. */
function clicks(frames: number): Float32Array {
  const random = seeded(seeds.clicks);
  const out = new Float32Array(frames);
  for (let n = 0; n < (10 * frames) / rate; n += 1) {
    const [at, level] = [Math.floor(random() * frames), 0.3 + random()];
    for (let i = 0; i < 200 && at + i < frames; i += 1)
      out[at + i] = (out[at + i] as number) + level * Math.exp(-i / 25) * (2 * random() - 1);
  }
  return out;
}

export const noises: Readonly<Record<string, (frames: number) => Float32Array>> = {
  white,
  pink,
  hum,
  clicks,
  babble: (frames) => voices(32, frames),
  'eight voices': (frames) => voices(8, frames),
  recorded: (frames) => {
    const once = sample('noise/noise_48k.wav');
    return make(frames, (i) => once[i % once.length] as number);
  },
};

/** Speech with noise at a signal-to-noise ratio over the whole length, dB. */
export function mix(speech: Float32Array, noise: Float32Array, snrDb: number): Float32Array {
  const power = (x: Float32Array): number => x.reduce((sum, y) => sum + y * y, 0);
  const gain = Math.sqrt(power(speech) / power(noise) / 10 ** (snrDb / 10));
  return speech.map((x, i) => x + gain * (noise[i] as number));
}
