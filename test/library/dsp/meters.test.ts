import { describe, expect, it } from 'vitest';
import { meterBandwidth } from '../../../src/library/dsp/spectrum/bandwidth.ts';
import { meterLevels } from '../../../src/library/dsp/loudness/level-meter.ts';
import { amplify, limit } from '../../../src/library/dsp/loudness/limit.ts';
import { meterLoudness } from '../../../src/library/dsp/loudness/loudness-meter.ts';
import { findSilences, quietestMeanSquare } from '../../../src/library/dsp/pauses/silences.ts';
import type { AudioBlock } from '../../../src/library/pcm/block.ts';
import { compose } from '../../../src/library/pcm/compose.ts';
import type { Analyser, Stage } from '../../../src/library/pcm/stage.ts';
import { usualLayout } from '../../../src/library/core/channels.ts';
import { bandLimitedNoise, difference, fromDb, make, maxAbs, noise, toDb, tone } from '../../fixtures/media/signals.ts';

const rate = 48_000;

/** Runs planes through stages in blocks; answers what comes out. */
function pass(stages: readonly Stage[], planes: readonly Float32Array[], size = 4801): Float32Array[] {
  const pipeline = compose(stages, { sampleRate: rate, channels: planes.length, layout: usualLayout(planes.length) });
  const blocks: Float32Array[][] = [];
  const emit = (block: AudioBlock): void => void blocks.push(block.planes.map((plane) => plane.slice()));
  const total = planes[0]!.length;
  for (let at = 0; at < total; at += size) {
    const frames = Math.min(size, total - at);
    pipeline.process({ planes: planes.map((plane) => plane.slice(at, at + frames)), frames }, emit);
  }
  pipeline.flush(emit);
  return planes.map((_, c) => {
    const out = new Float32Array(blocks.reduce((sum, block) => sum + block[c]!.length, 0));
    let at = 0;
    for (const block of blocks) {
      out.set(block[c]!, at);
      at += block[c]!.length;
    }
    return out;
  });
}
function read<Result>(meter: Analyser<Result>, planes: readonly Float32Array[]): Result {
  const out = pass([meter], planes);
  // A meter lets everything through untouched.
  for (const [c, plane] of planes.entries()) expect(difference(out[c]!, plane)).toBe(0);
  return meter.result();
}

describe('limit', () => {
  /** Four times finer than the samples, by the sum of sincs around each loud place. */
  function idealPeak(plane: Float32Array): number {
    let most = maxAbs(plane);
    for (let i = 40; i < plane.length - 40; i += 1) {
      if (Math.abs(plane[i]!) < most * 0.8) continue;
      for (const shift of [0.25, 0.5, 0.75]) {
        let sum = 0;
        for (let k = -40; k <= 40; k += 1)
          sum +=
            plane[i + k]! *
            (Math.sin(Math.PI * (shift - k)) / (Math.PI * (shift - k))) *
            Math.cos(((shift - k) * Math.PI) / 84) ** 2;
        most = Math.max(most, Math.abs(sum));
      }
    }
    return most;
  }

  it('keeps length and place, stays under the ceiling between the samples too', () => {
    const peaky = [tone(rate, rate, 11_990, 3, 0.7), make(rate, (i) => (i % 5000 === 0 ? 2 : 0.1 * Math.sin(i / 7)))];
    const stage = limit({ ceilingDbtp: -1 });
    const out = pass([stage], peaky);
    for (const plane of out) {
      expect(plane).toHaveLength(rate);
      expect(toDb(idealPeak(plane))).toBeLessThan(-1 + 0.1);
    }
    expect(stage.maxReductionDb()).toBeGreaterThan(6);
    // The click stays in its frame.
    expect(Math.abs(out[1]![25_000]!)).toBe(maxAbs(out[1]!.subarray(24_900, 25_100)));
  });

  it('what stays under the ceiling is multiplied and nothing else', () => {
    const soft = [noise(20_000, 1, 0.1), noise(20_000, 2, 0.1)];
    const gain = Math.fround(fromDb(6));
    const out = pass([limit({ gainDb: 6, ceilingDbtp: -1 })], soft);
    for (const [c, plane] of out.entries())
      expect(
        difference(
          plane,
          soft[c]!.map((x) => Math.fround(x * gain)),
        ),
      ).toBe(0);
  });

  it('amplify', () => {
    const soft = noise(1000, 1, 0.1);
    expect(
      difference(
        pass([amplify(-12)], [soft])[0]!,
        soft.map((x) => x * fromDb(-12)),
      ),
    ).toBeLessThan(1e-8);
  });
});

describe('silences', () => {
  const hop = 0.01;
  /** Level envelope in dB, by a script of [seconds, dB]. */
  const envelope = (script: readonly (readonly [number, number])[]): Float32Array =>
    Float32Array.from(
      script.flatMap(([seconds, db]) => Array.from({ length: Math.round(seconds / hop) }, () => 10 ** (db / 10))),
    );
  const found = (script: readonly (readonly [number, number])[], min?: number): (readonly [number, number])[] => {
    const total = script.reduce((sum, [seconds]) => sum + seconds, 0);
    return findSilences(envelope(script), hop, total, min).stretches.map(
      (one) => [one.startSeconds, one.endSeconds] as const,
    );
  };

  it('at the start, in the middle and at the end, within 30 ms', () => {
    const truth = [
      [0, 1],
      [3, 3.6],
      [6, 8],
    ] as const;
    const got = found([
      [1, -75],
      [2, -20],
      [0.6, -80],
      [2.4, -18],
      [2, -75],
    ]);
    expect(got).toHaveLength(3);
    for (const [n, [from, to]] of truth.entries()) {
      expect(Math.abs(got[n]![0] - from)).toBeLessThanOrEqual(0.03);
      expect(Math.abs(got[n]![1] - to)).toBeLessThanOrEqual(0.03);
    }
    expect(got[0]![0]).toBe(0);
    expect(got.at(-1)![1]).toBeCloseTo(8, 6);
  });

  it('short pauses do not count, and a steady sound has none', () => {
    expect(
      found([
        [2, -20],
        [0.4, -70],
        [2, -20],
      ]),
    ).toEqual([]);
    expect(
      found(
        [
          [2, -20],
          [0.4, -70],
          [2, -20],
        ],
        0.3,
      ),
    ).toHaveLength(1);
    expect(found([[10, -60]])).toEqual([]);
    expect(found([[10, -3]])).toEqual([]);
  });

  it('digital silence is silence from end to end; nothing at all is none', () => {
    expect(found([[3, -400]])).toEqual([[0, 3]]);
    expect(findSilences(new Float32Array(0), hop, 0).stretches).toEqual([]);
  });

  it('noise floor: the quietest half second, without drift over an hour', () => {
    expect(
      10 *
        Math.log10(
          quietestMeanSquare(
            envelope([
              [2, -20],
              [0.5, -63],
              [2, -20],
              [0.3, -90],
              [2, -20],
            ]),
            hop,
          ),
        ),
    ).toBeCloseTo(-63, 1);
    const hour = envelope([
      [1800, 0],
      [0.5, -90],
      [1800, 0],
    ]);
    expect(10 * Math.log10(quietestMeanSquare(hour, hop))).toBeCloseTo(-90, 0);
    expect(quietestMeanSquare(new Float32Array(0), hop)).toBe(0);
    expect(10 * Math.log10(quietestMeanSquare(envelope([[0.1, -40]]), hop))).toBeCloseTo(-40, 3);
  });
});

describe('meters', () => {
  it.each([4000, 8000, 16_000])('bandwidth of noise up to %i Hz', (hz) => {
    expect(Math.abs((read(meterBandwidth(), [bandLimitedNoise(5 * rate, rate, hz, 3)]) ?? 0) / hz - 1)).toBeLessThan(
      0.05,
    );
  });
  it('bandwidth of full-band noise, of silence', () => {
    expect(read(meterBandwidth(), [noise(3 * rate, 1, 0.3)])).toBeGreaterThan(0.98 * (rate / 2));
    expect(read(meterBandwidth(), [new Float32Array(rate)])).toBeNull();
  });

  it('levels', () => {
    const reading = read(meterLevels(), [
      tone(2 * rate, rate, 1000, -12),
      tone(2 * rate, rate, 1000, -18, Math.PI / 2),
    ]);
    expect(reading.perChannel.map((one) => toDb(one.rms))).toEqual([
      expect.closeTo(-15.01, 2),
      expect.closeTo(-21.01, 2),
    ]);
    expect(reading.rmsDbfs).toBeCloseTo(10 * Math.log10((10 ** -1.501 + 10 ** -2.101) / 2), 2);
    expect(reading.samplePeakDbfs).toBeCloseTo(-12, 3);
    // A sine and a cosine have nothing in common.
    expect(reading.stereoCorrelation).toBeCloseTo(0, 4);
    expect(reading.envelope).toHaveLength(200);
    expect(read(meterLevels(), [new Float32Array(rate)])).toMatchObject({
      rmsDbfs: Number.NEGATIVE_INFINITY,
      noiseFloorDbfs: Number.NEGATIVE_INFINITY,
      samplePeakDbfs: Number.NEGATIVE_INFINITY,
    });
  });

  it('loudness weights the surrounds and leaves out the LFE (BS.1770)', () => {
    const one = (channel: number): number =>
      read(
        meterLoudness(),
        Array.from({ length: 6 }, (_, c) =>
          c === channel ? tone(4 * rate, rate, 997, -20) : new Float32Array(4 * rate),
        ),
      ).integratedLufs ?? Number.NEGATIVE_INFINITY;
    expect(one(0)).toBeCloseTo(-23, 1);
    expect(one(2)).toBeCloseTo(-23, 1);
    expect(one(3)).toBe(Number.NEGATIVE_INFINITY);
    // 1.41 in power.
    expect(one(4) - one(0)).toBeCloseTo(1.49, 1);
    // A quarter of the rate, peaks between the samples: EBU Tech 3341 allows +0.2 and -0.4 dB.
    const { truePeakDbtp } = read(meterLoudness(), [tone(4 * rate, rate, 12_000, -6, Math.PI / 4)]);
    expect(truePeakDbtp).toBeGreaterThan(-6.4);
    expect(truePeakDbtp).toBeLessThan(-5.8);
  });
});
