// What the editor plays is what the service renders: the same parts, the same crossfades, from samples read in parts.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { complementRanges } from '../../../src/library/edit/edit-list.ts';
import { createJoiner } from '../../../src/library/edit/overlap.ts';
import { passesOf } from '../../../src/library/edit/passes.ts';
import { planPieces } from '../../../src/library/edit/pieces.ts';
import { renderEdits } from '../../../src/library/edit/render-sound.ts';
import { outputStarts, renderFrames } from '../../../src/site/editor/render-pieces.ts';
import { wavLayout, wavSamples } from '../../../src/site/editor/wav.ts';
import { wavBytes, type WavKind } from '../../fixtures/media/pcm-files.ts';

const sampleRate = 8000;
const noise = (frames: number, seed: number): Float32Array<ArrayBuffer> => {
  let state = seed + 1;
  return Float32Array.from({ length: frames }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return (state / 2_147_483_647) * 2 - 1;
  });
};

/** By the renderer of the tools, in blocks. */
function rendered(edits: Parameters<typeof renderEdits>[0], planes: readonly Float32Array[]): number[][] {
  const out: number[][] = planes.map(() => []);
  const stage = renderEdits(edits);
  stage.open({ sampleRate, channels: planes.length } as never);
  const emit = (block: { readonly planes: readonly Float32Array[] }): void => {
    for (const [channel, plane] of block.planes.entries()) out[channel]?.push(...plane);
  };
  for (let from = 0; from < edits.sourceFrames; from += 777) {
    const own = planes.map((plane) => plane.subarray(from, from + 777));
    stage.process({ planes: own, frames: own[0]?.length ?? 0 }, emit);
  }
  stage.flush(emit);
  stage.close();
  return out;
}

describe('the preview', () => {
  it('has the samples of the rendering, in blocks of any length', async () => {
    const range = fc.tuple(fc.integer({ min: 0, max: 6000 }), fc.integer({ min: 1, max: 900 }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(range, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 0, max: 400 }),
        fc.integer({ min: 50, max: 3000 }),
        async (ranges, crossfadeFrames, count) => {
          const sourceFrames = 7000;
          const planes = [noise(sourceFrames, 1), noise(sourceFrames, 2)];
          const keeps = complementRanges(
            ranges.map(([start, length]) => ({ start, end: start + length })),
            sourceFrames,
          );
          const edits = { sampleRate, sourceFrames, keeps, crossfadeFrames };
          const wanted = rendered(edits, planes);
          const pieces = planPieces(edits);
          const starts = outputStarts(pieces);
          const read = async (from: number, frames: number): Promise<Float32Array<ArrayBuffer>[]> =>
            planes.map((plane) =>
              Float32Array.from({ length: frames }, (_, at) => (from + at < 0 ? 0 : (plane[from + at] ?? 0))),
            );
          const got: number[][] = [[], []];
          for (let from = 0; from < (starts.at(-1) ?? 0); from += count)
            for (const [channel, plane] of (await renderFrames(pieces, starts, from, count, 2, read)).entries())
              got[channel]?.push(...plane);
          for (const channel of [0, 1]) {
            expect(got[channel]?.length).toBe(wanted[channel]?.length);
            const off = got[channel]?.findIndex((sample, at) => Math.abs(sample - (wanted[channel]?.[at] ?? 0)) > 1e-6);
            expect(off).toBe(-1);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('the preview of passages that moved', () => {
  it('has the samples of the rendering, also where what is faded is alike', async () => {
    const sourceFrames = 9000;
    const tone = (hertz: number): Float32Array<ArrayBuffer> =>
      noise(sourceFrames, 3).map((sample, at) => 0.1 * sample + Math.sin((2 * Math.PI * hertz * at) / sampleRate));
    const planes = [tone(100), tone(171)];
    const keep = fc.tuple(fc.integer({ min: 0, max: 7000 }), fc.integer({ min: 900, max: 2000 }));
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(keep, { minLength: 2, maxLength: 6, selector: ([start]) => start }),
        fc.integer({ min: 50, max: 3000 }),
        async (list, count) => {
          const keeps = list.map(([start, length]) => ({ start, end: start + length }));
          fc.pre(keeps.every(({ start }, at) => start !== keeps[at - 1]?.end));
          const edits = { sampleRate, sourceFrames, keeps, crossfadeFrames: 320 };
          const wanted: number[][] = [[], []];
          const passes = passesOf(edits);
          const overlaps = passes.slice(1).map(({ overlapFrames }) => overlapFrames);
          const joiner = createJoiner(2, overlaps, (block) => {
            for (const [channel, plane] of block.planes.entries())
              wanted[channel]?.push(...plane.subarray(0, block.frames));
          });
          for (const [index, pass] of passes.entries()) {
            if (index > 0) joiner.next();
            const own = rendered(pass.edits, planes).map((plane) => Float32Array.from(plane));
            joiner.write({ planes: own, frames: own[0]?.length ?? 0 });
          }
          joiner.finish();
          const pieces = planPieces(edits);
          const starts = outputStarts(pieces);
          const read = async (from: number, frames: number): Promise<Float32Array<ArrayBuffer>[]> =>
            planes.map((plane) => Float32Array.from({ length: frames }, (_, at) => plane[from + at] ?? 0));
          const got: number[][] = [[], []];
          for (let from = 0; from < (starts.at(-1) ?? 0); from += count)
            for (const [channel, plane] of (await renderFrames(pieces, starts, from, count, 2, read)).entries())
              got[channel]?.push(...plane);
          for (const channel of [0, 1]) {
            expect(got[channel]?.length).toBe(wanted[channel]?.length);
            const off = got[channel]?.findIndex((sample, at) => Math.abs(sample - (wanted[channel]?.[at] ?? 0)) > 1e-5);
            expect(off).toBe(-1);
          }
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe('WAV in parts', () => {
  it.each(['s16', 's24', 's32', 'f32'] as const satisfies readonly WavKind[])('is read to the sample as %s', (kind) => {
    const planes = [noise(500, 3), noise(500, 4)];
    const file = Buffer.from(wavBytes(planes, 44_100, kind));
    const layout = wavLayout(new Uint8Array(file).buffer, file.length);
    expect(layout).toMatchObject({ sampleRate: 44_100, channels: 2, frames: 500 });
    if (layout === null) return;
    const step = 2 * (layout.bits / 8);
    const part = new Uint8Array(file.subarray(layout.offset + 100 * step, layout.offset + 200 * step)).buffer;
    const read = wavSamples(part, layout);
    for (const [channel, plane] of planes.entries())
      for (let frame = 0; frame < 100; frame++)
        expect(read[channel]?.[frame]).toBeCloseTo(plane[100 + frame] ?? 0, kind === 's16' ? 4 : 6);
  });

  it('is none where it is something else, cut off, or of another kind', () => {
    const file = Buffer.from(wavBytes([noise(10, 5)], 8000, 'u8'));
    expect(wavLayout(new Uint8Array(file).buffer, file.length)).toBe(null);
    expect(wavLayout(new ArrayBuffer(10), 10)).toBe(null);
    expect(wavLayout(new TextEncoder().encode('ID3'.padEnd(100, 'x')).buffer, 100)).toBe(null);
    // A header that promises more than the file has.
    const short = Buffer.from(wavBytes([noise(100, 6)], 8000));
    expect(wavLayout(new Uint8Array(short).buffer, short.length - 100)?.frames).toBe(50);
  });
});
