import { expect, it } from 'vitest';
import { voicePieces, stretchesAlone } from '../../../../src/library/speech/voices/heard-voices.ts';
import { throughTelephone } from '../../../../src/library/speech/voices/telephone.ts';
import { meanDirection } from '../../../../src/library/speech/voices/directions.ts';

const span = (startSeconds: number, endSeconds: number) => ({ startSeconds, endSeconds });

it('a speaker is heard alone where no other turn lies', () => {
  const turns = [
    { speaker: 1, ...span(0, 10) },
    { speaker: 2, ...span(4, 5) },
    { speaker: 3, ...span(9, 12) },
    { speaker: 1, ...span(13, 14) },
  ];
  expect(stretchesAlone(turns, 1)).toEqual([span(0, 4), span(5, 9), span(13, 14)]);
  expect(stretchesAlone(turns, 2)).toEqual([]);
});

it('long stretches are cut into pieces of about 3 s, short ones make one together', () => {
  expect(voicePieces([span(0, 6.3)])).toEqual([[span(0, 3.15)], [span(3.15, 6.3)]]);
  expect(voicePieces([span(0, 1), span(2, 2.2), span(3, 3.8)])).toEqual([[span(0, 1), span(3, 3.8)]]);
  // A word, and words too far apart.
  expect(voicePieces([span(0, 0.9)])).toEqual([]);
  expect(voicePieces([span(0, 0.9), span(40, 40.9)])).toEqual([]);
});

it('of hours a minute is taken, from everywhere', () => {
  const pieces = voicePieces(Array.from({ length: 1000 }, (_, at) => span(10 * at, 10 * at + 3)));
  const starts = pieces.map(([first]) => first?.startSeconds ?? 0);
  expect(pieces).toHaveLength(20);
  expect(Math.max(...starts) - Math.min(...starts)).toBeGreaterThan(9000);
});

it('the mean of directions has length 1, and there is none of nothing', () => {
  const values = new Float32Array(2 * 192);
  [values[0], values[193]] = [1, 1];
  const mean = meanDirection(values, [3, 4]);
  expect([mean?.[0], mean?.[1]].map((value) => Math.round(100 * (value ?? 0)) / 100)).toEqual([0.6, 0.8]);
  expect(meanDirection(new Float32Array(192), [1])).toBeNull();
});

it('a telephone passes 300 to 3400 Hz, with the noise of eight bits', () => {
  const rate = 16_000;
  const levelAt = (hz: number, sound: Float32Array): number => {
    let [re, im] = [0, 0];
    for (const [at, x] of sound.entries()) {
      re += x * Math.cos((2 * Math.PI * hz * at) / rate);
      im += x * Math.sin((2 * Math.PI * hz * at) / rate);
    }
    return 20 * Math.log10((2 * Math.hypot(re, im)) / sound.length);
  };
  const tones = [100, 1000, 3000, 6000];
  const sound = Float32Array.from({ length: rate }, (_, at) =>
    tones.reduce((sum, hz) => sum + 0.1 * Math.sin((2 * Math.PI * hz * at) / rate), 0),
  );
  const heard = throughTelephone(sound);
  expect(heard).toHaveLength(rate);
  const [low = 0, middle = 0, high = 0, out = 0] = tones.map((hz) => levelAt(hz, heard));
  expect(Math.abs(high - middle)).toBeLessThan(2);
  expect(middle - low).toBeGreaterThan(30);
  expect(middle - out).toBeGreaterThan(40);
  // Between the tones there is what eight bits leave: about 38 dB under the sound, spread over all frequencies.
  expect(throughTelephone(new Float32Array(100)).every((x) => x === 0)).toBe(true);
});
