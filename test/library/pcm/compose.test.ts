import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AudioBlock } from '../../../src/library/pcm/block.ts';
import { compose } from '../../../src/library/pcm/compose.ts';
import type { Stage } from '../../../src/library/pcm/stage.ts';
import { limit } from '../../../src/library/dsp/loudness/limit.ts';
import { difference, make, noise } from '../../fixtures/media/signals.ts';
import { collect, format, lagging, pieces } from './pipelines.ts';

function through(stages: Stage[], plane: Float32Array, cuts: readonly number[]): Float32Array {
  const pipeline = compose(stages, format);
  const { emit, sound } = collect();
  for (const block of pieces(plane, cuts)) pipeline.process(block, emit);
  pipeline.flush(emit);
  pipeline.close();
  return sound();
}

describe('compose', () => {
  const ramp = make(1000, (i) => i + 1);

  it('no stages: the blocks themselves', () => {
    const pipeline = compose([], format);
    expect(pipeline.format).toBe(format);
    const block = { planes: [ramp], frames: 1000 };
    const got: AudioBlock[] = [];
    pipeline.process(block, (one) => got.push(one));
    pipeline.flush((one) => got.push(one));
    expect(got).toEqual([block]);
  });

  it('any latencies, any cuts: what comes out is what went in, in step', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 4 }),
        fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 20 }),
        (latencies, cuts) => {
          expect(
            difference(
              through(
                latencies.map((frames) => lagging(frames)),
                ramp,
                cuts,
              ),
              ramp,
            ),
          ).toBe(0);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('the limiter in a pipeline does not depend on the cuts', () => {
    const loud = noise(6000, 3, 1.5);
    const stages = (): Stage[] => [lagging(37), limit({ gainDb: 3, ceilingDbtp: -2 }), lagging(5)];
    const whole = through(stages(), loud, []);
    expect(whole).toHaveLength(loud.length);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 30 }), (cuts) => {
        expect(difference(through(stages(), loud, cuts), whole)).toBe(0);
      }),
      { numRuns: 25 },
    );
  });

  it('the format passes from stage to stage', () => {
    const halving: Stage = { ...lagging(0), open: (given) => ({ ...given, sampleRate: given.sampleRate / 2 }) };
    expect(compose([halving, halving], format).format).toEqual({ ...format, sampleRate: 12_000 });
  });

  it('a stage that cannot open closes those before it', () => {
    const log: string[] = [];
    expect(() =>
      compose([lagging(1, log, 'a'), lagging(1, log, 'b'), lagging(1, log, 'c', 'open'), lagging(1, log, 'd')], format),
    ).toThrow('c cannot open');
    expect(log).toEqual(expect.arrayContaining(['open a', 'open b', 'open c', 'close a', 'close b']));
    expect(log).not.toContain('open d');
    expect(log).not.toContain('close d');
  });

  it('close closes every stage', () => {
    const log: string[] = [];
    compose([lagging(1, log, 'a'), lagging(1, log, 'b')], format).close();
    expect(log.slice(2).toSorted()).toEqual(['close a', 'close b']);
  });
});
