import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compose } from '../../../src/library/pcm/compose.ts';
import { exactLength } from '../../../src/library/pcm/exact-length.ts';
import { make } from '../../fixtures/media/signals.ts';
import { collect, format, pieces } from './pipelines.ts';

it('any length, any cuts: the beginning of what came, then silence, of exactly that many frames', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 60 }),
      fc.integer({ min: 0, max: 60 }),
      fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 8 }),
      (wanted, given, cuts) => {
        const pipeline = compose([exactLength(wanted)], format);
        const { emit, sound } = collect();
        for (const block of pieces(
          make(given, (i) => i + 1),
          cuts,
        ))
          pipeline.process(block, emit);
        pipeline.flush(emit);
        expect([...sound()]).toEqual(Array.from({ length: wanted }, (_, i) => (i < given ? i + 1 : 0)));
      },
    ),
  );
});

it('the silence has as many channels as the sound', () => {
  const pipeline = compose([exactLength(3)], { ...format, channels: 2, layout: 'stereo' });
  const channels: number[] = [];
  pipeline.flush(({ planes, frames }) => channels.push(planes.length, frames));
  expect(channels).toEqual([2, 3]);
});
