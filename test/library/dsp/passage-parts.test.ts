// The parts that passages are judged and mixed by: powers of hops, and shares around what is marked.
import { describe, expect, it } from 'vitest';
import { createPowerEar, hopFrames, hopsPerSecond } from '../../../src/library/dsp/denoise/passages/power-ear.ts';
import { maxAbs } from '../../fixtures/media/signals.ts';
import { mark, mixShares, sharesOf, weigh } from '../../../src/library/dsp/denoise/passages/shares.ts';

const rate = 48_000;
const tone = (hz: number, frames: number, amplitude = 0.2): Float32Array =>
  Float32Array.from({ length: frames }, (_, index) => amplitude * Math.sin((2 * Math.PI * hz * index) / rate));
/** Of two poles with 6 dB at 150 Hz in all, and of the mean of six samples. */
const gainAt = (hz: number): number =>
  (hz * hz) /
  (hz * hz + (0.64 * 150) ** 2) /
  ((6 * Math.sin((Math.PI * hz) / rate)) / Math.sin((6 * Math.PI * hz) / rate));

describe('power ear', () => {
  it.each([60, 150, 1000, 3000])('hears a tone of %d Hz at its mean square above 150 Hz', (hz) => {
    const ear = createPowerEar();
    ear.push(tone(hz, rate), rate);
    expect(ear.end).toBe(hopsPerSecond);
    const powers = ear.power(20, 80);
    const mean = powers.reduce((sum, x) => sum + x, 0) / powers.length;
    // The poles, one after the other in steps of 1/8000 s, take 0.66 dB of everything.
    expect(10 * Math.log10(mean / (0.02 * gainAt(hz) ** 2))).toBeCloseTo(-0.66, 1);
  });

  it('smooths over three hops, keeps what it is asked to, and hears the same however it is cut', () => {
    const burst = tone(1000, rate).map((x, index) => (Math.floor(index / hopFrames) === 50 ? x : 0));
    const [whole, cut] = [createPowerEar(), createPowerEar()];
    whole.push(burst, rate);
    let at = 0;
    for (const frames of [1, 5, 479, 481, 4800, 7, rate]) {
      const count = Math.min(frames, rate - at);
      cut.push(burst.subarray(at, at + count), count);
      at += count;
    }
    expect(cut.power(0, 100)).toEqual(whole.power(0, 100));
    const around = whole.power(48, 53);
    for (const [index, share] of [0, 0.5, 1, 0.5, 0].entries())
      expect(around[index]! / around[2]!, `hop ${48 + index}`).toBeCloseTo(share, 2);
    const kept = whole.power(40, 60);
    whole.discard(40);
    expect(whole.power(40, 60)).toEqual(kept);
  });

  it('broken samples count as 0', () => {
    const [ear, clean] = [createPowerEar(), createPowerEar()];
    const sound = tone(1000, rate);
    ear.push(
      sound.map((x, index) => (index % 4 === 0 ? [Number.NaN, 1e6, -1e6, Infinity][(index / 4) % 4]! : x)),
      rate,
    );
    clean.push(
      sound.map((x, index) => (index % 4 === 0 ? 0 : x)),
      rate,
    );
    expect(ear.power(0, 100)).toEqual(clean.power(0, 100));
  });
});

describe('shares', () => {
  const none = (length = 100): Uint8Array => new Uint8Array(length);
  const one = (hop: number, length = 100): Uint8Array => none(length).fill(1, hop, hop + 1);
  const sharesWith = (masks: Partial<Parameters<typeof sharesOf>[1]>, length = 100): ReturnType<typeof sharesOf> =>
    sharesOf(1000, {
      music: none(length),
      standIn: none(length),
      original: none(length),
      doubtful: none(length),
      ...masks,
    });

  it('are none where nothing is marked, in the shortest stretch, too', () => {
    for (const length of [1, 3, 100])
      expect(sharesWith({}, length)).toEqual({
        from: 1000,
        standIn: new Float32Array(length),
        music: new Float32Array(length),
        original: new Float32Array(length),
      });
  });

  it.each([
    ['music', 0, 25, 1],
    ['original', 5, 5, 1],
    ['doubtful', 5, 5, 0.4],
  ] as const)('of %s fall over so many hops on both sides', (kind, margin, fade, most) => {
    const { original, standIn } = sharesWith({ [kind]: one(50) });
    for (const [hop, share] of original.entries()) {
      const wanted = most * Math.min(1, Math.max(0, 1 - (Math.abs(hop - 50) - margin) / fade));
      expect(share, `hop ${hop}`).toBeCloseTo(wanted, 5);
    }
    expect(Math.max(...standIn)).toBe(0);
  });

  it('of the stand-in stay on for 0.6 s between two sounds, and give way to the original', () => {
    const two = (apart: number): Uint8Array => none().map((_, hop) => (hop === 10 || hop === 10 + apart ? 1 : 0));
    expect(Math.min(...sharesWith({ standIn: two(60) }).standIn.subarray(10, 71))).toBe(1);
    expect(Math.min(...sharesWith({ standIn: two(62) }).standIn.subarray(10, 73))).toBe(0);
    const { standIn, original } = sharesWith({ standIn: one(50), doubtful: one(50) });
    expect([standIn[50], original[50], standIn[58]].map((x) => Math.round(1000 * x!) / 1000)).toEqual([
      0.6,
      0.4,
      Math.round(1000 * 0.4 * (1 - 0.4 * 0.4)) / 1000,
    ]);
  });

  it('mark what lies in the stretch', () => {
    const marked = (start: number, end: number): string => {
      const mask = new Uint8Array(5);
      mark(mask, 10, start, end);
      return mask.join('');
    };
    expect([marked(11, 13), marked(5, 12), marked(13, 99), marked(1, 10), marked(15, 20)]).toEqual([
      '01100',
      '11000',
      '00011',
      '00000',
      '00000',
    ]);
  });

  it('mix what was suppressed, the stand-in and the original, straight between the middles of hops', () => {
    const frames = 4 * hopFrames;
    const flat = (value: number): Float32Array => new Float32Array(frames).fill(value);
    const [standIn, original] = [Float32Array.of(0, 1, 0, 0), Float32Array.of(0, 0, 0, 1)];
    const shares = { from: 7, standIn, original, music: new Float32Array(4) };
    const whole = flat(1);
    mixShares([whole], [flat(10)], [flat(100)], 7 * hopFrames, shares);
    const at = (values: Float32Array, hop: number): number => {
      const below = Math.floor(hop);
      const value = (index: number): number => values[Math.min(3, Math.max(0, index))]!;
      return value(below) + (value(below + 1) - value(below)) * (hop - below);
    };
    for (let frame = 0; frame < frames; frame += 37) {
      const hop = frame / hopFrames - 0.5;
      const [s, o] = [at(shares.standIn, hop), at(shares.original, hop)];
      expect(whole[frame], `frame ${frame}`).toBeCloseTo(1 - s - o + 10 * s + 100 * o, 3);
    }
    // However it is cut.
    const pieces = flat(1);
    for (const [from, to] of [
      [0, 1],
      [1, 700],
      [700, frames],
    ] as const)
      mixShares(
        [pieces.subarray(from, to)],
        [flat(10).subarray(from, to)],
        [flat(100).subarray(from, to)],
        7 * hopFrames + from,
        shares,
      );
    expect(pieces).toEqual(whole);
  });

  it('weigh voice, room and music, however they are cut', () => {
    const frames = 6 * hopFrames;
    const music = Float32Array.of(0, 0, 0, 1, 1, 1);
    const shares = { from: 3, standIn: new Float32Array(6), original: music, music };
    const heard = Float32Array.from({ length: frames }, (_, at) => Math.sin(at));
    const kept = (): Float32Array => heard.map((x, at) => (at < 3.5 * hopFrames ? 0.25 * x : x));
    const balance = { voice: 2, room: 0.5, music: 0.1 };
    const whole = kept();
    weigh([whole], [heard], 3 * hopFrames, shares, balance);
    for (const at of [5, 2 * hopFrames, Math.floor(2.4 * hopFrames)])
      expect(whole[at]).toBeCloseTo(2 * 0.25 * heard[at]! + 0.5 * 0.75 * heard[at]!, 6);
    for (const at of [4 * hopFrames, frames - 1]) expect(whole[at]).toBeCloseTo(0.1 * heard[at]!, 6);
    const pieces = kept();
    for (const [from, to] of [
      [0, 1],
      [1, 700],
      [700, frames],
    ] as const)
      weigh([pieces.subarray(from, to)], [heard.subarray(from, to)], 3 * hopFrames + from, shares, balance);
    expect(pieces).toEqual(whole);
    // Nothing changed is what was mixed; everything as recorded is the recording.
    const same = kept();
    weigh([same], [heard], 3 * hopFrames, shares, { voice: 1, room: 0, music: 1 });
    expect(maxAbs(same.map((x, at) => x - kept()[at]!))).toBeLessThan(1e-6);
    const all = kept();
    weigh([all], [heard], 3 * hopFrames, shares, { voice: 1, room: 1, music: 1 });
    expect(maxAbs(all.map((x, at) => x - heard[at]!))).toBeLessThan(1e-6);
  });
});
