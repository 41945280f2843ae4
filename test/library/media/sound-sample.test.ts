import { describe, expect, it } from 'vitest';
import { type SoundSample, sampleSound } from '../../../src/library/media/read/sound-sample.ts';

/** Of so many blocks, each with its number as samples. */
function sampleOf(blocks: number): SoundSample | null {
  const stage = sampleSound();
  stage.open({ sampleRate: 10, channels: 2, layout: 'stereo' });
  const planes = [new Float32Array(10), new Float32Array(10)];
  for (let block = 0; block < blocks; block += 1) {
    for (const plane of planes) plane.fill(block);
    // The same planes each time, as sources do.
    stage.process({ planes, frames: 10 }, ({ planes: passed }) => passed.forEach((plane) => plane.fill(-1)));
  }
  stage.flush(() => undefined);
  return stage.result();
}

function numbersOf(sample: SoundSample): number[] {
  const source = sample();
  const numbers: number[] = [];
  for (let block = source.next(); block; block = source.next()) {
    numbers.push(block.planes[1]?.[9] ?? Number.NaN);
    for (const plane of block.planes) plane.fill(-1);
  }
  source.close();
  return numbers;
}

describe('a sample of a sound', () => {
  it.each([
    [1025, 128, 9],
    [2048, 128, 16],
    [3600, 256, 15],
  ])('of %i blocks has each %ith, %i of them', (blocks, every, count) => {
    const sample = sampleOf(blocks);
    expect(sample).not.toBeNull();
    const numbers = numbersOf(sample as SoundSample);
    expect(numbers).toEqual(Array.from({ length: count }, (_, index) => index * every));
    expect(sample?.().expectedFrames).toBe(10 * numbers.length);
    // And again, although it was changed as it was read.
    expect(numbersOf(sample as SoundSample)).toEqual(numbers);
  });

  it('is none of a short sound, which costs no more as a whole', () => {
    for (const blocks of [0, 1, 100, 1024]) expect(sampleOf(blocks)).toBeNull();
  });
});
