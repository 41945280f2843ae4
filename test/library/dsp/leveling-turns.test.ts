// Leveling of built conversations of real voices: first and last words, murmurs close to their noise, short turns.
import { describe, expect, it } from 'vitest';
import { levelsOf, levelled, type Voice, withoutPauses } from '../../../bench/tools/level-talks.ts';
import { integratedOfHops } from '../../../src/library/dsp/voicing/hop-loudness.ts';
import { readAll } from '../../fixtures/media/media.ts';
import { fromDb, toDb } from '../../fixtures/media/signals.ts';
import { seeded } from '../../fixtures/random.ts';
import { recording, type RecordingName } from '../../fixtures/recordings.ts';
import { slow } from '../../fixtures/rounds.ts';

const rate = 16_000;
const voiceOf = (name: RecordingName): Voice => {
  const { planes } = readAll(recording(name), { rate, channels: 1 });
  return withoutPauses({ samples: planes[0] as Float32Array<ArrayBuffer>, rate });
};
const lufsOf = (samples: Float32Array): number => {
  const { energy, hopSeconds } = levelsOf({ samples, rate });
  return integratedOfHops(energy, hopSeconds, null) ?? -70;
};

interface Said {
  readonly voice: Voice;
  readonly seconds: number;
  readonly lufs: number;
}

/** Turns from anywhere in their voices, one after the other over white noise; `turns` in hops of the levels. */
function talk(said: readonly Said[], gapSeconds: number, noiseDbfs: number, seed: number) {
  const random = seeded(seed);
  const gap = Math.round(gapSeconds * rate);
  const total = said.reduce((sum, { seconds }) => sum + Math.round(seconds * rate) + gap, rate);
  const noise = Math.sqrt(3) * fromDb(noiseDbfs);
  const samples = Float32Array.from({ length: total }, () => noise * (2 * random() - 1));
  let at = rate / 2;
  const places = said.map(({ voice, seconds, lufs }) => {
    const length = Math.round(seconds * rate);
    const from = Math.floor(random() * (voice.samples.length - length));
    const turn = voice.samples.slice(from, from + length);
    const gain = fromDb(lufs - lufsOf(turn));
    for (const [i, x] of turn.entries()) samples[at + i]! += gain * x * Math.min(1, i / 160, (length - 1 - i) / 160);
    at += length + gap;
    return [at - length - gap, at - gap] as const;
  });
  const levels = levelsOf({ samples, rate });
  const { hopSeconds, energy } = levels;
  const turns = places.map(
    ([from, to]) => [Math.ceil(from / rate / hopSeconds), Math.floor(to / rate / hopSeconds)] as const,
  );
  const { gainsDb } = levelled(levels, null);
  const reading = ([from, to]: readonly [number, number]): number =>
    integratedOfHops(energy.subarray(from, to), hopSeconds, gainsDb.subarray(from, to)) ?? -70;
  return { turns, gainsDb, energy, reading };
}

/** What the gain takes from a stretch against `gainDb`, dB of its energy. */
function lostDb(energy: Float32Array, gainsDb: Float32Array, [from, to]: readonly [number, number], gainDb: number) {
  let [sum, whole] = [0, 0];
  for (let hop = from; hop < to; hop += 1) {
    sum += (energy[hop] as number) * fromDb((gainsDb[hop] as number) - gainDb) ** 2;
    whole += energy[hop] as number;
  }
  return toDb(Math.sqrt(whole / sum));
}

describe('turns of two voices', () => {
  const [reader, president] = [voiceOf('austen-0870.wav'), voiceOf('jfk.wav')];
  it.for([
    [6, 0.3],
    [12, 0.3],
    [12, 0.6],
    [20, 0.6],
    [20, 1.5],
  ] as const)(
    '%d LU apart, %d s between them: the softer ones begin and end with their whole gain',
    slow,
    ([apart, gap]) => {
      const said = Array.from({ length: 12 }, (_, index) => ({
        voice: index % 2 === 0 ? reader : president,
        seconds: 2 + 0.3 * (index % 5),
        lufs: -20 - apart * (index % 2),
      }));
      const { turns, gainsDb, energy } = talk(said, gap, -75, 7 + apart);
      let cutShort = 0;
      for (const [index, [from, to]] of turns.entries()) {
        if (index % 2 === 0) continue;
        const inside = gainsDb.slice(from + 20, to - 20).toSorted();
        const gainDb = inside[inside.length >> 1] as number;
        expect(lostDb(energy, gainsDb, [from, from + 10], gainDb), `first words of turn ${index + 1}`).toBeLessThan(
          1.5,
        );
        if (lostDb(energy, gainsDb, [to - 10, to], gainDb) > 1) cutShort += 1;
        // Beside the louder voice a pause has the louder voice's gain.
        const louder = gainsDb[turns[index - 1]?.[1] ?? 0] as number;
        expect(gainDb - louder, `turn ${index + 1}`).toBeGreaterThan(apart - 4);
      }
      // A last word behind a pause of its own may be taken for the beginning of the next turn.
      expect(cutShort).toBeLessThan(2);
    },
  );

  it('that are murmured close to their noise stay below the others, and the noise well below', () => {
    for (const noiseDbfs of [-80, -76]) {
      const said = Array.from({ length: 9 }, (_, index) => ({
        voice: index % 2 === 0 ? reader : president,
        seconds: index % 3 === 2 ? 1.5 : 3,
        lufs: index % 3 === 2 ? -66 : -20,
      }));
      const { turns, gainsDb, reading } = talk(said, 0.7, noiseDbfs, 7);
      const speakers = turns.filter((_, index) => index % 3 !== 2).map(reading);
      for (const turn of turns.filter((_, index) => index % 3 === 2)) {
        const most = gainsDb.slice(...turn).reduce((a, b) => Math.max(a, b));
        expect(reading(turn), `murmur at ${noiseDbfs} dBFS of noise`).toBeLessThan(Math.min(...speakers));
        expect(most + noiseDbfs, `noise of ${noiseDbfs} dBFS`).toBeLessThan(-20 - 18);
      }
    }
  });

  it('that are soft but clear of their noise are as loud as the others', () => {
    const said = Array.from({ length: 6 }, (_, index) => ({
      voice: index % 2 === 0 ? reader : president,
      seconds: 3,
      lufs: index % 2 === 0 ? -20 : -50,
    }));
    const { turns, reading } = talk(said, 0.7, -74, 8);
    const loudness = turns.map(reading);
    expect(Math.max(...loudness) - Math.min(...loudness)).toBeLessThan(3);
  });
});

describe('four voices in turns of 1.2 s, 18.8 LU apart', () => {
  const voices = (['austen-0870.wav', 'jfk.wav', 'sonnet001.mp3', 'acoustic_corpus.wav'] as const).map(voiceOf);
  it.for([1, 2, 3])('are within 4 LU of each other, seed %d', (seed) => {
    const said = Array.from({ length: 24 }, (_, index) => ({
      voice: voices[index % 4] as Voice,
      seconds: 1.2,
      lufs: [-18, -24, -30, -36.8][index % 4] as number,
    }));
    const { turns, reading } = talk(said, 0.3, -75, seed);
    const loudness = turns.map(reading);
    const means = voices.map((_, voice) => {
      const own = loudness.filter((_, index) => index % 4 === voice);
      return 10 * Math.log10(own.reduce((sum, lufs) => sum + 10 ** (lufs / 10), 0) / own.length);
    });
    expect(Math.max(...means) - Math.min(...means), 'voices').toBeLessThan(4);
    // Creaking without a voice's harmonics is not raised where no network says who speaks: four turns in 24 may be off.
    const order = loudness.toSorted((a, b) => a - b);
    expect((order[21] as number) - (order[3] as number), 'turns').toBeLessThan(4);
  });
});
