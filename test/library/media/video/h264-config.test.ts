// The head of a joined avcC (ISO/IEC 14496-15, 5.3.3.1): what decoders decide by before they look at a parameter set.
import { describe, expect, it } from 'vitest';
import { type H264Config, joinConfigs, readConfig } from '../../../../src/library/media/video/h264.ts';

const config = (profile: number, constraints: number, level: number, lengthPrefixed = true): H264Config => ({
  lengthPrefixed,
  sps: [Buffer.from([0x67, profile, constraints, level, 0xac, 0xd9])],
  pps: [Buffer.from([0x68, 0xeb, level])],
});

/** AVCProfileIndication, profile_compatibility, AVCLevelIndication. */
const headOf = (joined: Buffer): number[] => [...joined.subarray(1, 4)];

describe('a joined H.264 configuration', () => {
  it.each([
    [config(77, 0, 30), config(77, 0, 41), 41],
    [config(77, 0, 42), config(77, 0, 31), 42],
    [config(100, 0, 9), config(77, 0, 40), 40],
  ])('%# announces the higher level of the two', (source, added, level) => {
    expect(headOf(joinConfigs(source, added))[2]).toBe(level);
  });

  it('announces the higher profile', () => {
    expect(headOf(joinConfigs(config(77, 0, 30), config(100, 0, 30)))[0]).toBe(100);
    expect(headOf(joinConfigs(config(100, 0, 30), config(66, 0, 30)))[0]).toBe(100);
  });

  it('promises only the constraints that both keep, and none of another profile', () => {
    expect(headOf(joinConfigs(config(66, 0b1110_0000, 30), config(66, 0b0110_1000, 30)))).toEqual([
      66, 0b0110_0000, 30,
    ]);
    expect(headOf(joinConfigs(config(77, 0, 30), config(77, 0b0100_0000, 30)))).toEqual([77, 0, 30]);
    expect(headOf(joinConfigs(config(66, 0b0100_0000, 30), config(77, 0b0100_0000, 30)))).toEqual([77, 0, 30]);
  });

  it('carries both parameter sets of each, in order, as they were', () => {
    const [source, added] = [config(100, 0, 31), config(100, 0, 40)];
    expect(readConfig(joinConfigs(source, added))).toEqual({
      lengthPrefixed: true,
      sps: [...source.sps, ...added.sps],
      pps: [...source.pps, ...added.pps],
    });
    const behindStartCodes = config(100, 0, 31, false);
    expect(readConfig(joinConfigs(behindStartCodes, added))).toEqual({
      lengthPrefixed: false,
      sps: [...source.sps, ...added.sps],
      pps: [...source.pps, ...added.pps],
    });
  });
});
