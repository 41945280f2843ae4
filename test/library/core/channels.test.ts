import { AV_CHANNEL_ORDER_NATIVE } from 'node-av/constants';
import { avChannelLayoutDefault, avChannelLayoutDescribe } from 'node-av/lib';
import { describe, expect, it } from 'vitest';
import {
  knownSpeakers,
  mayExceedFullScale,
  mixMatrix,
  speakersOf,
  usualLayout,
} from '../../../src/library/core/channels.ts';

/** Bit of each loudspeaker in FFmpeg's channel mask (libavutil/channel_layout.h). */
const bits: Readonly<Record<string, number>> = {
  FL: 0,
  FR: 1,
  FC: 2,
  LFE: 3,
  BL: 4,
  BR: 5,
  FLC: 6,
  FRC: 7,
  BC: 8,
  SL: 9,
  SR: 10,
  TC: 11,
  TFL: 12,
  TFC: 13,
  TFR: 14,
  TBL: 15,
  TBC: 16,
  TBR: 17,
  DL: 29,
  DR: 30,
  WL: 31,
  WR: 32,
};
const names: readonly (readonly [string, number])[] = [
  ['mono', 1],
  ['stereo', 2],
  ['downmix', 2],
  ['2.1', 3],
  ['3.0', 3],
  ['3.0(back)', 3],
  ['4.0', 4],
  ['quad', 4],
  ['quad(side)', 4],
  ['3.1', 4],
  ['5.0', 5],
  ['5.0(side)', 5],
  ['4.1', 5],
  ['5.1', 6],
  ['5.1(side)', 6],
  ['6.0', 6],
  ['6.0(front)', 6],
  ['hexagonal', 6],
  ['3.1.2', 6],
  ['6.1', 7],
  ['6.1(back)', 7],
  ['6.1(front)', 7],
  ['7.0', 7],
  ['7.0(front)', 7],
  ['7.1', 8],
  ['7.1(wide)', 8],
  ['7.1(wide-side)', 8],
  ['5.1.2', 8],
  ['5.1.2(back)', 8],
  ['octagonal', 8],
  ['cube', 8],
  ['5.1.4', 10],
  ['7.1.2', 10],
  ['7.1.4', 12],
];

describe('channel layouts', () => {
  it.each(names)('%s: FFmpeg gives the same name to our loudspeakers, in its order', (name, channels) => {
    const speakers = knownSpeakers(name, channels) ?? [];
    const order = speakers.map((speaker) => bits[speaker] as number);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    const mask = order.reduce((sum, bit) => sum | (1n << BigInt(bit)), 0n);
    expect(avChannelLayoutDescribe({ nbChannels: channels, order: AV_CHANNEL_ORDER_NATIVE, mask })).toBe(name);
  });

  it('names the same usual layout per channel count as FFmpeg, and reads spelled-out ones', () => {
    for (let channels = 1; channels <= 8; channels += 1)
      expect(usualLayout(channels)).toBe(avChannelLayoutDescribe(avChannelLayoutDefault(channels)));
    expect(knownSpeakers('3 channels (FL+LFE+BC)', 3)).toEqual(['FL', 'LFE', 'BC']);
    expect(knownSpeakers('5.1', 5)).toBeNull();
    expect(speakersOf('nonsense', 3)).toEqual(['FL', 'FR', 'LFE']);
    expect(speakersOf('nonsense', 11)).toEqual(Array.from({ length: 11 }, () => null));
  });

  it('mixes down by ITU-R BS.775-3 without scaling, and mono without loss', () => {
    const [left, right] = mixMatrix('5.1(side)', 6, 2);
    expect(left).toEqual([1, 0, Math.SQRT1_2, 0, Math.SQRT1_2, 0]);
    expect(right).toEqual([0, 1, Math.SQRT1_2, 0, 0, Math.SQRT1_2]);
    expect(mixMatrix('stereo', 2, 1)).toEqual([[0.5, 0.5]]);
    expect(mixMatrix('mono', 1, 2)).toEqual([[1], [1]]);
  });

  it('knows which mixes may exceed full scale', () => {
    expect(mayExceedFullScale('5.1(side)', 6, 2)).toBe(true);
    expect(mayExceedFullScale('3.1', 4, 1)).toBe(true);
    for (const [layout, channels, to] of [
      ['2.1', 3, 2],
      ['stereo', 2, 1],
      ['mono', 1, 2],
      ['5.1', 6, 6],
    ] as const)
      expect(mayExceedFullScale(layout, channels, to), layout).toBe(false);
  });
});
