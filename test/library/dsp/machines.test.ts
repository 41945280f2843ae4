// What tells machines and small things that tick from music: tones that glide, strokes without a drum, sounds that sway.
import { describe, expect, it } from 'vitest';
import { meterStandingTones } from '../../../src/library/dsp/denoise/passages/standing-tones.ts';
import { meterRhythm, type Rhythm } from '../../../src/library/dsp/denoise/passages/strokes.ts';
import { seeded } from '../../fixtures/random.ts';

const rate = 8000;
const seconds = 9;

function sound(at: (seconds: number, random: () => number) => number): Float32Array {
  const random = seeded(12);
  return Float32Array.from({ length: seconds * rate }, (_, index) => at(index / rate, random));
}

/** Eight partials of a pitch that is told by its phase. */
const harmonics = (cycles: number): number =>
  [1, 2, 3, 4, 5, 6, 7, 8].reduce((sum, k) => sum + (0.1 / k) * Math.sin(2 * Math.PI * k * cycles), 0);

describe('tones', () => {
  const tonesOf = (samples: Float32Array) => {
    const meter = meterStandingTones();
    meter.push(samples);
    return meter.tones(0.5, seconds - 0.5);
  };
  const melody = [220, 262, 330, 294, 247, 349];
  const played = sound((t) => harmonics((melody[Math.floor(2 * t) % melody.length] as number) * (t % 0.5)));

  it('of a melody end, and of a motor whose speed drifts glide', () => {
    const motor = sound((t) => harmonics(180 * t - 12 * Math.cos(0.8 * t)));
    expect(tonesOf(played).gliding).toBeLessThan(0.3);
    expect(tonesOf(motor).gliding).toBeGreaterThan(0.8);
    for (const { share } of [tonesOf(played), tonesOf(motor)]) expect(share).toBeGreaterThan(0.1);
  });

  it('are the same however the sound is cut; silence has none', () => {
    const cut = meterStandingTones();
    for (let at = 0; at < played.length; at += 1777) cut.push(played.subarray(at, at + 1777));
    expect(cut.tones(0.5, seconds - 0.5)).toEqual(tonesOf(played));
    expect(tonesOf(new Float32Array(seconds * rate))).toEqual({ share: 0, filled: 0, likeness: 1, gliding: 0 });
  });
});

describe('strokes', () => {
  const rhythmOf = (samples: Float32Array): Rhythm => {
    const meter = meterRhythm();
    meter.push(samples);
    return meter.rhythm(0, (seconds - 1) * 100);
  };
  const struck = (
    every: number,
    value: (since: number, stroke: number, random: () => number) => number,
  ): Float32Array => sound((t, random) => value(t % every, Math.floor(t / every), random) + 0.0005 * (random() - 0.5));

  it('of drums are low in part, of a clock never', () => {
    const drum = (since: number): number => Math.sin(2 * Math.PI * 70 * since) * Math.exp(-since / 0.08);
    const snare = (since: number, random: () => number): number => (random() - 0.5) * Math.exp(-since / 0.06);
    const tick = (since: number, hz: number): number => Math.sin(2 * Math.PI * hz * since) * Math.exp(-since / 0.003);
    const drums = rhythmOf(
      struck(0.3, (since, stroke, random) => (stroke % 2 === 0 ? drum(since) : snare(since, random))),
    );
    const clock = rhythmOf(struck(0.5, (since, stroke) => tick(since, stroke % 2 === 0 ? 2300 : 2700)));
    expect(drums.register).toBeLessThan(5);
    expect(clock.register).toBeGreaterThan(5.6);
    for (const { strength, pulse } of [drums, clock]) {
      expect(strength).toBeGreaterThan(3);
      expect(pulse).toBeGreaterThan(0.45);
    }
  });

  it('of an engine that sways are weak', () => {
    const swaying = rhythmOf(
      sound((t, random) => (1 + 0.5 * Math.sin(9 * t)) * harmonics(80 * t) + 0.3 * (random() - 0.5)),
    );
    expect(swaying.strength).toBeLessThan(3);
    expect(rhythmOf(new Float32Array(seconds * rate))).toMatchObject({ pulse: 0, strength: 0 });
  });
});
