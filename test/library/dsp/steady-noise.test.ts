// Noise that is always there is measured and turned down; voices, music and what moves stay.
import { expect, it } from 'vitest';
import { exponentialIntegral, logMmseGain } from '../../../src/library/dsp/denoise/steady/log-mmse.ts';
import { removeSteady } from '../../../src/library/dsp/denoise/steady/remove-steady.ts';
import { meterSteadyNoise, type SteadyNoise } from '../../../src/library/dsp/denoise/steady/steady-noise.ts';
import { compose } from '../../../src/library/pcm/compose.ts';
import type { Analyser, Stage } from '../../../src/library/pcm/stage.ts';
import { readAll } from '../../fixtures/media/media.ts';
import { make, noise, rms, toDb } from '../../fixtures/media/signals.ts';
import { recording } from '../../fixtures/recordings.ts';
import { birdsong, splitBy } from '../../fixtures/sounds/birds.ts';
import { slow, slower } from '../../fixtures/rounds.ts';

const rate = 48_000;
const seconds = 12;
const frames = seconds * rate;

function through(stage: Stage | Analyser<SteadyNoise>, planes: readonly Float32Array[], cut: number): Float32Array[] {
  const pipeline = compose([stage], {
    sampleRate: rate,
    channels: planes.length,
    layout: planes.length === 1 ? 'mono' : 'stereo',
  });
  const out = planes.map(() => new Float32Array(frames));
  let written = 0;
  const keep = (block: { readonly planes: readonly Float32Array[]; readonly frames: number }): void => {
    for (const [channel, plane] of block.planes.entries())
      out[channel]?.set(plane.subarray(0, Math.min(block.frames, frames - written)), written);
    written += block.frames;
  };
  for (let at = 0; at < frames; at += cut) {
    const part = planes.map((plane) => plane.slice(at, Math.min(frames, at + cut)));
    pipeline.process({ planes: part, frames: part[0]?.length ?? 0 }, keep);
  }
  pipeline.flush(keep);
  pipeline.close();
  expect(written).toBe(frames);
  return out;
}

function measured(planes: readonly Float32Array[]): SteadyNoise {
  const meter = meterSteadyNoise();
  through(meter, planes, rate);
  return meter.result();
}

function cleaned(planes: readonly Float32Array[], leastGain = 10 ** (-30 / 20), cut = rate): Float32Array[] {
  const groups = { groups: [planes.map((_, channel) => channel)] };
  return through(removeSteady({ groups, noise: measured(planes), leastGain }), planes, cut);
}

const sum = (...planes: readonly Float32Array[]): Float32Array =>
  make(frames, (at) => planes.reduce((total, plane) => total + (plane[at] as number), 0));
const hiss = (level: number, seed = 7): Float32Array => noise(frames, seed, level);

/** Speech with pauses, at 48 kHz. */
function speech(): Float32Array {
  const [said] = readAll(recording('clean_speech_48k.wav'), { rate, channels: 1 }).planes as [Float32Array];
  return make(frames, (at) => said[at % said.length] as number);
}

const birds = (): Float32Array => birdsong(frames, rate);

it('reads the level of steady noise, also under speech, and of none', slow, () => {
  for (const level of [0.1, 0.001])
    expect(Math.abs((measured([hiss(level)]).dbfs ?? 0) - toDb(rms(hiss(level))))).toBeLessThan(0.7);
  expect(Math.abs((measured([sum(speech(), hiss(0.01))]).dbfs ?? 0) - toDb(rms(hiss(0.01))))).toBeLessThan(1.5);
  expect(measured([new Float32Array(frames)]).dbfs).toBeNull();
});

it('takes hiss from speech and leaves the speech', slower, () => {
  const [said, noisy] = [speech(), sum(speech(), hiss(0.01))];
  const [out] = cleaned([noisy]) as [Float32Array];
  const [before, after] = [splitBy(noisy, said), splitBy(out, said)];
  expect(after.keptDb).toBeGreaterThan(-0.5);
  expect(before.restDb - after.restDb).toBeGreaterThan(6);
  // Hiss alone, as in a pause.
  const [pause] = cleaned([hiss(0.01)]) as [Float32Array];
  expect(toDb(rms(pause) / rms(hiss(0.01)))).toBeLessThan(-17);
});

it('keeps birds that are heard in it', slower, () => {
  const noisy = sum(birds(), hiss(0.003));
  const [out] = cleaned([noisy]) as [Float32Array];
  const [before, after] = [splitBy(noisy, birds()), splitBy(out, birds())];
  expect(after.keptDb).toBeGreaterThan(-0.3);
  expect(before.restDb - after.restDb).toBeGreaterThan(10);
});

it('leaves sound without steady noise as it was', () => {
  const said = speech().map((x, at) => (Math.floor(at / rate) % 4 === 3 ? 0 : x));
  const [out] = cleaned([said]) as [Float32Array];
  const { keptDb, restDb } = splitBy(out, said);
  expect(keptDb).toBeGreaterThan(-0.1);
  expect(restDb).toBeLessThan(-25);
});

it('leaves noise that begins in the recording where it was not', () => {
  const loud = hiss(0.01);
  const late = make(frames, (at) => (at < 5 * rate ? 0 : (loud[at] as number)));
  const soft = hiss(0.0005, 8);
  const noisy = make(frames, (at) => (late[at] as number) + (soft[at] as number));
  const found = measured([noisy]);
  const at = (second: number): number => found.at(0, Math.round((second * rate) / 256)).reduce((all, x) => all + x, 0);
  expect(10 * Math.log10(at(11) / at(3))).toBeGreaterThan(20);
});

it('turns two channels of a scene down by one filter, and leaves what it must', slower, () => {
  const [left, right] = [sum(speech(), hiss(0.01, 1)), sum(speech(), hiss(0.01, 2)).map((x) => x / 2)];
  const out = cleaned([left, right], 0.5) as [Float32Array, Float32Array];
  const ratio = toDb(rms(out[0]) / rms(out[1]));
  expect(Math.abs(ratio - toDb(rms(left) / rms(right)))).toBeLessThan(0.1);
  const [half] = cleaned([hiss(0.01)], 0.5) as [Float32Array];
  expect(toDb(rms(half) / rms(hiss(0.01)))).toBeGreaterThan(-6.1);
});

it('gives the same samples however the sound is cut, and no bad number of bad ones', slower, () => {
  const noisy = sum(speech(), hiss(0.01));
  const [whole] = cleaned([noisy]) as [Float32Array];
  const [cut] = cleaned([noisy], 10 ** (-30 / 20), 7001) as [Float32Array];
  expect(cut).toEqual(whole);
  const broken = noisy.slice();
  broken.fill(Number.NaN, rate, rate + 10);
  const [out] = cleaned([broken]) as [Float32Array];
  expect(out.subarray(2 * rate).every(Number.isFinite)).toBe(true);
});

it('follows the tables of the exponential integral', () => {
  // Abramowitz and Stegun, table 5.1.
  for (const [x, value] of [
    [0.05, 2.467898489],
    [0.5, 0.559773595],
    [1, 0.219383934],
    [2, 0.048900511],
    [10, 4.15696893e-6],
  ] as const)
    expect(Math.abs(exponentialIntegral(x) / value - 1)).toBeLessThan(2e-7);
  expect(logMmseGain(1000, 1000)).toBeCloseTo(1000 / 1001, 3);
  expect(logMmseGain(0.003, 1)).toBeLessThan(0.1);
});
