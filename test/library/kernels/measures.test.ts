// Stats, envelope, spectrum and the stateless operations against what they are defined to be.
import { describe, expect, it } from 'vitest';
import { createEnvelope } from '../../../src/library/kernels/envelope.ts';
import { applyGain, crossfade, mixInto, tileRanges } from '../../../src/library/kernels/ops.ts';
import { createSpectrum } from '../../../src/library/kernels/spectrum.ts';
import { createStats } from '../../../src/library/kernels/stats.ts';
import { make, noise, powerOf } from './signals.ts';

const close = (actual: number, expected: number, relative = 1e-6): void =>
  expect(Math.abs(actual - expected), `${actual} against ${expected}`).toBeLessThanOrEqual(
    relative * Math.abs(expected) + 1e-12,
  );

describe('stats', () => {
  it('equals the definitions in doubles', () => {
    const frames = 100_003;
    const left = noise(frames, 1, 0.6).map((x) => x + 0.1);
    const right = left.map((x, i) => 0.5 * x - 0.2 + 0.3 * Math.sin(i / 50));
    const stats = createStats({ sampleRate: 48000, channels: 2 });
    stats.push([left, right]);
    const r = stats.result();
    const mean = (p: Float32Array): number => p.reduce((s, x) => s + x, 0) / frames;
    expect(r.frames).toBe(frames);
    [left, right].forEach((plane, c) => {
      close(r.perChannel[c]!.dcOffset, mean(plane));
      close(r.perChannel[c]!.rms, Math.sqrt(powerOf(plane)));
      expect(r.perChannel[c]!.samplePeak).toBe(plane.reduce((m, x) => Math.max(m, Math.abs(x)), 0));
    });
    close(r.rms, Math.sqrt((powerOf(left) + powerOf(right)) / 2));
    const [ml, mr] = [mean(left), mean(right)];
    let [cov, vl, vr] = [0, 0, 0];
    for (let i = 0; i < frames; i++) {
      cov += (left[i]! - ml) * (right[i]! - mr);
      vl += (left[i]! - ml) ** 2;
      vr += (right[i]! - mr) ** 2;
    }
    close(r.stereoCorrelation!, cov / Math.sqrt(vl * vr), 1e-5);
  });

  it('keeps its precision beside a large offset', () => {
    const ac = noise(200_000, 6, 1e-4);
    const stats = createStats({ sampleRate: 48000, channels: 2 });
    stats.push([ac.map((x) => 0.5 + x), ac.map((x) => -0.25 - x)]);
    const r = stats.result();
    close(r.perChannel[0]!.dcOffset, 0.5, 1e-5);
    close(r.perChannel[0]!.rms, 0.5, 1e-5);
    close(r.stereoCorrelation!, -1, 1e-3);
  });

  it('counts clipped samples on both sides', () => {
    const plane = new Float32Array([
      1,
      -1,
      32767 / 32768,
      -32767 / 32768,
      32766 / 32768,
      1.5,
      0.99,
      -2,
      ...new Float32Array(40),
    ]);
    const stats = createStats({ sampleRate: 8000, channels: 1 });
    stats.push([plane]);
    expect(stats.result().perChannel[0]!.clippedSamples).toBe(6);
  });

  it('has a correlation only where there is one', () => {
    const of = (...planes: Float32Array[]): number | null => {
      const stats = createStats({ sampleRate: 48000, channels: planes.length });
      stats.push(planes);
      return stats.result().stereoCorrelation;
    };
    const a = noise(50_000, 4);
    close(of(a, a)!, 1, 1e-6);
    close(
      of(
        a,
        a.map((x) => -x),
      )!,
      -1,
      1e-6,
    );
    expect(Math.abs(of(a, noise(50_000, 5))!)).toBeLessThan(0.02);
    expect(of(a)).toBeNull();
    expect(of(a, new Float32Array(50_000))).toBeNull();
    expect(of(a, new Float32Array(50_000).fill(0.3))).toBeNull();
    expect(of(a, a, a)).toBeNull();
    expect(of(new Float32Array(0), new Float32Array(0))).toBeNull();
  });
});

describe('envelope', () => {
  it.each([
    [48000, 0.01],
    [44100, 0.01],
    [11025, 0.01],
    [44100, 0.0333],
    [8000, 1 / 8000],
  ])('is the mean square of each hop (%i Hz, %f s)', (sampleRate, hopSeconds) => {
    const planes = [noise(9999, 1), noise(9999, 2, 0.2)];
    const envelope = createEnvelope({ sampleRate, channels: 2, hopSeconds });
    envelope.push(planes);
    const { meanSquare } = envelope.finish();
    const start = (k: number): number => Math.round(k * (hopSeconds * sampleRate));
    let k = 0;
    for (; start(k) < 9999; k++)
      close(
        meanSquare[k]!,
        (powerOf(planes[0]!.subarray(start(k), start(k + 1))) + powerOf(planes[1]!.subarray(start(k), start(k + 1)))) /
          2,
        1e-5,
      );
    expect(meanSquare.length).toBe(k);
  });
});

describe('spectrum', () => {
  it.each([64, 128, 256, 512, 1024, 2048, 4096, 8192, 32768])('equals a plain DFT (size %i)', (size) => {
    const plane = noise(size, size).map((x, i) => 0.3 * x + 0.5 * Math.cos((2 * Math.PI * 5 * i) / size));
    const other = noise(size, size + 1, 0.4);
    const spectrum = createSpectrum({ sampleRate: size, channels: 2, size, everySeconds: 1 });
    spectrum.push([plane, other]);
    const { power, maxPower, frames, binHz } = spectrum.result();
    expect([frames, binHz, power.length]).toEqual([1, 1, size / 2 + 1]);
    expect(maxPower).toEqual(power);
    const window = Float64Array.from({ length: size }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size));
    const norm = window.reduce((s, w) => s + w * w, 0) * size;
    const bins = [0, 1, 4, 5, 6, size / 4, size / 4 + 1, size / 2 - 1, size / 2];
    for (const k of bins) {
      let expected = 0;
      for (const x of [plane, other]) {
        let [re, im] = [0, 0];
        for (let i = 0; i < size; i++) {
          const angle = (2 * Math.PI * ((k * i) % size)) / size;
          re += window[i]! * x[i]! * Math.cos(angle);
          im += window[i]! * x[i]! * Math.sin(angle);
        }
        expected += (re * re + im * im) / norm / 2;
      }
      if (k !== 0 && k !== size / 2) expected *= 2;
      // Against the strongest bin too: float32 noise.
      expect(Math.abs(power[k]! - expected), `bin ${k}: ${power[k]} against ${expected}`).toBeLessThan(
        1e-5 * expected + 1e-9 * 0.1,
      );
    }
  });

  it('adds up to the mean square, finds a tone, averages at fixed places', () => {
    const sampleRate = 48000;
    const tone = make(sampleRate * 2, (i) => 0.5 * Math.sin((2 * Math.PI * 3000 * i) / sampleRate));
    const spectrum = createSpectrum({ sampleRate, channels: 2 });
    spectrum.push([tone, tone.map((x) => -x)]); // opposite phases must not cancel
    const { power, frames, binHz, maxPower } = spectrum.result();
    expect(frames).toBe(8);
    expect(power.indexOf(Math.max(...power)) * binHz).toBe(3000);
    close(
      power.reduce((a, b) => a + b, 0),
      0.125,
      1e-5,
    );
    expect(maxPower.every((p, k) => p >= power[k]! * (1 - 1e-12))).toBe(true);
    // Away from the tone nothing but float32 noise.
    expect(10 * Math.log10(Math.max(...power.subarray(600)) / 0.125)).toBeLessThan(-120);
  });

  it('sees what happens in its frames only', () => {
    const sampleRate = 8000;
    const plane = new Float32Array(sampleRate); // frames of 256 at 0, 4000, 8000
    plane[300] = 1;
    plane[3999] = 1;
    const spectrum = createSpectrum({ sampleRate, channels: 1, size: 256, everySeconds: 0.5 });
    spectrum.push([plane]);
    expect(Math.max(...spectrum.result().power)).toBe(0);
    expect(spectrum.result().frames).toBe(2);
    const short = createSpectrum({ sampleRate, channels: 1, size: 256, everySeconds: 0.5 });
    short.push([plane.subarray(200, 400)]);
    expect(short.result().frames).toBe(1);
    expect(Math.max(...short.result().power)).toBeGreaterThan(0);
  });
});

describe('operations', () => {
  const planes = (): Float32Array[] => [noise(1003, 1), noise(1003, 2)];

  it('multiply and mix', () => {
    const [a, b] = [planes(), planes()];
    applyGain(a, 0.3);
    a.forEach((p, c) => p.forEach((x, i) => expect(x).toBe(Math.fround(b[c]![i]! * Math.fround(0.3)))));
    const mixed = planes();
    mixInto(mixed, a, -0.5);
    mixed[0]!.forEach((x, i) => expect(Math.abs(x - (b[0]![i]! - 0.5 * a[0]![i]!))).toBeLessThan(1e-7));
  });

  it.each(['equal-power', 'linear'] as const)('crossfade %s, in one call or in many', (shape) => {
    const total = 5003;
    const [a, b, out] = [noise(total, 1), noise(total, 2), new Float32Array(total)];
    crossfade([a], [b], [out], shape);
    out.forEach((x, i) => {
      const t = (i + 0.5) / total;
      const [falling, rising] =
        shape === 'linear' ? [1 - t, t] : [Math.cos((t * Math.PI) / 2), Math.sin((t * Math.PI) / 2)];
      expect(Math.abs(x - (a[i]! * falling + b[i]! * rising))).toBeLessThan(2e-7);
    });
    const pieces = new Float32Array(total);
    for (let at = 0, step = 1; at < total; at += step, step = ((step * 7) % 613) + 1) {
      const end = Math.min(total, at + step);
      crossfade([a.subarray(at, end)], [b.subarray(at, end)], [pieces.subarray(at, end)], shape, {
        position: at,
        total,
      });
    }
    expect(pieces).toEqual(out);
    crossfade([a], [b], [a], shape);
    expect(a).toEqual(out);
    expect(() => crossfade([a], [b], [out], 'cubic' as never)).toThrow(TypeError);
  });

  it.each([1, 7, 8, 17, 64, 1000, 1003, 5000])('least and greatest of every %i samples', (tileFrames) => {
    const plane = noise(1003, 3);
    const tiles = Math.ceil(plane.length / tileFrames);
    const out = new Float32Array(2 * tiles + 1).fill(7);
    tileRanges(plane, tileFrames, out);
    for (let tile = 0; tile < tiles; tile += 1) {
      const samples = plane.subarray(tile * tileFrames, (tile + 1) * tileFrames);
      expect([out[2 * tile], out[2 * tile + 1]]).toEqual([Math.min(...samples), Math.max(...samples)]);
    }
    expect(out[2 * tiles]).toBe(7);
    for (const bad of [NaN, Infinity, -1e20]) {
      const broken = plane.slice();
      broken[1002] = bad;
      tileRanges(broken, tileFrames, out);
      expect([...out.subarray(2 * tiles - 2)]).toEqual([-Infinity, Infinity, 7]);
    }
  });
});
