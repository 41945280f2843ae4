// The gain that brings a signal to a loudness through a limiter and an encoder, both by formula.
import { describe, expect, it } from 'vitest';
import type { Dips } from '../../../src/library/dsp/loudness/reductions.ts';
import { type GainSetting, reachLoudness } from '../../../src/library/dsp/loudness/reach-loudness.ts';

describe('reaching a loudness', () => {
  /** A limiter's level as a function of gain: straight at first, then bending. */
  const levelAt = (gainDb: number): number => -30 + (gainDb < 10 ? gainDb : 10 + (gainDb - 10) * 0.5);
  /** One passage has the highest peak: it gets softer, and the level with it by a tenth of that. */
  const dipOf = ({ dips = [] }: GainSetting): number => dips[0]?.get(0)?.[0] ?? 0;
  const reductions = async ({ truePeakDbtp }: { truePeakDbtp: number }, ceilingDbtp: number): Promise<Dips[]> => [
    new Map([[0, new Float32Array(512).fill(Math.min(0, ceilingDbtp - truePeakDbtp))]]),
  ];
  const goal = (level: number, codecDb = 0) => {
    const seen: string[] = [];
    return {
      seen,
      input: { level: -30, truePeakDbtp: -10 },
      level,
      ceilingDbtp: -1,
      headroomDb: 0,
      reductions,
      tryOut: async (setting: GainSetting) => {
        seen.push('try');
        return { level: levelAt(setting.gainDb) + dipOf(setting) / 10, truePeakDbtp: -1 };
      },
      write: async (setting: GainSetting) => {
        seen.push('write');
        const { gainDb, ceilingDbtp } = setting;
        return {
          level: levelAt(gainDb) + dipOf(setting) / 10 + codecDb,
          truePeakDbtp: Math.min(gainDb - 10, ceilingDbtp + codecDb) + dipOf(setting),
        };
      },
    };
  };
  it('needs one encode without limiting and finds the bend with it', async () => {
    const easy = goal(-24);
    expect((await reachLoudness(easy)).setting).toMatchObject({ gainDb: 6, limited: false });
    expect(easy.seen).toEqual(['write']);
    const hard = goal(-16);
    expect(Math.abs(((await reachLoudness(hard)).output.level ?? 0) + 16)).toBeLessThan(0.05);
    expect(hard.seen.filter((one) => one === 'write').length).toBe(1);
  });
  it('encodes again, once, where the codec moved level or peak', async () => {
    for (const codecDb of [0.3, -0.4]) {
      const moved = goal(-16, codecDb);
      const { output } = await reachLoudness(moved);
      expect(Math.abs((output.level ?? 0) + 16)).toBeLessThanOrEqual(0.1);
      expect(output.truePeakDbtp).toBeLessThanOrEqual(-1);
      expect(moved.seen.filter((one) => one === 'write').length).toBe(2);
    }
  });
  it('needs one encode where it is known what the codec does to the level', async () => {
    for (const level of [-24, -16]) {
      const known = { ...goal(level, -0.4), level, encoderDb: -0.4 };
      const { output } = await reachLoudness(known);
      expect(Math.abs((output.level ?? 0) - level)).toBeLessThanOrEqual(0.05);
      expect(output.truePeakDbtp).toBeLessThanOrEqual(-1);
      expect(known.seen.filter((one) => one === 'write').length).toBe(1);
    }
  });
  it('gives back the loudness that softer passages take, and makes them no softer than the overshoot', async () => {
    const seen: GainSetting[] = [];
    const loud = goal(-16);
    const { output } = await reachLoudness({
      ...loud,
      headroomDb: 0.4,
      async write(setting) {
        seen.push(setting);
        const { level, truePeakDbtp } = await loud.write(setting);
        return { level: level - 0.05, truePeakDbtp: truePeakDbtp + 1.2 };
      },
    });
    expect(seen.length).toBe(2);
    expect(Math.abs((output.level ?? 0) + 16)).toBeLessThanOrEqual(0.1);
    expect(output.truePeakDbtp).toBeLessThanOrEqual(-1);
    expect(output.truePeakDbtp).toBeGreaterThan(-1.8);
  });
  it('encodes only the places again whose peaks the codec raised, with gain and ceiling as they were', async () => {
    const raised = async (canJoin: boolean): Promise<{ seen: GainSetting[]; again: Dips[]; peak: number }> => {
      const [seen, again]: [GainSetting[], Dips[]] = [[], []];
      // The ceiling is met in the first part of the sound but for one passage, and nearly reached in the second one.
      const reductionsOfTwo = async (_: unknown, ceilingDbtp: number): Promise<Dips[]> => [
        new Map([
          [0, new Float32Array(512).fill(Math.min(0, ceilingDbtp + 0.2))],
          [3, new Float32Array(512).fill(Math.min(0, ceilingDbtp + 1.3))],
        ]),
      ];
      const write = async (setting: GainSetting) => {
        seen.push(setting);
        return { level: levelAt(setting.gainDb), truePeakDbtp: setting.dips ? -1.2 : -0.2 };
      };
      const { output } = await reachLoudness({
        ...goal(-16),
        headroomDb: 0.8,
        reductions: reductionsOfTwo,
        write,
        async rewrite(setting, _, { softer }) {
          again.push(...softer);
          return canJoin ? write(setting) : null;
        },
      });
      return { seen, again, peak: output.truePeakDbtp };
    };
    const joined = await raised(true);
    expect(joined.seen).toHaveLength(2);
    expect(joined.seen[1]).toMatchObject({ gainDb: joined.seen[0]?.gainDb, ceilingDbtp: joined.seen[0]?.ceilingDbtp });
    expect([...(joined.again[0]?.keys() ?? [])]).toEqual([0]);
    expect(joined.peak).toBe(-1.2);
    const whole = await raised(false);
    expect(whole.seen).toHaveLength(2);
    expect(whole.seen[1]?.ceilingDbtp).toBeLessThan(whole.seen[0]?.ceilingDbtp ?? 0);
  });
  it('encodes again where peaks are still over, at last all of it a little softer, and ends', async () => {
    const overshoots = async (...overshootsDb: readonly number[]): Promise<{ peak: number; encodes: number }> => {
      let encodes = 0;
      const { output } = await reachLoudness({
        ...goal(-16),
        async write(setting) {
          const overDb = overshootsDb[Math.min(encodes, overshootsDb.length - 1)] as number;
          encodes += 1;
          return { level: levelAt(setting.gainDb), truePeakDbtp: setting.ceilingDbtp + overDb + dipOf(setting) };
        },
      });
      return { peak: output.truePeakDbtp, encodes };
    };
    expect(await overshoots(1.2, 2.2)).toMatchObject({ encodes: 3 });
    expect((await overshoots(1.2, 2.2)).peak).toBeLessThanOrEqual(-1);
    expect(await overshoots(1.2, 1.4)).toMatchObject({ encodes: 2 });
    expect(await overshoots(1.2, 2.4, 3.6)).toMatchObject({ encodes: 4 });
    expect((await overshoots(1.2, 2.4, 3.6)).peak).toBeLessThanOrEqual(-1);
    const { peak, encodes } = await overshoots(1.2, 2.4, 9);
    expect(encodes).toBe(6);
    expect(peak).toBeLessThan(-0.4);
  });
  it('asked for more, it never gets softer, though a limiter makes softer when driven deep', async () => {
    const bent = (gainDb: number): number =>
      gainDb < 10 ? gainDb - 30 : -20 + (gainDb - 10) * 0.7 - (gainDb - 10) ** 2 * 0.0175;
    let last = -30;
    for (const level of [-16, -15, -14, -13, -12, -11, -10, -8, -5]) {
      const measured = async ({ gainDb }: GainSetting) => ({ level: bent(gainDb), truePeakDbtp: -1 });
      const { output } = await reachLoudness({ ...goal(level), tryOut: measured, write: measured });
      expect(output.level).toBeGreaterThanOrEqual(last - 0.1);
      last = Math.max(last, output.level ?? -70);
    }
    expect(last).toBeGreaterThan(-13.3);
  });
  it('gives all who ask for more than can be reached the same gain, whatever the codec does then', async () => {
    const bent = (gainDb: number): number => -20 + Math.min(gainDb - 10, 8 * (1 - Math.exp((10 - gainDb) / 8)));
    for (const codecDb of [-0.3, 0.2]) {
      const found: GainSetting[] = [];
      for (const level of [-11.5, -11, -9.3, -8, -5]) {
        const measured = async ({ gainDb }: GainSetting) => ({ level: bent(gainDb), truePeakDbtp: -1 });
        const { setting } = await reachLoudness({
          ...goal(level),
          tryOut: measured,
          write: async (tried) => ({ level: bent(tried.gainDb) + codecDb, truePeakDbtp: -0.4 + dipOf(tried) }),
        });
        found.push(setting);
      }
      const [first] = found;
      for (const setting of found) expect(setting).toEqual(first);
      expect((first?.gainDb ?? 0) - 30 - bent(first?.gainDb ?? 0)).toBeCloseTo(15, 0);
    }
  });
  it('says how deep peaks lie in the limiter, and what a format without losses would have', async () => {
    expect((await reachLoudness(goal(-24))).deepDb).toBe(0);
    expect((await reachLoudness(goal(-14))).deepDb).toBeCloseTo(13, 0);
    // An encoder that takes 3 dB which no gain gives back.
    const weak = { ...goal(-14), headroomDb: 0.4, write: async () => ({ level: -17, truePeakDbtp: -2 }) };
    const { losslessLevel } = await reachLoudness(weak);
    expect(losslessLevel).toBeGreaterThan(-14.1);
    expect((await reachLoudness({ ...weak, headroomDb: 0 })).losslessLevel).toBeUndefined();
  });
  it('needs fewer passes with a part of the signal to try a limiter on, whatever that part says', async () => {
    const passes = async (sampled?: (setting: GainSetting) => Promise<number | null>): Promise<number> => {
      const tried = { ...goal(-14), sampled };
      expect(Math.abs(((await reachLoudness(tried)).output.level ?? 0) + 14)).toBeLessThan(0.05);
      return tried.seen.filter((one) => one === 'try').length;
    };
    const asIs = ({ gainDb, limited }: GainSetting): number => (limited ? levelAt(gainDb) : -30 + gainDb);
    const without = await passes();
    expect(without).toBeGreaterThan(2);
    expect(await passes(async (setting) => asIs(setting))).toBe(1);
    // Quieter than the whole, so that less is taken from it.
    const quieter = async ({ gainDb, ...setting }: GainSetting): Promise<number> =>
      asIs({ ...setting, gainDb: gainDb - 2 });
    expect(await passes(quieter)).toBeLessThan(without);
    // Nothing but silence; nothing that reaches the limiter; all of it in the limiter.
    for (const level of [() => null, ({ gainDb }: GainSetting) => -60 + gainDb, () => -20])
      expect(await passes(async (setting) => level(setting))).toBeLessThanOrEqual(5);
  });
  it('stops at 15 dB of limiting', async () => {
    const { setting } = await reachLoudness(goal(-5));
    expect(setting.gainDb).toBeLessThanOrEqual(40);
  });
});
