// @module-tag slower
// Threads that encode segments: what one does where there is no joint with the next segment.
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import type { FanOut } from '../../../../src/library/core/machine/fan-out.ts';
import type { EncodeOptions } from '../../../../src/library/media/write/encode.ts';
import type { EncodedSegment } from '../../../../src/library/media/write/segments/segment-task.ts';
import { createFanOut } from '../../../../src/library/runtime/job/fan-out.ts';
import { scratch } from '../../../fixtures/media/media.ts';
import { encodeBlocks, programme } from '../../../fixtures/media/programme.ts';
import { seeded } from '../../../fixtures/random.ts';

const at = scratch();
const rate = 44_100;
const stopping = new AbortController();
const { signal } = stopping;
afterAll(() => stopping.abort());

/** Threads of which each answer is noted. */
function watched(cores: number): { readonly fanOut: FanOut; readonly answers: EncodedSegment[] } {
  const usual = createFanOut(cores, signal);
  const answers: EncodedSegment[] = [];
  const fanOut: FanOut = {
    ...usual,
    // Two segments are on their way even where one thread has to encode them.
    lanes: () => 2,
    async map(...each) {
      // The sound is written in one go as far as there is room: first all of that.
      await turn();
      const done = await usual.map(...each);
      answers.push(...(done as EncodedSegment[]));
      return done as never;
    },
  };
  return { fanOut, answers };
}

const [quiet, loud] = [11, 22];

/** Even noise, in which two encodes of Vorbis do not agree, and on both sides of it sound with onsets. */
function noiseBetween(): [Float32Array, Float32Array] {
  const random = seeded(3);
  const planes = programme(52, rate);
  for (const plane of planes)
    for (let i = (quiet - 3) * rate; i < (loud + 11) * rate; i += 1) plane[i] = 0.2 * (random() - 0.5);
  return planes;
}

const vorbis: EncodeOptions = { format: 'ogg', segmentSeconds: 11 };

it.each([1, 2])('where there is no joint the thread goes on, on %i cores', async (cores) => {
  const planes = noiseBetween();
  const alone = await encodeBlocks(at('alone.ogg'), planes, rate, vorbis, null);
  const { fanOut, answers } = watched(cores);
  const together = await encodeBlocks(at('gone-on.ogg'), planes, rate, vorbis, { fanOut, signal });
  expect(alone.joints.length).toBeGreaterThan(0);
  expect(together.joints).toEqual(alone.joints);
  expect(together.bytes.equals(alone.bytes)).toBe(true);
  expect(alone.joints.length).toBeLessThan(answers.length - 1);
  expect(answers.some(({ wentOn }) => wentOn)).toBe(true);
});
