import { describe, expect, it } from 'vitest';
import { compose } from '../../../src/library/pcm/compose.ts';
import { steepestDbPerSecond } from '../../../bench/tools/level-talks.ts';
import { findDominance } from '../../../src/library/dsp/gain/dominance.ts';
import { duckUnder, phrasesOf } from '../../../src/library/dsp/gain/duck.ts';
import { addCurves, smoothUnder } from '../../../src/library/dsp/gain/gain-curve.ts';
import { integratedOfHops, peakOfHops } from '../../../src/library/dsp/voicing/hop-loudness.ts';
import { cutIntoLevels } from '../../../src/library/dsp/gain/level-segments.ts';
import { levelSpeech, levelingShape } from '../../../src/library/dsp/gain/leveling.ts';
import { rideGain } from '../../../src/library/dsp/gain/ride-gain.ts';
import { findSpeech, voicedShare } from '../../../src/library/dsp/voicing/speech-activity.ts';
import { meterSpeechLevels, type SpeechLevels } from '../../../src/library/dsp/voicing/speech-levels.ts';
import { difference, fromDb, make, maxAbs, noise, seeded, tone } from '../../fixtures/media/signals.ts';
import { alternating, babble, chords, conversation, sum } from './speech-like.ts';
import { lufs } from './tool-run.ts';
import { slow } from '../../fixtures/rounds.ts';

const rate = 16_000;

function levelsOf(planes: readonly Float32Array[], sampleRate = rate, blockFrames = 4000): SpeechLevels {
  const meter = meterSpeechLevels();
  meter.open({ sampleRate, channels: planes.length, layout: planes.length === 1 ? 'mono' : 'stereo' });
  const total = planes[0]?.length ?? 0;
  for (let at = 0; at < total; at += blockFrames) {
    const part = planes.map((plane) => plane.slice(at, at + blockFrames));
    meter.process({ planes: part, frames: part[0]?.length ?? 0 }, () => undefined);
  }
  meter.flush(() => undefined);
  return meter.result();
}

describe('gain curves', () => {
  it('never exceed what is demanded and keep to their slopes', () => {
    const random = seeded(5);
    let gain = 0;
    const demand = Float32Array.from({ length: 5000 }, () => (gain = random() < 0.01 ? random() * 36 - 18 : gain));
    const curve = smoothUnder(demand, 0.02, levelingShape);
    for (const [hop, value] of curve.gainsDb.entries())
      expect(value).toBeLessThanOrEqual((demand[hop] as number) + 1e-4);
    expect(steepestDbPerSecond(curve)).toBeLessThanOrEqual(80.01);
    // and reach it wherever there is time: half a second away from any change.
    let reached = 0;
    for (let hop = 40; hop < demand.length - 40; hop += 1) {
      if (!demand.slice(hop - 35, hop + 36).every((value) => value === demand[hop])) continue;
      expect(Math.abs((curve.gainsDb[hop] as number) - (demand[hop] as number))).toBeLessThan(1e-4);
      reached += 1;
    }
    expect(reached).toBeGreaterThan(500);
  });

  it('add up, the shorter one held', () => {
    const a = { hopSeconds: 0.02, gainsDb: Float32Array.of(1, 2) };
    const b = { hopSeconds: 0.02, gainsDb: Float32Array.of(3, 4, 5) };
    expect([...addCurves(a, b).gainsDb]).toEqual([4, 6, 7]);
  });

  it('are applied alike in blocks of any size, to the bit, and leave samples alone where the gain is 0 dB', () => {
    const gainsDb = Float32Array.from({ length: 30 }, (_, hop) => (hop < 10 ? 0 : hop < 20 ? hop - 10 : 10));
    const input = noise(14_000, 2);
    const run = (blockFrames: number): Float32Array => {
      const pipeline = compose([rideGain({ hopSeconds: 0.02, gainsDb })], {
        sampleRate: 22_050,
        channels: 1,
        layout: 'mono',
      });
      const out: number[] = [];
      for (let at = 0; at < input.length; at += blockFrames) {
        const plane = input.slice(at, at + blockFrames);
        pipeline.process({ planes: [plane], frames: plane.length }, (block) =>
          out.push(...(block.planes[0] as Float32Array)),
        );
      }
      return Float32Array.from(out);
    };
    const whole = run(14_000);
    for (const size of [1, 441, 1000]) expect(difference(run(size), whole)).toBe(0);
    expect(difference(whole.slice(0, 9 * 441), input.slice(0, 9 * 441))).toBe(0);
    expect((whole[13_999] as number) / (input[13_999] as number)).toBeCloseTo(fromDb(10), 5);
  });
});

describe('levels', () => {
  it('are the same for blocks of any size', () => {
    const planes = [conversation(6, rate, alternating(1, 4, 0.5, -20, -20)), noise(6 * rate, 3, 0.01)];
    const whole = levelsOf(planes, rate, 6 * rate);
    for (const size of [1, 333, 16_000]) {
      const other = levelsOf(planes, rate, size);
      for (const key of ['energy', 'peak', 'steady', 'ripple'] as const)
        expect(difference(other[key], whole[key]), `${key} in blocks of ${size}`).toBe(0);
    }
  });

  it('predict the integrated loudness after gains, and the peak', slow, () => {
    for (const each of [16_000, 44_100, 48_000]) {
      const plane = conversation(12, each, alternating(2, 4, 0.6, -20, -32));
      const { energy, peak, hopSeconds } = levelsOf([plane], each);
      expect(integratedOfHops(energy, hopSeconds, null)).toBeCloseTo(lufs([plane], each), 1);
      const gains = new Float32Array(energy.length).fill(-7);
      expect(integratedOfHops(energy, hopSeconds, gains)).toBeCloseTo(
        lufs([plane.map((x) => x * fromDb(-7))], each),
        1,
      );
      expect(fromDb(peakOfHops(peak, gains))).toBeCloseTo(maxAbs(plane) * fromDb(-7), 4);
    }
    expect(integratedOfHops(new Float32Array(100), 0.02, null)).toBeNull();
    expect(integratedOfHops(new Float32Array(0), 0.02, null)).toBeNull();
  });

  it('take nothing, one frame and broken samples', () => {
    expect(levelsOf([new Float32Array(0)]).energy.length).toBe(0);
    expect(levelsOf([Float32Array.of(0.5)]).energy.length).toBe(1);
    const broken = levelsOf([
      make(rate, (i) => (i === 5000 ? Number.NaN : i === 6000 ? Number.POSITIVE_INFINITY : 0.1 * Math.sin(i / 5))),
    ]);
    for (const key of ['energy', 'peak', 'steady', 'ripple'] as const)
      expect(broken[key].every(Number.isFinite)).toBe(true);
    expect(findSpeech(levelsOf([new Float32Array(0)])).speech.length).toBe(0);
  });
});

describe('ten hours', () => {
  it('of levels are looked through in 30 MB', slow, () => {
    const count = 10 * 3600 * 50;
    const random = seeded(6);
    const energy = Float32Array.from(
      { length: count },
      (_, hop) => (hop % 100 < 70 ? 1e-3 : 1e-7) * (hop % 20 < 10 ? 1 : 0.05) * (0.5 + random()),
    );
    const steady = new Float32Array(count * 0.7);
    const levels: SpeechLevels = {
      hopSeconds: 0.02,
      energy,
      peak: new Float32Array(0),
      steady,
      ripple: steady.map(() => 5),
      toneHopSeconds: 0.02 / 0.7,
      timbre: null,
      frames: count * 320,
      sampleRate: rate,
    };
    const before = process.memoryUsage().arrayBuffers;
    const { speech } = findSpeech(levels);
    // Nothing of this much is left to the collector, whenever it comes.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(30e6);
    expect(speech.reduce((sum, on) => sum + on, 0) / count).toBeGreaterThan(0.5);
  });
});

describe('speech and what is none', () => {
  const shares = (plane: Float32Array): { speech: number; music: number; voiced: number } => {
    const activity = findSpeech(levelsOf([plane]));
    const share = (mask: Uint8Array): number => mask.reduce((total, on) => total + on, 0) / mask.length;
    return {
      speech: share(activity.speech),
      music: share(activity.music),
      voiced: voicedShare(activity, 0, activity.speech.length),
    };
  };
  it('finds speech where it is, within 0.1 s', () => {
    const turns = alternating(4, 3, 1, -20, -32);
    const { speech, hopSeconds } = findSpeech(
      levelsOf([sum(conversation(17, rate, turns), noise(17 * rate, 1, fromDb(-60)))]),
    );
    for (const { from, to } of turns) {
      const hops = speech.slice(Math.round((from + 0.1) / hopSeconds), Math.round((to - 0.2) / hopSeconds));
      expect(hops.reduce((total, on) => total + on, 0) / hops.length).toBeGreaterThan(0.95);
      const after = speech.slice(Math.round((to + 0.1) / hopSeconds), Math.round((to + 0.85) / hopSeconds));
      expect(after.reduce((total, on) => total + on, 0)).toBe(0);
    }
  });
  it('hears none in noise, a drone, a hum and silence', () => {
    for (const plane of [
      noise(10 * rate, 1, 0.1),
      tone(10 * rate, rate, 100, -20),
      chords(10 * rate, rate, -20),
      new Float32Array(10 * rate),
    ])
      expect(shares(plane).speech).toBeLessThan(0.02);
  });
  it('calls chords music and a voice none', () => {
    expect(shares(chords(10 * rate, rate, -20)).music).toBeGreaterThan(0.9);
    expect(shares(babble(10 * rate, rate, 120, 3)).music).toBe(0);
    expect(shares(babble(10 * rate, rate, 120, 3)).voiced).toBeGreaterThan(0.3);
  });
  it('takes music before a talk for music alone', () => {
    const plane = new Float32Array(24 * rate);
    plane.set(chords(12 * rate, rate, -20));
    plane.set(
      babble(10 * rate, rate, 120, 5).map((x) => 0.2 * x),
      13 * rate,
    );
    const { speech, music, hopSeconds } = findSpeech(levelsOf([plane]));
    const share = (mask: Uint8Array, from: number, to: number): number => {
      const hops = mask.subarray(from / hopSeconds, to / hopSeconds);
      return hops.reduce((total, on) => total + on, 0) / hops.length;
    };
    expect([share(speech, 0, 12), share(music, 13, 23)]).toEqual([0, 0]);
    expect(share(music, 0, 12)).toBeGreaterThan(0.95);
    expect(share(speech, 13, 23)).toBeGreaterThan(0.95);
  });
});

describe('stretches of one level', () => {
  it('are found where the level changes, within a quarter of a second, with the right gains', () => {
    const turns = alternating(6, 3, 0.1, -20, -32);
    const levels = levelsOf([sum(conversation(20, rate, turns), noise(20 * rate, 1, fromDb(-66)))]);
    const activity = findSpeech(levels);
    const segments = cutIntoLevels(levels.energy, activity.speech);
    expect(segments.length).toBe(6);
    for (const [index, segment] of segments.entries())
      expect(Math.abs(segment.start * 0.02 - (turns[index]?.from ?? 0))).toBeLessThan(0.25);
    const { lowestGainDb, highestGainDb, curve } = levelSpeech(levels.energy, activity);
    expect(highestGainDb - lowestGainDb).toBeGreaterThan(11);
    expect(highestGainDb - lowestGainDb).toBeLessThan(13);
    // Twelve decibels between two turns with 0.1 s between them take 0.1 s.
    expect(steepestDbPerSecond(curve)).toBeLessThanOrEqual(125);
  });
  it('are one where one voice speaks on', () => {
    const levels = levelsOf([conversation(40, rate, [{ from: 0.5, to: 39, dbfs: -20, hz: 130 }])]);
    const { lowestGainDb, highestGainDb } = levelSpeech(levels.energy, findSpeech(levels));
    expect(highestGainDb - lowestGainDb).toBeLessThan(1);
  });
  it('give a turn up to 40 dB, a track of its own no more than 18', () => {
    const levels = levelsOf([conversation(14, rate, alternating(2, 5, 0.8, -10, -36))]);
    const activity = findSpeech(levels);
    expect(levelSpeech(levels.energy, activity).highestGainDb).toBeGreaterThan(23);
    expect(levelSpeech(levels.energy, activity, { ownTrack: true }).highestGainDb).toBeLessThanOrEqual(18);
    const further = levelsOf([conversation(14, rate, alternating(2, 5, 0.8, -6, -52))]);
    const { highestGainDb } = levelSpeech(further.energy, findSpeech(further, { softTurns: true }));
    expect(highestGainDb).toBeGreaterThan(39);
    expect(highestGainDb).toBeLessThanOrEqual(40);
  });
  it('are none of 40 dB for a faint word', () => {
    const turns = [
      { from: 0.5, to: 5, dbfs: -10, hz: 115 },
      { from: 6, to: 6.4, dbfs: -44, hz: 190 },
      { from: 7.5, to: 12, dbfs: -10, hz: 115 },
    ];
    const levels = levelsOf([sum(conversation(14, rate, turns), noise(14 * rate, 1, fromDb(-80)))]);
    const { highestGainDb } = levelSpeech(levels.energy, findSpeech(levels, { softTurns: true }));
    expect(highestGainDb).toBeLessThanOrEqual(18);
  });
});

describe('dominance and ducking', () => {
  it('closes a track only while another speaks, and keeps the last one open', () => {
    const [a, b] = [
      conversation(12, rate, [{ from: 1, to: 4, dbfs: -20, hz: 120 }]),
      conversation(12, rate, [{ from: 6, to: 9, dbfs: -40, hz: 200 }]),
    ];
    const tracks = [
      sum(
        a,
        b.map((x) => x * fromDb(4)),
      ),
      sum(
        b,
        a.map((x) => x * fromDb(-36)),
      ),
    ].map((plane) => {
      const levels = levelsOf([plane]);
      return { energy: levels.energy, activity: findSpeech(levels) };
    });
    const [first, second] = findDominance(tracks).tracks.map(
      ({ curve }) =>
        (seconds: number) =>
          curve.gainsDb[Math.round(seconds / 0.02)] as number,
    );
    for (const [at, one, two] of [
      [2.5, 0, -12],
      [5, 0, -12],
      [7.5, -12, 0],
      [11, -12, 0],
    ] as const) {
      expect(first?.(at), `first track at ${at} s`).toBeCloseTo(one, 3);
      expect(second?.(at), `second track at ${at} s`).toBeCloseTo(two, 3);
    }
    expect(findDominance([]).tracks).toEqual([]);
  });
  it('ducks by the depth, in time', () => {
    const activity = findSpeech(levelsOf([conversation(12, rate, [{ from: 4, to: 7, dbfs: -20, hz: 120 }])]));
    const { gainsDb } = duckUnder([phrasesOf(activity)], 600, 0.02);
    const at = (seconds: number): number => gainsDb[Math.round(seconds / 0.02)] as number;
    expect([at(3.4), at(4.3), at(7.6), at(9.2)]).toEqual([0, -12, -12, 0]);
    // Two phrases with 1.5 and 2.4 s between them: music stays down; with 3 s between them it comes back.
    for (const [gap, most] of [
      [1.5, -12],
      [2.4, -12],
      [3.2, 0],
    ] as const) {
      const hops = Math.round(gap / 0.02);
      const phrases = [
        { start: 100, end: 200 },
        { start: 200 + hops, end: 300 + hops },
      ];
      const between = duckUnder([phrases], 500 + hops, 0.02).gainsDb.subarray(200, 200 + hops);
      expect(
        between.reduce((a, b) => Math.max(a, b)),
        `${gap} s`,
      ).toBeCloseTo(most, 3);
    }
    expect(duckUnder([], 100, 0.02).gainsDb.every((gain) => gain === 0)).toBe(true);
  });
});
