// Where a voice is, from both sides of the noise suppressor.
import { describe, expect, it } from 'vitest';
import type { SpeechActivity } from '../../src/dsp/voicing/speech-activity.ts';
import type { SpeechLevels } from '../../src/dsp/voicing/speech-levels.ts';
import { type BothSides, findPresence, suppressionShare, suppressionShares } from '../../src/dsp/voice/presence.ts';

const rate = 48_000;

describe('presence', () => {
  const toTenths = (x: number): number => Math.round(10 * x) / 10;
  const hops = 1000;
  const ones = (from: number, to: number): Uint8Array =>
    Uint8Array.from({ length: hops }, (_, hop) => (hop >= from && hop < to ? 1 : 0));
  const levels = (energyAt: (hop: number) => number): SpeechLevels => ({
    hopSeconds: 0.02,
    energy: Float32Array.from({ length: hops }, (_, hop) => energyAt(hop)),
    peak: new Float32Array(0),
    steady: new Float32Array(0),
    ripple: new Float32Array(0),
    toneHopSeconds: 0.03,
    frames: hops * 960,
    sampleRate: rate,
  });
  const swelling = levels((hop) => 1e-3 * (1.1 + Math.sin(hop / 3)) + (hop >= 500 ? 1e-2 : 0));
  const activity = (music: Uint8Array, speech: Uint8Array): SpeechActivity => ({
    hopSeconds: 0.02,
    speech,
    voiced: speech,
    music,
  });
  const presenceOf = (
    original: SpeechLevels,
    heard: SpeechActivity,
    clean: SpeechActivity,
    more: Partial<BothSides> = {},
  ): ReturnType<typeof findPresence> => findPresence({ original, heard, cleanEnergy: original.energy, clean, ...more });

  it('keeps music of its own as it was, faded, and works on the voice', () => {
    const { voice, share, snrDb } = presenceOf(
      swelling,
      activity(ones(100, 400), ones(500, 900)),
      activity(ones(0, 0), ones(500, 900)),
    );
    expect(voice).toBe(true);
    expect([share[50], share[250], share[399], share[700]]).toEqual([1, 0, 0, 1]);
    expect(share[95]).toBeGreaterThan(0);
    expect(share[95]).toBeLessThan(1);
    expect(snrDb).not.toBeNull();
  });

  it('short tunes and hums are no music, and music alone is no voice', () => {
    const none = new Float32Array(hops).fill(1);
    expect(
      presenceOf(swelling, activity(ones(100, 300), ones(500, 900)), activity(ones(0, 0), ones(500, 900))).share,
    ).toEqual(none);
    expect(
      presenceOf(
        levels(() => 1e-3),
        activity(ones(100, 900), ones(0, 0)),
        activity(ones(0, 0), ones(0, 0)),
      ),
    ).toMatchObject({ voice: false, share: none });
    expect(presenceOf(swelling, activity(ones(0, hops), ones(0, 0)), activity(ones(0, 0), ones(0, hops))).voice).toBe(
      false,
    );
  });

  it('a voice without ripple is one where the suppressor left it, and for long enough', () => {
    const breath = { ...activity(ones(0, 0), ones(500, 900)), voiced: ones(0, 0) };
    const quiet = activity(ones(0, 0), ones(0, 0));
    expect(presenceOf(swelling, quiet, breath).voice).toBe(true);
    const weak = swelling.energy.map((x) => 0.3 * x);
    expect(presenceOf(swelling, quiet, breath, { cleanEnergy: weak }).voice).toBe(false);
    expect(presenceOf(swelling, quiet, { ...breath, speech: ones(500, 600) }).voice).toBe(false);
  });

  it('pieces of music that the suppressor leaves are no voice over music, and music behind one stays', () => {
    const quiet = activity(ones(0, 0), ones(0, 0));
    const talk = activity(ones(0, 0), ones(500, 900));
    const musicBehind = new Uint8Array(20).fill(1);
    const pieces = swelling.energy.map((x) => 0.3 * x);
    expect(presenceOf(swelling, quiet, talk, { musicBehind, cleanEnergy: pieces }).voice).toBe(false);
    const over = presenceOf(swelling, quiet, talk, { musicBehind });
    expect(over.voice).toBe(true);
    expect(Math.max(...suppressionShares(over))).toBeLessThan(0.31);
    expect([...suppressionShares({ ...over, snrDb: 20, musicBehind: Uint8Array.of(0, 1) })].map(toTenths)).toEqual([
      1, 0.3,
    ]);
  });

  it('noise suppression fades out on clean recordings', () => {
    expect([null, 20, 38, 44, 50, 70].map(suppressionShare)).toEqual([1, 1, 1, 0.5, 0, 0]);
  });
});
