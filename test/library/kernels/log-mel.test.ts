// Whisper's spectra and the scores of its tokens against their definitions, computed here in double precision.
import { describe, expect, it } from 'vitest';
import { createLogMel } from '../../../src/library/kernels/log-mel.ts';
import { likeliest, scoreTokens } from '../../../src/library/kernels/token-scores.ts';
import { openSpeech, extractSpeech } from '../../../src/library/speech/speech-sound.ts';
import { recording } from '../../fixtures/recordings.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noise, seeded } from './signals.ts';
import { probe } from '../../../src/library/media/read/probe.ts';

/** Slaney's scale: 15 mels to 1 kHz, then 27 to a factor of 6.4. */
const mels = (hz: number): number => (hz < 1000 ? (3 * hz) / 200 : 15 + (27 * Math.log(hz / 1000)) / Math.log(6.4));
const hertz = (mel: number): number => (mel < 15 ? (200 * mel) / 3 : 1000 * 6.4 ** ((mel - 15) / 27));

/** Triangles over the bins, each of area 2 / width: librosa.filters.mel(sr=16000, n_fft=400). */
function filters(bands: number): number[][] {
  const edges = Array.from({ length: bands + 2 }, (_, i) => hertz((mels(8000) * i) / (bands + 1)));
  return Array.from({ length: bands }, (_, b) =>
    Array.from({ length: 201 }, (__, k) => {
      const [low, centre, high] = [edges[b]!, edges[b + 1]!, edges[b + 2]!];
      const up = (k * 40 - low) / (centre - low);
      const down = (high - k * 40) / (high - centre);
      return (Math.max(0, Math.min(up, down)) * 2) / (high - low);
    }),
  );
}

/** whisper.log_mel_spectrogram of a sound that is filled up with silence to 160 `frames`. */
function expectedLogMel(sound: Float32Array, frames: number, bands: number): number[][] {
  const length = frames * 160;
  const at = (index: number): number => {
    const mirrored = index < 0 ? -index : index >= length ? 2 * (length - 1) - index : index;
    return sound[mirrored] ?? 0;
  };
  const window = Array.from({ length: 400 }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / 400));
  const cos = Array.from({ length: 400 }, (_, i) => Math.cos((2 * Math.PI * i) / 400));
  const weights = filters(bands);
  const levels = Array.from({ length: frames }, (_, t) => {
    const frame = window.map((w, i) => w * at(t * 160 + i - 200));
    const power = Array.from({ length: 201 }, (__, k) => {
      let [x, y] = [0, 0];
      for (let i = 0; i < 400; i += 1) {
        x += frame[i]! * cos[(k * i) % 400]!;
        y += frame[i]! * cos[(k * i + 100) % 400]!;
      }
      return x * x + y * y;
    });
    return weights.map((row) =>
      Math.log10(
        Math.max(
          1e-10,
          row.reduce((sum, w, k) => sum + w * power[k]!, 0),
        ),
      ),
    );
  });
  const most = Math.max(...levels.flat());
  return levels.map((row) => row.map((x) => (Math.max(x, most - 8) + 4) / 4));
}

function greatestDifference(sound: Float32Array, frames: number, bands: number): number {
  const actual = createLogMel(bands).process(sound, frames);
  expect(actual.length).toBe(frames * bands);
  const expected = expectedLogMel(sound, frames, bands);
  let most = 0;
  for (let t = 0; t < frames; t += 1)
    for (let b = 0; b < bands; b += 1)
      most = Math.max(most, Math.abs(actual[b * frames + t]! - (expected[t]![b] ?? Number.NaN)));
  return most;
}

describe('createLogMel', () => {
  it.each([80, 128])('%i bands of noise and tones are the definition', (bands) => {
    const sound = noise(160 * 150 + 37, 21, 0.4);
    for (let i = 0; i < 9000; i += 1) sound[i] = 0.9 * Math.sin(0.3 * i) + 1e-3 * Math.sin(2 * i);
    expect(greatestDifference(sound, 200, bands)).toBeLessThan(1e-4);
    // Filled to the last sample: the end is mirrored.
    expect(greatestDifference(noise(160 * 40, 22, 0.4), 40, bands)).toBeLessThan(1e-4);
    expect(greatestDifference(noise(160 * 70, 23, 0.4), 40, bands)).toBeLessThan(1e-4);
  });

  it.each([80, 128])('%i bands of a voice are the definition', async (bands) => {
    const folder = mkdtempSync(join(tmpdir(), 'earshot-mel-'));
    try {
      const made = await extractSpeech(probe(recording('jfk.wav')), folder, {
        signal: new AbortController().signal,
        onProgress: () => undefined,
      });
      made.close();
      const sound = openSpeech(made.path);
      // The last second, its end, and silence behind it: voice, low noise and nothing.
      expect(greatestDifference(sound.read(sound.frames - 16_000, 16_000), 150, bands)).toBeLessThan(1e-4);
      sound.close();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('silence, no sound and no frames', () => {
    const mel = createLogMel(80);
    expect(mel.process(new Float32Array(0), 0)).toHaveLength(0);
    for (const sound of [new Float32Array(0), new Float32Array(5000)])
      expect(mel.process(sound, 30).every((x) => x === -1.5)).toBe(true);
    // Broken samples are silence.
    expect(mel.process(new Float32Array(5000).fill(Number.NaN), 30).every((x) => x === -1.5)).toBe(true);
    expect(() => createLogMel(0)).toThrow(TypeError);
    expect(() => createLogMel(257)).toThrow(TypeError);
  });
});

describe('scoreTokens', () => {
  it('finds the best token and the sum of all exponentials', () => {
    for (const length of [1, 7, 8, 9, 1501, 51_865]) {
      const random = seeded(length);
      const logits = Float32Array.from({ length }, () => random() * 60 - 40);
      if (length > 8) logits[3] = -Infinity;
      if (length > 8) logits[4] = Number.NaN;
      const allowed = [...logits].map((x, i) => [x, i] as const).filter(([x]) => !Number.isNaN(x));
      const [most, best] = allowed.reduce((a, b) => (b[0] > a[0] ? b : a));
      const sum = allowed.reduce((total, [x]) => total + Math.exp(x - most), 0);
      const scores = scoreTokens(logits, 0, length);
      expect(scores.best).toBe(best);
      expect(scores.most).toBe(most);
      expect(Math.abs(scores.logSum - most - Math.log(sum))).toBeLessThan(1e-5);
    }
  });

  it('looks at its range only, and at tokens that are allowed', () => {
    const logits = Float32Array.of(9, 1, 2, 2, -Infinity, 8);
    expect(scoreTokens(logits, 1, 5)).toEqual({
      best: 2,
      most: 2,
      logSum: expect.closeTo(Math.log(2 * Math.exp(2) + Math.E)),
    });
    expect(scoreTokens(logits, 4, 5)).toEqual({ best: 4, most: -Infinity, logSum: -Infinity });
    expect(() => scoreTokens(logits, 2, 2)).toThrow(TypeError);
    expect(() => scoreTokens(logits, 2, 7)).toThrow(TypeError);
  });
});

describe('likeliest', () => {
  it('finds the greatest logits as sorting does, of equal ones the first', () => {
    const random = seeded(31);
    for (const length of [1, 5, 8, 17, 1000]) {
      // Many are equal.
      const logits = Float32Array.from({ length }, () => (random() < 0.1 ? -Infinity : Math.floor(12 * random()) - 6));
      const sorted = [...logits.keys()].filter((token) => logits[token] !== -Infinity);
      sorted.sort((a, b) => logits[b]! - logits[a]! || a - b);
      for (const most of [1, 4, 24]) expect(likeliest(logits, most)).toEqual(sorted.slice(0, most));
    }
    expect(likeliest(Float32Array.of(NaN, -Infinity, NaN), 4)).toEqual([]);
    expect(() => likeliest(new Float32Array(9), 0)).toThrow(TypeError);
  });
});
