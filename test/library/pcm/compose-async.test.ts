// Pipelines of which some stages are asynchronous give what the same stages give in one go.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limit } from '../../../src/library/dsp/loudness/limit.ts';
import type { AudioBlock } from '../../../src/library/pcm/block.ts';
import { compose } from '../../../src/library/pcm/compose.ts';
import type { AnyStage, Stage } from '../../../src/library/pcm/stage.ts';
import { difference, make, noise } from '../../fixtures/media/signals.ts';
import { collect, format, lagging, later, pieces } from './pipelines.ts';

async function through(
  stages: readonly AnyStage[],
  plane: Float32Array,
  cuts: readonly number[],
): Promise<Float32Array> {
  const pipeline = compose(stages, format);
  const { emit, sound } = collect();
  for (const block of pieces(plane, cuts)) {
    await pipeline.process(block, emit);
    // The caller's again: a reader reuses its buffers.
    block.planes[0]?.fill(Number.NaN);
  }
  await pipeline.flush(emit);
  pipeline.close();
  return sound();
}

describe('compose with asynchronous stages', () => {
  const ramp = make(1000, (i) => i + 1);

  it('is synchronous without them and asynchronous with a single one', () => {
    expect(compose([lagging(1)], format).asynchronous).toBe(false);
    expect(compose([lagging(1), later(lagging(1))], format).asynchronous).toBe(true);
  });

  it('any latencies, kinds and cuts: what comes out is what went in, in step', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ frames: fc.integer({ min: 0, max: 400 }), turns: fc.integer({ min: -1, max: 2 }) }), {
          maxLength: 5,
        }),
        fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 12 }),
        async (kinds, cuts) => {
          const stages = kinds.map(({ frames, turns }) =>
            turns < 0 ? lagging(frames) : later(lagging(frames), turns),
          );
          expect(difference(await through(stages, ramp, cuts), ramp)).toBe(0);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('limiters, among them one at work elsewhere, do not depend on the cuts', async () => {
    const loud = noise(6000, 3, 1.5);
    const limiters = (): [Stage, Stage] => [
      limit({ gainDb: 3, ceilingDbtp: -2 }),
      limit({ gainDb: 2, ceilingDbtp: -4 }),
    ];
    const [first, second] = limiters();
    const whole = await through([lagging(37), first, lagging(5), second], loud, []);
    expect(whole).toHaveLength(loud.length);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 30 }), async (cuts) => {
        const [before, behind] = limiters();
        const mixed = [lagging(37), later(before), lagging(5), behind];
        expect(difference(await through(mixed, loud, cuts), whole)).toBe(0);
      }),
      { numRuns: 25 },
    );
  });

  it('flushes first to last; what one lets go runs through those behind before they are flushed', async () => {
    const log: string[] = [];
    const stages = [
      lagging(3, log, 'a'),
      later(lagging(3, log, 'b')),
      lagging(3, log, 'c'),
      later(lagging(3, log, 'd')),
    ];
    const pipeline = compose(stages, format);
    await pipeline.process({ planes: [make(8, () => 1)], frames: 8 }, () => undefined);
    log.length = 0;
    await pipeline.flush(() => undefined);
    expect(log).toEqual([
      'flush a',
      'process b',
      'process c',
      'process d',
      'flush b',
      'process c',
      'process d',
      'flush c',
      'process d',
      'flush d',
    ]);
  });

  it('resolves when all that the block brought has been taken: nothing piles up inside', async () => {
    /** Three blocks for one. */
    const thrice: Stage = {
      ...lagging(0),
      process: (block, emit) => {
        for (let count = 0; count < 3; count += 1) emit(block);
      },
    };
    const log: string[] = [];
    const pipeline = compose([thrice, later(lagging(0, log, 'slow'), 5), thrice], format);
    let got = 0;
    for (let blocks = 1; blocks <= 4; blocks += 1) {
      const given: AudioBlock = { planes: [make(10, (i) => i)], frames: 10 };
      await pipeline.process(given, () => void (got += 1));
      expect(log.filter((entry) => entry === 'process slow')).toHaveLength(3 * blocks);
      expect(got).toBe(9 * blocks);
    }
  });

  it('closes every stage once, though one fails to close and close is called again', () => {
    const log: string[] = [];
    const pipeline = compose(
      [later(lagging(0, log, 'a')), later(lagging(0, log, 'b', 'close')), lagging(0, log, 'c')],
      format,
    );
    expect(() => pipeline.close()).toThrow('b cannot close');
    pipeline.close();
    expect(log.filter((entry) => entry.startsWith('close')).toSorted()).toEqual(['close a', 'close b', 'close c']);
  });
});
