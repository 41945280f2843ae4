// The recordings of opinion.ts: mixtures, real ones, and voices spoilt by script.
import { resampled, convolve, filtered, inRange, room, telephone } from './voice-cases.ts';
import { mix, noises, rate, sample } from './mixtures.ts';
import { clippedTo, hummed } from './repair-cases.ts';
import { seeded } from '../../test/fixtures/random.ts';
import { withClicks, withPlosives } from '../../test/fixtures/sounds/clicks-and-plosives.ts';

export interface OpinionCase {
  readonly set: string;
  readonly title: string;
  readonly plane: Float32Array;
  readonly sampleRate: number;
  readonly bits: 's16' | 'f32';
}

const seconds = 12;
/** `voices` were looked at while rules were chosen, `held` were not. */
const material = {
  voices: [
    ['clean', 'noise/clean_speech_48k.wav', 0],
    ['austen', 'speech/austen-0870.wav', 0],
    ['sonnet', 'speech/sonnet001.mp3', 0],
  ],
  held: [
    ['jfk', 'speech/jfk.wav', 0],
    ['austen2', 'speech/austen-0890.wav', 2],
    ['sonnet2', 'speech/sonnet001.mp3', 30],
  ],
} as const;
const real = {
  voices: [
    ['noisy', 'noise/noisy_snr0_48k.wav', 0],
    ['ami05', 'meetings/ami-trn05.wav', 0],
    ['ami07', 'meetings/ami-trn07.wav', 5],
    ['corpus', 'fillers/acoustic_corpus.wav', 0],
  ],
  held: [
    ['ami06', 'meetings/ami-trn06.wav', 0],
    ['ami08', 'meetings/ami-trn08.wav', 5],
    ['ami05 later', 'meetings/ami-trn05.wav', 15],
    ['ami07 later', 'meetings/ami-trn07.wav', 17],
  ],
} as const;
const kinds = ['recorded', 'pink', 'babble', 'eight voices'] as const;
const cut = (plane: Float32Array, from: number): Float32Array => plane.slice(from * rate, (from + seconds) * rate);
const noiseOf = (kind: string, frames: number): Float32Array =>
  (noises[kind] as (frames: number) => Float32Array)(frames);

/**
 * @param set voices or held; default both
 * @param roomSeed other rooms of the same times; rules were chosen on rooms of seed 7
 */
export function* opinionCases(set?: string, only = '', roomSeed = 7): Generator<OpinionCase> {
  for (const side of ['voices', 'held'] as const) {
    if (set !== undefined && set !== side) continue;
    const wanted = (one: OpinionCase): boolean => `${one.set} ${one.title}`.includes(only);
    const one = (name: string, title: string, plane: Float32Array, sampleRate = rate): OpinionCase => ({
      set: name,
      title: side === 'held' ? `${title} (held out)` : title,
      plane: inRange(plane),
      sampleRate,
      bits: 's16',
    });
    for (const [name, path, from] of real[side]) {
      const found = one('real', name, cut(sample(path), from));
      if (wanted(found)) yield found;
    }
    for (const [name, path, from] of material[side]) {
      const voice = cut(sample(path), from);
      for (const made of spoilt(one, name, voice, roomSeed)) if (wanted(made)) yield made;
    }
  }
}

function* spoilt(
  one: (set: string, title: string, plane: Float32Array, sampleRate?: number) => OpinionCase,
  name: string,
  voice: Float32Array,
  roomSeed: number,
): Generator<OpinionCase> {
  for (const kind of kinds) {
    for (const snrDb of kind === 'recorded' ? [0, 5, 10] : [5])
      yield one('mixture', `${name} ${kind} ${snrDb} dB`, mix(voice, noiseOf(kind, voice.length), snrDb));
  }
  for (const [t60, drr] of [
    [0.3, 0],
    [0.6, -3],
    [0.9, -5],
  ] as const) {
    const wet = convolve(voice, room(t60, drr, roomSeed));
    yield one('room', `${name} T60 ${t60} s, DRR ${drr} dB`, mix(wet, noiseOf('pink', wet.length), 35));
    if (t60 === 0.6)
      yield one('room', `${name} T60 ${t60} s, DRR ${drr} dB, noise 20 dB`, mix(wet, noiseOf('pink', wet.length), 20));
  }
  const fan = (plane: Float32Array): Float32Array => mix(plane, noiseOf('recorded', plane.length), 25);
  yield one('damaged', `${name} as it is`, voice);
  yield one('damaged', `${name} telephone`, telephone(voice), 8000);
  yield one('damaged', `${name} at 16 kHz`, resampled(fan(voice), rate, 16_000), 16_000);
  yield one('damaged', `${name} dull`, fan(filtered(voice, (hz) => 1 / (1 + (hz / 2000) ** 2))));
  yield one('damaged', `${name} sharp`, fan(filtered(voice, (hz) => 1 + 3 / (1 + (5000 / Math.max(1, hz)) ** 8))));
  for (const sdrDb of [5, 8.7]) yield one('clipped', `${name} ${sdrDb} dB`, clippedTo(voice, sdrDb).plane);
  yield one('mouth', `${name} clicks`, withClicks(voice, rate, seeded(5), [-12, -6]).samples);
  yield one('mouth', `${name} plosives`, withPlosives(voice, rate, seeded(6)).samples);
  for (const snrDb of [5, 20]) yield one('hum', `${name} ${snrDb} dB`, hummed(voice, 50, snrDb));
}
