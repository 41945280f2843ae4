import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  complementRanges,
  type EditList,
  keptFrames,
  mergeRanges,
  seamsOf,
  timeMap,
} from '../../../src/library/edit/edit-list.ts';
import { renderEdits } from '../../../src/library/edit/render-sound.ts';
import { compose } from '../../../src/library/pcm/compose.ts';

const length = 3000;
const ranges = fc.array(
  fc
    .tuple(fc.integer({ min: -200, max: length + 200 }), fc.integer({ min: 0, max: 700 }))
    .map(([start, size]) => ({ start, end: start + size })),
  { maxLength: 12 },
);
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
console.info(`edit list: seed ${seed} (SEED=${seed} repeats it)`);

const inside = (list: readonly { start: number; end: number }[], frame: number): boolean =>
  list.some((range) => frame >= range.start && frame < range.end);

describe('ranges', () => {
  it('merging and complementing say the same of every frame as the ranges themselves', () => {
    fc.assert(
      fc.property(ranges, (list) => {
        const merged = mergeRanges(list, length);
        const rest = complementRanges(list, length);
        const wrong = Array.from({ length }, (_, frame) => frame).filter(
          (frame) => inside(merged, frame) !== inside(list, frame) || inside(rest, frame) === inside(list, frame),
        );
        expect(wrong).toEqual([]);
        for (const one of [merged, rest])
          for (const [index, range] of one.entries()) {
            expect(range.end).toBeGreaterThan(range.start);
            if (index > 0) expect(range.start).toBeGreaterThan(one[index - 1]?.end ?? 0);
          }
      }),
      { seed, numRuns: 100 },
    );
  });
});

const editsOf = (list: readonly { start: number; end: number }[], crossfadeFrames: number): EditList => ({
  sampleRate: 100,
  sourceFrames: length,
  keeps: mergeRanges(list, length),
  crossfadeFrames,
});

/** The straightforward way: everything in memory, frame by frame. */
function reference(source: readonly Float32Array[], edits: EditList): Float32Array[] {
  const at = (plane: Float32Array, frame: number): number => plane[frame] ?? 0;
  return source.map((plane) => {
    const out: number[] = [];
    for (const keep of edits.keeps)
      for (let frame = keep.start; frame < keep.end; frame += 1) out.push(at(plane, frame));
    for (const seam of seamsOf(edits)) {
      for (let k = -seam.reach; k < seam.reach; k += 1) {
        const t = (k + seam.reach + 0.5) / (2 * seam.reach);
        out[seam.output + k] = Math.fround(
          at(plane, seam.before + k) * Math.cos((t * Math.PI) / 2) +
            at(plane, seam.after + k) * Math.sin((t * Math.PI) / 2),
        );
      }
    }
    return Float32Array.from(out);
  });
}

describe('rendering sound', () => {
  it('equals a frame-by-frame reference for any ranges, crossfade and block size', () => {
    fc.assert(
      fc.property(
        ranges,
        fc.integer({ min: 0, max: 300 }),
        fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 8 }),
        (list, crossfadeFrames, sizes) => {
          const edits = editsOf(list, crossfadeFrames);
          const source = [0, 1].map((channel) =>
            Float32Array.from({ length }, (_, frame) => Math.sin(frame * (0.11 + channel * 0.07)) + frame / length),
          );
          const pipeline = compose([renderEdits(edits)], { sampleRate: 100, channels: 2, layout: 'stereo' });
          const out: number[][] = [[], []];
          const emit = (block: { planes: readonly Float32Array[]; frames: number }): void => {
            for (const [channel, plane] of block.planes.entries()) {
              expect(plane.length).toBe(block.frames);
              out[channel]?.push(...plane);
            }
          };
          for (let from = 0, turn = 0; from < length; turn += 1) {
            const to = Math.min(length, from + (sizes[turn % sizes.length] as number));
            pipeline.process({ planes: source.map((plane) => plane.slice(from, to)), frames: to - from }, emit);
            from = to;
          }
          pipeline.flush(emit);
          pipeline.close();
          const expected = reference(source, edits);
          expect(out[0]?.length).toBe(keptFrames(edits));
          const error = (channel: number): number =>
            (expected[channel] as Float32Array).reduce(
              (most, value, frame) => Math.max(most, Math.abs((out[channel]?.[frame] ?? Number.NaN) - value)),
              0,
            );
          expect(error(0)).toBeLessThan(2e-6);
          expect(error(1)).toBeLessThan(2e-6);
        },
      ),
      { seed, numRuns: 200 },
    );
  });
});

describe('time map', () => {
  it('goes to the output and back, keeps order, and sends removed times to their seam', () => {
    fc.assert(
      fc.property(ranges, (list) => {
        const edits = editsOf(list, 0);
        const map = timeMap(edits);
        const wrong: number[] = [];
        for (let frame = 0; frame <= length; frame += 1) {
          const moved = map.toOutput(frame / 100);
          const kept = edits.keeps.reduce((sum, keep) => sum + Math.max(0, Math.min(frame, keep.end) - keep.start), 0);
          const back = inside(edits.keeps, frame) ? map.toSource(moved) : frame / 100;
          if (Math.abs(moved - kept / 100) > 1e-9 || Math.abs(back - frame / 100) > 1e-9) wrong.push(frame);
        }
        expect(wrong).toEqual([]);
        expect(map.outputSeconds).toBeCloseTo(keptFrames(edits) / 100, 9);
      }),
      { seed, numRuns: 60 },
    );
  });

  it('finds each moment of keeps in any order, also of those that lie over each other', () => {
    const anyOrder = fc.array(
      fc.tuple(fc.nat(90), fc.integer({ min: 1, max: 30 })).map(([start, size]) => ({ start, end: start + size })),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(anyOrder, (keeps) => {
        const map = timeMap({ sampleRate: 100, sourceFrames: 120, keeps, crossfadeFrames: 0 });
        let output = 0;
        for (const { start, end } of keeps)
          for (let frame = start; frame < end; frame += 1, output += 1)
            expect(map.toSource(output / 100)).toBeCloseTo(frame / 100, 9);
        for (let frame = 0; frame < 120; frame += 1) {
          if (!inside(keeps, frame)) continue;
          expect(map.toSource(map.toOutput(frame / 100))).toBeCloseTo(frame / 100, 9);
        }
      }),
      { seed, numRuns: 100 },
    );
  });

  it('shortens stretches by what was cut out of them and drops those of which nothing stays', () => {
    const map = timeMap({
      sampleRate: 1000,
      sourceFrames: 10_000,
      keeps: [
        { start: 0, end: 2000 },
        { start: 5000, end: 10_000 },
      ],
      crossfadeFrames: 20,
    });
    expect(map.mapStretch(1, 6)).toEqual({ startSeconds: 1, endSeconds: 3 });
    expect(map.mapStretch(2.5, 4.5)).toBeNull();
    expect(map.mapStretch(6, 7)).toEqual({ startSeconds: 3, endSeconds: 4 });
  });
});
