// Leveling where it is known who speaks, on levels that are made here.
import { describe, expect, it } from 'vitest';
import { cutIntoLevels } from '../../../src/library/dsp/gain/level-segments.ts';
import { levelSpeech } from '../../../src/library/dsp/gain/leveling.ts';
import { integratedOfHops } from '../../../src/library/dsp/voicing/hop-loudness.ts';
import { speakersOfHops } from '../../../src/library/dsp/gain/speaker-hops.ts';
import { seeded } from '../../fixtures/random.ts';
import { slow } from '../../fixtures/rounds.ts';

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

  it('takes ten hours of turns in seconds', slow, () => {
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

  /** Loudness of the label's stretch after leveling, LUFS. */
  const leveled = (
    { energy, activity, labels, speakers }: ReturnType<typeof spoken>,
    known: Uint8Array | null = speakers,
  ): number[] => {
    const { curve } = levelSpeech(energy, activity, { speakers: known });
    return labels.map(({ startSeconds, endSeconds }) => {
      const [from, to] = [Math.round(startSeconds / hopSeconds), Math.round(endSeconds / hopSeconds)];
      return integratedOfHops(energy.subarray(from, to), hopSeconds, curve.gainsDb.subarray(from, to)) as number;
    });
  };
  const spread = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);
  /** Every other syllable of a turn 14 dB softer: the same on the mean in decibels, 4 LU louder to a meter. */
  const stressed = (talk: ReturnType<typeof spoken>, turns: readonly number[]): ReturnType<typeof spoken> => {
    const energy = talk.energy.slice();
    for (const turn of turns) {
      const { startSeconds, endSeconds } = talk.labels[turn]!;
      const from = Math.round(startSeconds / hopSeconds);
      for (let hop = from; hop < Math.round(endSeconds / hopSeconds); hop += 1)
        energy[hop] = (energy[hop] as number) * 10 ** ((Math.floor((hop - from) / 10) % 2 === 0 ? 7 : -7) / 10);
    }
    return { ...talk, energy };
  };

  it('makes short turns equally loud that follow each other without a pause', () => {
    const even = Array.from({ length: 8 }, (_, index) => ({ speaker: 1 + (index % 2), seconds: 1.6, lufs: -24 }));
    const talk = stressed(spoken(even), [1, 3, 5, 7]);
    expect(spread(leveled(talk))).toBeLessThan(1.5);
    expect(spread(leveled(talk, null))).toBeGreaterThan(3);
  });

  it('raises turns that are two words and the pause between them', () => {
    // 0.4 s of words, 1 s of silence, 0.4 s of words: the gain must be there for both.
    const words = [-20, -34, -20, -34, -20].flatMap((lufs, index): Spoken[] => [
      { speaker: 1 + (index % 2), seconds: 0.4, lufs, pauseSeconds: 1 },
      { speaker: 1 + (index % 2), seconds: 0.4, lufs, pauseSeconds: 0.5 },
    ]);
    const talk = spoken(words);
    const turns = talk.labels.flatMap((label, index) =>
      index % 2 === 0 ? [{ ...label, endSeconds: talk.labels[index + 1]!.endSeconds }] : [],
    );
    expect(spread(leveled({ ...talk, labels: turns }))).toBeLessThan(1.5);
    const { curve } = levelSpeech(talk.energy, talk.activity, { speakers: talk.speakers });
    const gainAt = (seconds: number): number => curve.gainsDb[Math.round(seconds / hopSeconds)] as number;
    // In the second turn's own pause the gain stays; in those around it it rests under the loud neighbour's, until the
    // slope to the soft one begins.
    expect(gainAt(3.2) - gainAt(2.5)).toBeGreaterThan(-2);
    expect(gainAt(1.96) - gainAt(0.2)).toBeLessThan(0);
  });

  it('takes a turn of somebody known for a voice, though it creaks or whispers, and breaths for none', () => {
    const talk = spoken([
      { speaker: 1, seconds: 4, lufs: -20, pauseSeconds: 0.5 },
      { speaker: 2, seconds: 4, lufs: -34, pauseSeconds: 0.5 },
      { speaker: 1, seconds: 4, lufs: -20, pauseSeconds: 0.5 },
      { speaker: 1, seconds: 0.4, lufs: -34 },
    ]);
    const toneless = { ...talk, activity: { ...talk.activity, voiced: talk.activity.voiced.slice() } };
    for (const turn of [1, 3]) {
      const { startSeconds, endSeconds } = talk.labels[turn]!;
      toneless.activity.voiced.fill(0, Math.round(startSeconds / hopSeconds), Math.round(endSeconds / hopSeconds));
    }
    const [first, second, , breath] = leveled(toneless) as [number, number, number, number];
    expect(Math.abs(second - first)).toBeLessThan(1);
    expect(first - breath).toBeGreaterThan(11);
    const [before, whisper] = leveled(toneless, null) as [number, number];
    expect(before - whisper).toBeGreaterThan(11);
  });

  it('tells turns behind a pause apart by what a meter reads of them, where it is not known who speaks', () => {
    const plain = spoken([
      { speaker: 1, seconds: 3, lufs: -24, pauseSeconds: 0.5 },
      { speaker: 1, seconds: 3, lufs: -24 },
    ]);
    const talk = stressed(plain, [1]);
    expect(spread(leveled(talk, null))).toBeLessThan(1.5);
  });
});
