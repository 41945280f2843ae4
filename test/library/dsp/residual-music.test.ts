// @module-tag slow
// Music behind a voice is told from noise by what the suppressor takes away. On instruments, noises and a voice other than
// those that the thresholds were set on; figures for both: node bench/quality/run.ts --music
import { describe, expect, it } from 'vitest';
import { chooseNoiseEngine } from '../../../src/library/dsp/denoise/engines.ts';
import { readAll } from '../../fixtures/media/media.ts';
import { fromDb, rms, seeded } from '../../fixtures/media/signals.ts';
import { recording } from '../../fixtures/recordings.ts';
import { rounds, slower } from '../../fixtures/rounds.ts';
import { pieces } from '../../fixtures/sounds/music.ts';
import { whiteNoise } from '../../fixtures/sounds/revoice.ts';
import { otherPieces } from '../../fixtures/sounds/second-band.ts';
import { musicTaken, watched } from '../../fixtures/sounds/watched.ts';

const rate = 48_000;
const seconds = rounds(6, 9);
const frames = seconds * rate;
const engine = await chooseNoiseEngine(undefined, 'deepfilternet3');
const voice = ((plane: Float32Array) =>
  Float32Array.from({ length: frames }, (_, i) => plane[i % plane.length] as number))(
  readAll(recording('clean_speech_48k.wav')).planes[0] as Float32Array,
);

const under = (sound: Float32Array, ratioDb: number): number => (rms(voice) / rms(sound)) * fromDb(-ratioDb);

async function takenBehind(sound: Float32Array, ratioDb: number): Promise<number> {
  const gain = under(sound, ratioDb);
  const plane = voice.map((x, i) => x + gain * (sound[i] as number));
  const { planes } = await watched(engine, [plane]);
  return musicTaken(plane, planes[0] as Float32Array).reduce((sum, x) => sum + x, 0);
}

describe('what is taken away from behind a voice', () => {
  const songs = [
    ['rock', pieces],
    ['soul', otherPieces],
    ['pop', pieces],
    ['dance', otherPieces],
  ] as const;
  it.for(songs.slice(0, rounds(2, songs.length)))('is music: %s', async ([name, from]) => {
    const music = (from[name] as (length: number) => Float32Array)(seconds);
    expect(await takenBehind(music, 6)).toBeGreaterThanOrEqual(seconds - 1);
    expect(await takenBehind(music, 14)).toBeGreaterThanOrEqual(seconds - 4);
  });

  it('is not: noises, a hum, a train, a fan, typing, other voices, a drill, an engine, a clock', slower, async () => {
    const hiss = whiteNoise(frames, 5);
    const random = seeded(9);
    const typing = new Float32Array(frames);
    for (let at = 0; at < frames - 3000; at += Math.floor((0.1 + 0.2 * random()) * rate))
      for (let i = 0; i < 3000; i += 1)
        typing[at + i] =
          (typing[at + i] as number) +
          (random() - 0.5) * Math.exp(-i / 150) +
          0.1 * Math.sin(0.05 * i) * Math.exp(-i / 600);
    const harmonics = (hz: number, i: number): number =>
      [1, 2, 3, 5, 7, 11].reduce((sum, k) => sum + Math.sin((2 * Math.PI * hz * k * i) / rate) / k, 0);
    const noises: Record<string, Float32Array> = {
      hiss,
      hum: hiss.map((x, i) => harmonics(60, i) + 0.02 * x),
      fan: hiss.map((x, i) => x * (1 + 0.3 * Math.sin((2 * Math.PI * 11 * i) / rate)) + 0.3 * harmonics(233, i)),
      train: hiss.map((x, i) => {
        const since = (i / rate) % 0.8;
        return x * (0.05 + Math.exp(-since / 0.03) + (since > 0.17 ? Math.exp((0.17 - since) / 0.03) : 0));
      }),
      typing,
      drill: hiss.map((x, i) => {
        const cycles = (290 * i) / rate - 19 * Math.cos((1.3 * i) / rate);
        let sum = 0.2 * x;
        for (let k = 1; k < 20; k += 1) sum += (0.5 * Math.sin(2 * Math.PI * k * cycles)) / k;
        return sum;
      }),
      engine: hiss.map((x, i) => {
        const cycles = (85 * i) / rate - 20 * Math.cos((0.9 * i) / rate);
        let sum = 0.3 * x;
        for (let k = 1; k < 30; k += 1) sum += Math.sin(2 * Math.PI * k * cycles + k * k) / k;
        return sum;
      }),
      clock: hiss.map((x, i) => {
        const since = i % (rate / 2);
        const hz = i % rate < rate / 2 ? 0.3 : 0.35;
        return 0.004 * x + Math.sin(hz * since) * Math.exp(-since / 150) + 0.15 * x * Math.exp(-since / 60);
      }),
      voices: voice.map((_, i) =>
        [3.1, 5.3, 7.7, 9.1].reduce((sum, from) => sum + (voice[(i + Math.round(from * rate)) % frames] as number), 0),
      ),
    };
    for (const name of rounds(['hum', 'train', 'drill', 'clock', 'voices'], Object.keys(noises)))
      expect(await takenBehind(noises[name] as Float32Array, 6), name).toBe(0);
  });

  it('is known with music that comes and goes, within three seconds', slower, async () => {
    const soul = (otherPieces['soul'] as (length: number) => Float32Array)(10);
    const gain = under(soul, 6);
    const long = Float32Array.from({ length: 30 * rate }, (_, i) => voice[i % frames] as number);
    const plane = long.map((x, i) => x + (i >= 10 * rate ? gain * (soul[i - 10 * rate] ?? 0) : 0));
    const { planes } = await watched(engine, [plane]);
    const taken = musicTaken(plane, planes[0] as Float32Array);
    const found = [...taken.keys()].filter((second) => taken[second] === 1);
    expect(found[0]).toBeGreaterThanOrEqual(7);
    expect(found[0]).toBeLessThanOrEqual(13);
    expect(found.at(-1)).toBeGreaterThanOrEqual(16);
    expect(found.at(-1)).toBeLessThanOrEqual(22);
    expect(found).toHaveLength((found.at(-1) ?? 0) - (found[0] ?? 0) + 1);
  });
});
