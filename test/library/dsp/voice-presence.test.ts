// Where a voice is, from both sides of the noise suppressor.
import { describe, expect, it } from 'vitest';
import type { SpeechActivity } from '../../../src/library/dsp/voicing/speech-activity.ts';
import type { SpeechLevels } from '../../../src/library/dsp/voicing/speech-levels.ts';
import {
  type BothSides,
  findPresence,
  suppressionShare,
  suppressionShares,
} from '../../../src/library/dsp/voice/presence.ts';

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
    timbre: null,
    frames: hops * 960,
    sampleRate: rate,
  });
  const swelling = levels((hop) => 1e-3 * (1.1 + Math.sin(hop / 3)) + (hop >= 500 ? 1e-2 : 0));
  const activity = (speech: Uint8Array): SpeechActivity => ({
    hopSeconds: 0.02,
    speech,
    voiced: speech,
    music: new Uint8Array(hops),
  });
  const presenceOf = (
    original: SpeechLevels,
    clean: SpeechActivity,
    more: Partial<BothSides> = {},
  ): ReturnType<typeof findPresence> => findPresence({ original, cleanEnergy: original.energy, clean, ...more });

  it('keeps music of its own as it was, faded, and works on the voice', () => {
    const { voice, share, snrDb } = presenceOf(swelling, activity(ones(500, 900)), {
      musicSeconds: [2, 3, 4, 5, 6, 7],
    });
    expect(voice).toBe(true);
    expect([share[50], share[250], share[399], share[700]]).toEqual([1, 0, 0, 1]);
    expect(share[95]).toBeGreaterThan(0);
    expect(share[95]).toBeLessThan(1);
    expect(snrDb).not.toBeNull();
  });

  it('music alone is no voice', () => {
    const musicSeconds = Array.from({ length: 20 }, (_, second) => second);
    expect(presenceOf(swelling, activity(ones(0, hops)), { musicSeconds }).voice).toBe(false);
  });

  it('a voice without ripple is one where the suppressor left it, and for long enough', () => {
    const breath = { ...activity(ones(500, 900)), voiced: ones(0, 0) };
    expect(presenceOf(swelling, breath).voice).toBe(true);
    const weak = swelling.energy.map((x) => 0.3 * x);
    expect(presenceOf(swelling, breath, { cleanEnergy: weak }).voice).toBe(false);
    expect(presenceOf(swelling, { ...breath, speech: ones(500, 600) }).voice).toBe(false);
  });

  it('pieces of music that the suppressor leaves are no voice over music, and music behind one stays', () => {
    const talk = activity(ones(500, 900));
    const musicBehind = new Uint8Array(20).fill(1);
    const pieces = swelling.energy.map((x) => 0.3 * x);
    expect(presenceOf(swelling, talk, { musicBehind, cleanEnergy: pieces }).voice).toBe(false);
    const over = presenceOf(swelling, talk, { musicBehind });
    expect(over.voice).toBe(true);
    expect(Math.max(...suppressionShares(over))).toBeLessThan(0.31);
    expect([...suppressionShares({ ...over, snrDb: 20, musicBehind: Uint8Array.of(0, 1) })].map(toTenths)).toEqual([
      1, 0.3,
    ]);
  });

  /** Speech in these hops of each of these seconds. */
  const pieces = (seconds: readonly number[], length: number): Uint8Array =>
    Uint8Array.from({ length: hops }, (_, hop) =>
      seconds.includes(Math.floor(hop / 50)) && hop % 50 < length ? 1 : 0,
    );
  const behind = (...seconds: readonly number[]): Uint8Array =>
    Uint8Array.from({ length: 20 }, (_, second) => (seconds.includes(second) ? 1 : 0));

  it('a second of music with under 0.3 s of a voice in it stays as it was, and no other', () => {
    const talk = activity(ones(500, 500 + 114));
    const { share, voice, musicBehind } = presenceOf(swelling, talk, { musicBehind: behind(2, 12) });
    expect(voice).toBe(true);
    expect(musicBehind).toEqual(behind(2, 12));
    expect([share[99], share[100], share[149], share[150]].map((x) => x === 0)).toEqual([false, true, true, false]);
    // Straight over 0.25 s on both sides.
    for (const away of [1, 4, 9, 12])
      for (const hop of [100 - away, 149 + away]) expect(share[hop], `hop ${hop}`).toBeCloseTo((away * 0.02) / 0.25, 1);
    expect([share[86], share[163]]).toEqual([1, 1]);
    // 0.28 s of second 12; with 0.32 s it is worked on.
    expect([share[600], share[649]]).toEqual([0, 0]);
    const longer = activity(ones(500, 500 + 116));
    expect(presenceOf(swelling, longer, { musicBehind: behind(12) }).share).toEqual(new Float32Array(hops).fill(1));
  });

  it('within two seconds of music short sounds are no voice, further away they are', () => {
    const talk = activity(pieces([10, 11, 13, 14], 14));
    expect(presenceOf(swelling, talk, { musicBehind: behind(12) }).voice).toBe(false);
    expect(presenceOf(swelling, talk, { musicBehind: behind(7) }).voice).toBe(true);
    expect(presenceOf(swelling, talk, { musicBehind: behind(17) }).voice).toBe(true);
    // The last second may be a short one.
    const short = { ...swelling, energy: swelling.energy.subarray(0, 970) };
    const end = presenceOf(short, activity(ones(500, 900)), { musicBehind: behind(19) });
    expect([end.share.length, end.share[949], end.share[950], end.share[969]].map((x) => x === 0)).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it('beside music a voice is what the suppressor left but for 1.5 dB, elsewhere whatever it left', () => {
    const talk = activity(ones(500, 900));
    const left = (db: number): Float32Array => swelling.energy.map((x) => 10 ** (db / 10) * x);
    const all = behind(...Array.from({ length: 20 }, (_, second) => second));
    expect(presenceOf(swelling, talk, { musicBehind: all, cleanEnergy: left(-1.4) }).voice).toBe(true);
    expect(presenceOf(swelling, talk, { musicBehind: all, cleanEnergy: left(-1.6) }).voice).toBe(false);
    expect(presenceOf(swelling, talk, { musicBehind: behind(2), cleanEnergy: left(-1.6) }).voice).toBe(true);
  });

  it('compares the speech with its pauses, a tenth of a second away from it, and counts what sounds', () => {
    const talk = activity(ones(500, 900));
    // Echoes beside the speech, and a stretch that nobody hears.
    const echoing = levels((hop) => {
      if (hop >= 500 && hop < 900) return 1e-2;
      if (hop >= 496 && hop < 904) return 1;
      return hop < 100 ? 1e-13 : 1e-5;
    });
    expect(presenceOf(echoing, talk).snrDb).toBeCloseTo(30, 1);
    const loud = levels((hop) => (hop >= 500 && hop < 900 ? 1e-2 : hop < 400 ? 9e-6 : 1.1e-5));
    expect(presenceOf(loud, talk, { musicSeconds: [8] })).toMatchObject({
      // 600 hops are over a thousandth of the loudest; of the 50 that are kept those beside fade.
      enhancedShare: expect.closeTo((600 - 50 - 6) / 600, 2),
      musicBehind: behind(6, 7, 8, 9, 10),
    });
  });

  it('noise suppression fades out on clean recordings', () => {
    expect([null, 20, 38, 44, 50, 70].map(suppressionShare)).toEqual([1, 1, 1, 0.5, 0, 0]);
  });
});
