// Leveling where it is known who speaks, on levels that are made here.
import { describe, expect, it } from 'vitest';
import { cutIntoLevels } from '../../src/dsp/gain/level-segments.ts';
import { levelSpeech } from '../../src/dsp/gain/leveling.ts';
import { speakersOfHops } from '../../src/dsp/gain/speaker-hops.ts';
import { seeded } from '../fixtures/random.ts';

const hopSeconds = 0.02;

interface Spoken {
  readonly speaker: number;
  readonly seconds: number;
  readonly lufs: number;
  /** Silence behind it. Default 0. */
  readonly pauseSeconds?: number;
}

/** Speech whose syllables scatter by a decibel about each turn's level. */
function spoken(turns: readonly Spoken[]) {
  const random = seeded(3);
  const energy: number[] = [];
  const speech: number[] = [];
  const labels: { startSeconds: number; endSeconds: number; speaker: number }[] = [];
  for (const { speaker, seconds, lufs, pauseSeconds = 0 } of turns) {
    const startSeconds = energy.length * hopSeconds;
    for (let hop = 0; hop < seconds / hopSeconds; hop += 1) {
      const syllable = hop % 10 === 0 ? random() : (energy.at(-1) as number) > 0 ? -1 : random();
      energy.push(syllable < 0 ? (energy.at(-1) as number) : 10 ** ((lufs + 0.691 + 2 * syllable - 1) / 10));
      speech.push(1);
    }
    labels.push({ startSeconds, endSeconds: energy.length * hopSeconds, speaker });
    for (let hop = 0; hop < pauseSeconds / hopSeconds; hop += 1) {
      energy.push(1e-9);
      speech.push(0);
    }
  }
  const activity = {
    hopSeconds,
    speech: Uint8Array.from(speech),
    voiced: new Uint8Array(speech.length).fill(1),
    music: new Uint8Array(speech.length),
  };
  return {
    energy: Float32Array.from(energy),
    activity,
    labels,
    speakers: speakersOfHops(labels, energy.length, hopSeconds),
  };
}

describe('who speaks', () => {
  it('is known of every hop in which one does', () => {
    const turns = [
      { startSeconds: 0, endSeconds: 0.1, speaker: 1 },
      { startSeconds: 0.06, endSeconds: 0.14, speaker: 2 },
      { startSeconds: 0.12, endSeconds: 9, speaker: 3 },
    ];
    expect([...speakersOfHops(turns, 9, hopSeconds)]).toEqual([1, 1, 1, 0, 0, 2, 0, 3, 3]);
    expect([...speakersOfHops([], 2, hopSeconds)]).toEqual([0, 0]);
  });

  it('cuts where another one begins without a pause, 2.5 dB apart', () => {
    const { energy, activity, speakers } = spoken([
      { speaker: 1, seconds: 8, lufs: -20 },
      { speaker: 2, seconds: 8, lufs: -22.5 },
    ]);
    // The levels alone are taken for one voice.
    expect(cutIntoLevels(energy, activity.speech)).toHaveLength(1);
    const segments = cutIntoLevels(energy, activity.speech, speakers);
    expect(segments.map(({ speaker }) => speaker)).toEqual([1, 2]);
    expect(Math.abs((segments[1]?.start as number) * hopSeconds - 8)).toBeLessThanOrEqual(0.2);
    const { segments: leveled, curve } = levelSpeech(energy, activity, { speakers });
    const mean = (from: number, to: number): number =>
      curve.gainsDb.slice(from / hopSeconds, to / hopSeconds).reduce((sum, gain) => sum + gain, 0) /
      ((to - from) / hopSeconds);
    expect(mean(9, 15.9) - mean(0.1, 7)).toBeCloseTo((leveled[0]?.lufs as number) - (leveled[1]?.lufs as number), 1);
    expect(Math.abs(mean(9, 15.9) - mean(0.1, 7) - 2.5)).toBeLessThan(0.8);
  });

  it('gives the turns of a speaker one gain where they are nearly alike, and those that are not their own', () => {
    const lufs = [-20, -30, -20.6, -30.5, -19.9, -29.9, -24];
    const { energy, activity, speakers } = spoken(
      lufs.map((level, index) => ({ speaker: 1 + (index % 2), seconds: 6, lufs: level, pauseSeconds: 0.6 })),
    );
    const gainsInTurns = (known: Uint8Array | null): number[] => {
      const { curve } = levelSpeech(energy, activity, { speakers: known });
      return lufs.map((_, index) => curve.gainsDb[Math.round((index * 6.6 + 3) / hopSeconds)] as number);
    };
    const spread = (gains: readonly number[]): number => Math.max(...gains) - Math.min(...gains);
    const [alone, held] = [gainsInTurns(null), gainsInTurns(speakers)];
    const of = (gains: readonly number[], turns: readonly number[]): number[] =>
      turns.map((turn) => gains[turn] as number);
    for (const turns of [
      [0, 2, 4],
      [1, 3, 5],
    ]) {
      expect(spread(of(alone, turns))).toBeGreaterThan(0.3);
      // What the slopes at the pauses took from each is still given back by itself.
      expect(spread(of(held, turns))).toBeLessThan(0.15);
      const mean = (gains: readonly number[]): number => of(gains, turns).reduce((sum, gain) => sum + gain, 0) / 3;
      expect(Math.abs(mean(held) - mean(alone))).toBeLessThan(0.15);
    }
    // The last turn is 4 dB off: its gain is its own.
    expect(Math.abs((held[6] as number) - (alone[6] as number))).toBeLessThan(0.15);
  });

  it('takes ten hours of turns in seconds', () => {
    const random = seeded(8);
    const turns = Array.from({ length: 12_000 }, (_, index) => ({
      speaker: 1 + (index % 8),
      seconds: 2.6,
      lufs: -20 - 12 * random(),
      pauseSeconds: 0.4,
    }));
    const { energy, activity, speakers } = spoken(turns);
    const cpu = process.cpuUsage();
    levelSpeech(energy, activity, { speakers });
    const { user, system } = process.cpuUsage(cpu);
    expect((user + system) / 1e6).toBeLessThan(10);
  });
});
