// The measures of bench/quality against what is known of them.
import { describe, expect, it } from 'vitest';
import { logSpectralDistance, siSdr } from '../../bench/quality/measures.ts';
import { speechDistortion } from '../../bench/quality/speech-distortion.ts';
import { stoi } from '../../bench/quality/stoi.ts';
import { resampled, seeded } from '../../bench/quality/voice-cases.ts';
import { slow } from '../fixtures/rounds.ts';

const noise = (seed: number, length: number): Float32Array => {
  const random = seeded(seed);
  return Float32Array.from({ length }, () => 2 * random() - 1);
};

/** 20 harmonics and noise under moving envelopes, silent for 0.7 s in the middle. */
function voice(seed: number, length: number, rate = 10_000): Float32Array {
  const breath = noise(seed, length);
  return breath.map((x, n) => {
    const t = n / rate;
    if (t >= 1.5 && t < 2.2) return 0;
    let tones = 0;
    for (let h = 1; h <= 20; h += 1) tones += Math.sin(2 * Math.PI * 137 * h * t + h) / h;
    return (
      (Math.max(0, Math.sin(2 * Math.PI * 2.7 * t)) ** 2 + 0.02) *
      (0.6 * tones + 0.8 * x * (0.5 + 0.5 * Math.sin(2 * Math.PI * 4.1 * t)))
    );
  });
}

const energy = (plane: Float32Array): number => plane.reduce((sum, x) => sum + x * x, 0);
function mixed(speech: Float32Array, other: Float32Array, snrDb: number): Float32Array {
  const gain = Math.sqrt(energy(speech) / energy(other) / 10 ** (snrDb / 10));
  return speech.map((x, i) => x + gain * (other[i] as number));
}

describe('STOI', () => {
  const clean = voice(11, 40_000);
  const other = noise(12, 40_000);

  // Computed with pystoi (github.com/mpariente/pystoi, commit 0c7af6b), which its authors hold against Taal's own
  // MATLAB program, on these very signals (seeds 11 and 12).
  it.each([
    [20, 0.99865],
    [10, 0.988792],
    [5, 0.969644],
    [0, 0.925562],
    [-5, 0.855695],
  ])("has the published program's value at %d dB", (snr, published) => {
    expect(stoi(mixed(clean, other, snr), clean, 10_000)).toBeCloseTo(published, 4);
  });

  it("has the published program's value for what is not additive", () => {
    const noisy = mixed(clean, other, 10);
    expect(
      stoi(
        noisy.map((x) => Math.max(-0.3, Math.min(0.3, x))),
        clean,
        10_000,
      ),
    ).toBeCloseTo(0.888847, 4);
    expect(
      stoi(
        noisy.map((x, n) => (Math.floor(n / 500) % 3 === 0 ? 0 : x)),
        clean,
        10_000,
      ),
    ).toBeCloseTo(0.662896, 4);
  });

  it('is 1 for the same, at any level, and falls with the noise', slow, () => {
    expect(stoi(clean, clean, 10_000)).toBeCloseTo(1, 6);
    expect(
      stoi(
        clean.map((x) => 0.03 * x),
        clean,
        10_000,
      ),
    ).toBeCloseTo(1, 6);
    const values = [30, 20, 10, 0, -10, -20].map((snr) => stoi(mixed(clean, other, snr), clean, 10_000));
    expect(values).toEqual(values.toSorted((a, b) => b - a));
    expect(Math.abs(stoi(other, noise(13, other.length), 10_000))).toBeLessThan(0.05);
  });

  it('takes any sample rate', () => {
    // 5 kHz is as high as it listens, so noise that was there at 10 kHz is the same noise at 48.
    const [fastClean, fastNoisy] = [clean, mixed(clean, other, 5)].map((plane) => resampled(plane, 10_000, 48_000)) as [
      Float32Array,
      Float32Array,
    ];
    expect(stoi(fastNoisy, fastClean, 48_000)).toBeCloseTo(stoi(mixed(clean, other, 5), clean, 10_000), 2);
  });

  it('refuses what has too little speech', () => {
    expect(() => stoi(clean.subarray(0, 3000), clean.subarray(0, 3000), 10_000)).toThrow('at least 30 frames');
  });
});

describe('at 48 kHz', () => {
  const clean = voice(21, 96_000, 48_000);
  const other = noise(22, 96_000);
  const noisy = mixed(clean, other, 5);

  it('SI-SDR is the signal-to-noise ratio of what is not correlated, at any level', () => {
    expect(siSdr(noisy, clean)).toBeCloseTo(5, 1);
    expect(
      siSdr(
        noisy.map((x) => -0.1 * x),
        clean,
      ),
    ).toBeCloseTo(siSdr(noisy, clean), 4);
  });

  it('log-spectral distance of a change of level is that change', () => {
    expect(logSpectralDistance(clean, clean)).toBe(0);
    // White, so that no bin lies under the floor.
    expect(
      logSpectralDistance(
        other.map((x) => 2 * x),
        other,
      ),
    ).toBeCloseTo(20 * Math.log10(2), 1);
  });

  it('speech distortion counts what is done to the voice and not the noise that is left', () => {
    expect(speechDistortion(noisy, noisy, clean)).toBeCloseTo(30, 6);
    expect(speechDistortion(clean, clean, clean)).toBeCloseTo(30, 6);
    // Half the voice is missing: half of it is the error.
    expect(
      speechDistortion(
        noisy.map((x) => x / 2),
        noisy,
        clean,
      ),
    ).toBeCloseTo(20 * Math.log10(2), 3);
    expect(
      speechDistortion(
        noisy.map((x) => -x),
        noisy,
        clean,
      ),
    ).toBeCloseTo(-20 * Math.log10(2), 3);
    expect(speechDistortion(new Float32Array(clean.length), noisy, clean)).toBeCloseTo(0, 6);
  });
});
