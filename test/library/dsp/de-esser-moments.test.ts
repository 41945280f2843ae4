// When the de-esser sets in and lets go, on tones whose levels are known.
import { describe, expect, it } from 'vitest';
import { deEss, deEssingDb } from '../../../src/library/dsp/voice/de-ess.ts';
import { compose } from '../../../src/library/pcm/compose.ts';
import { difference, fromDb, make, rms, toDb } from '../../fixtures/media/signals.ts';

const rate = 48_000;

const tone = (frames: number, hz: number, dbfs: (frame: number) => number): Float32Array =>
  make(frames, (i) => fromDb(dbfs(i)) * Math.SQRT2 * Math.sin((2 * Math.PI * hz * i) / rate));

function through(stage: ReturnType<typeof deEss>, plane: Float32Array): Float32Array {
  const pipeline = compose([stage], { sampleRate: rate, channels: 1, layout: 'mono' });
  const out = new Float32Array(plane.length);
  let at = 0;
  const keep = ({ planes }: { planes: readonly Float32Array[] }): void => {
    const part = planes[0] as Float32Array;
    out.set(part, at);
    at += part.length;
  };
  pipeline.process({ planes: [plane.slice()], frames: plane.length }, keep);
  pipeline.flush(keep);
  pipeline.close();
  expect(at).toBe(plane.length);
  return out;
}

describe('de-esser', () => {
  const speechDb = -30;

  it('leaves a loud vowel alone whose highs are loud, too, but less than what lies below', () => {
    // Highs 2 dB above the speech's level, 6 dB below the vowel's own lows: 1 / 5 of the power.
    const highs = tone(rate, 6000, () => speechDb + 2);
    const vowel = tone(rate, 300, () => speechDb + 8).map((x, i) => x + (highs[i] as number));
    const guarded = deEss(speechDb);
    const out = through(guarded, vowel);
    expect(guarded.maxReductionDb()).toBe(0);
    expect(toDb(difference(out, vowel))).toBeLessThan(-100);
    // The same highs without the vowel are a hiss.
    const alone = deEss(speechDb);
    const hiss = through(alone, highs);
    expect(alone.maxReductionDb()).toBeCloseTo(deEssingDb(2), 1);
    expect(toDb(rms(highs.slice(9600, 38_400)) / rms(hiss.slice(9600, 38_400)))).toBeCloseTo(4, 1);
  });

  it('lets go of a hiss by 1 / e in 25 ms, not at once', () => {
    const end = rate / 2;
    const sound = tone(rate, 7000, (i) => (i < end ? speechDb + 10 : speechDb - 25));
    const out = through(deEss(speechDb), sound);
    const reductionDb = (ms: number): number => {
      const from = end + Math.round((ms / 1000) * rate);
      // Whole periods of the tone: 48 frames are seven of them.
      return toDb(rms(sound.slice(from, from + 96)) / rms(out.slice(from, from + 96)));
    };
    expect(reductionDb(-100)).toBeCloseTo(9, 1);
    const first = reductionDb(30);
    expect(first).toBeGreaterThan(1.5);
    expect(first).toBeLessThan(6);
    expect(reductionDb(55) / first).toBeGreaterThan(Math.exp(-1) - 0.07);
    expect(reductionDb(55) / first).toBeLessThan(Math.exp(-1) + 0.07);
    expect(Math.abs(reductionDb(250))).toBeLessThan(0.02);
  });
});
