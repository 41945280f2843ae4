// Noise of a room's colour against noise of known colour that is made here.
import { expect, it } from 'vitest';
import { measureRoom, RoomNoise } from '../../../src/library/edit/room-noise.ts';
import { createSpectrum } from '../../../src/library/kernels/spectrum.ts';
import { probe } from '../../../src/library/media/read/probe.ts';
import { scratch } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { seeded } from '../../fixtures/random.ts';

const at = scratch();
const rate = 48_000;
const signal = new AbortController().signal;

/** White noise through one pole: as the hiss of a room, more at low frequencies. */
function coloured(seed: number, frames: number, pole: number): Float32Array {
  const random = seeded(seed);
  let last = 0;
  return Float32Array.from({ length: frames }, () => {
    last = pole * last + 0.002 * (2 * random() - 1);
    return last;
  });
}

const rms = (plane: Float32Array): number =>
  Math.sqrt(plane.reduce((sum, value) => sum + value * value, 0) / plane.length);

/** Power below 1, 1 to 4 and over 4 kHz, dB. */
function bands(plane: Float32Array): number[] {
  const spectrum = createSpectrum({ sampleRate: rate, channels: 1, size: 2048, everySeconds: 1024 / rate });
  spectrum.push([plane]);
  const { power, binHz } = spectrum.result();
  const edges = [0, 1000, 4000, 24_000];
  return edges.slice(1).map((to, index) => {
    const sum = power
      .slice(Math.round(edges[index]! / binHz), Math.round(to / binHz))
      .reduce((all, one) => all + one, 0);
    return 10 * Math.log10(sum);
  });
}

async function noiseLike(planes: readonly Float32Array[]): Promise<readonly Float32Array[]> {
  const path = writeWav(at('room.wav'), planes, rate, 'f32');
  const stretches = [
    { startSeconds: 0.5, endSeconds: 1.5 },
    { startSeconds: 1.8, endSeconds: 3.9 },
  ];
  const room = await measureRoom(probe(path), stretches, { signal, onProgress: () => undefined });
  return new RoomNoise(room).next(planes.length, 0, 2 * rate).map((plane) => plane.slice());
}

it('has level and colour of the room, and is not its sound', async () => {
  const room = coloured(7, 4 * rate, 0.9);
  const [noise = new Float32Array()] = await noiseLike([room]);
  expect(20 * Math.log10(rms(noise) / rms(room))).toBeCloseTo(0, 0);
  for (const [band, level] of bands(noise).entries())
    expect(level, `band ${band}`).toBeCloseTo(bands(room)[band]!, -0.3);
  let likeness = 0;
  for (const [frame, value] of noise.entries()) likeness += value * room[frame]!;
  expect(Math.abs(likeness / noise.length / rms(noise) / rms(room))).toBeLessThan(0.1);
});

it('is one in both channels where the room is, and apart where it is apart', async () => {
  const [one, other] = [coloured(1, 4 * rate, 0.9), coloured(2, 4 * rate, 0.9)] as const;
  const correlation = ([left, right]: readonly Float32Array[]): number =>
    left!.reduce((sum, value, frame) => sum + value * right![frame]!, 0) / left!.length / rms(left!) / rms(right!);
  expect(correlation(await noiseLike([one, one.slice()]))).toBeCloseTo(1, 3);
  expect(Math.abs(correlation(await noiseLike([one, other])))).toBeLessThan(0.1);
});

it('is the same however much is asked for at a time', () => {
  const room = {
    sampleRate: rate,
    power: [Float64Array.from({ length: 1025 }, (_, bin) => 1e-6 / (1 + bin))],
    likeness: 1,
  };
  const [whole = new Float32Array()] = new RoomNoise(room).next(1, 0, 9000).map((plane) => plane.slice());
  const parts: number[] = [];
  const again = new RoomNoise(room);
  while (parts.length < whole.length)
    parts.push(...again.next(1, parts.length, Math.min(777, whole.length - parts.length))[0]!);
  expect(parts).toEqual([...whole]);
});
