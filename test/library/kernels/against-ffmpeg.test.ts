import { describe, expect, it } from 'vitest';
import { createLoudness } from '../../../src/library/kernels/loudness.ts';
import { createTruePeak } from '../../../src/library/kernels/true-peak.ts';
import { decodeByFfmpeg, noFfmpeg, readByFfmpeg } from './ffmpeg.ts';
import { complainInCi } from '../../fixtures/missing-part.ts';
import { recording, type RecordingName } from '../../fixtures/recordings.ts';
import { db, make, noise } from './signals.ts';
import { slow, someOf, tableOptions } from '../../fixtures/rounds.ts';

const recordings: readonly RecordingName[] = [
  'jfk.wav',
  'sonnet001.mp3',
  'acoustic_corpus.wav',
  'ami-trn05.wav',
  'clean_speech_48k.wav',
  'noisy_snr0_48k.wav',
  'um.flac',
];

function compare(planes: readonly Float32Array[], sampleRate: number): void {
  const other = readByFfmpeg(planes, sampleRate);
  const loudness = createLoudness({ sampleRate, weights: planes.map(() => 1) });
  loudness.push(planes);
  const own = loudness.result();
  const meter = createTruePeak({ sampleRate, channels: planes.length });
  meter.push(planes);
  const { truePeak } = meter.finish();
  expect(
    Math.abs(own.integratedLufs! - other.integratedLufs),
    `integrated: ${own.integratedLufs} against ${other.integratedLufs}`,
  ).toBeLessThanOrEqual(0.1);

  // Short-term loudness, value by value. Ours begins with the first whole 3 s.
  const series = [...loudness.shortTermSeries()];
  const theirs = other.shortTermLufs.slice(29, 29 + series.length);
  expect(theirs.length).toBe(series.length);
  const furthest = Math.max(0, ...series.map((x, i) => (x < -100 ? 0 : Math.abs(x - theirs[i]!))));
  expect(furthest, 'short-term loudness').toBeLessThanOrEqual(0.02);

  // The range: within 0.1 LU, or, where few windows leave gaps between neighbouring values (a recording of 10 s has
  // 70), within what one place more or less in the sorted values makes. Tech 3342 takes place round((n - 1) p), ffmpeg
  // counts a histogram. Both gates are far below these signals' quiet tenth, or the standard's is applied here.
  const mean = series.filter((x) => x > -70).reduce((sum, x, _, all) => sum + 10 ** (x / 10) / all.length, 0);
  const sorted = series.filter((x) => x > -70 && x > 10 * Math.log10(mean) - 20).sort((x, y) => x - y);
  const [low, high] = [0.1, 0.95].map((p) => Math.round((sorted.length - 1) * p)) as [number, number];
  const value = (place: number): number => sorted[Math.max(0, Math.min(sorted.length - 1, place))] ?? 0;
  expect(own.loudnessRangeLu ?? 0).toBeCloseTo(value(high) - value(low), 4);
  const slack = Math.max(
    0.1,
    value(high + 1) - value(high) + 0.02,
    value(high) - value(high - 1) + 0.02,
    value(low) - value(low - 1) + 0.02,
    value(low + 1) - value(low) + 0.02,
  );
  // Of the material, not of the meter.
  expect(slack, 'the recording is too short to compare the range').toBeLessThan(0.4);
  expect(
    Math.abs((own.loudnessRangeLu ?? 0) - other.loudnessRangeLu),
    `range: ${own.loudnessRangeLu} against ${other.loudnessRangeLu}`,
  ).toBeLessThanOrEqual(slack);

  // Ours looks every 10 ms, ffmpeg every 100 ms: never less.
  expect(
    own.maxMomentaryLufs! - other.maxMomentaryLufs,
    `momentary: ${own.maxMomentaryLufs} against ${other.maxMomentaryLufs}`,
  ).toBeGreaterThan(-0.05);
  expect(own.maxMomentaryLufs! - other.maxMomentaryLufs).toBeLessThan(1);
  expect(
    Math.abs(db(truePeak) - db(other.truePeak)),
    `true peak: ${db(truePeak)} against ${db(other.truePeak)}`,
  ).toBeLessThanOrEqual(0.3);
}

if (noFfmpeg) {
  complainInCi(noFfmpeg);
  console.log(`comparison with ffmpeg skipped: ${noFfmpeg}`);
}

describe.skipIf(noFfmpeg)(`against ffmpeg's ebur128${noFfmpeg ? ` (skipped: ${noFfmpeg})` : ''}`, () => {
  for (const name of someOf(recordings)) {
    it(name, tableOptions, () => {
      const { planes, sampleRate } = decodeByFfmpeg(recording(name));
      compare(planes, sampleRate);
    });
  }

  it.each([8000, 44100, 48000, 96000])('swelling noise at %i Hz', slow, (sampleRate) => {
    const frames = sampleRate * 60;
    const [a, b] = [noise(frames, 31), noise(frames, 32)];
    const swell = (i: number): number => 10 ** (-0.8 + 0.5 * Math.sin(i / sampleRate / 3.1));
    compare(
      [make(frames, (i) => a[i]! * swell(i)), make(frames, (i) => (0.5 * a[i]! + 0.5 * b[i]!) * swell(i))],
      sampleRate,
    );
  });
});
