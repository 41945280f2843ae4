import fc from 'fast-check';
import { expect, it } from 'vitest';
import { passesOf } from '../../../src/library/edit/passes.ts';
import { writeSequence } from '../../../src/library/edit/write-sequence.ts';
import { probe } from '../../../src/library/media/read/probe.ts';
import { planOutput } from '../../../src/library/media/write/output.ts';
import { readAll, scratch } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { noise } from '../../fixtures/media/signals.ts';

const path = scratch();
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
console.info(`passes: seed ${seed} (SEED=${seed} repeats it)`);

const length = 4000;
const keeps = fc.array(
  fc.tuple(fc.nat(length - 1), fc.integer({ min: 1, max: 900 })).map(([start, size]) => ({
    start,
    end: Math.min(length, start + size),
  })),
  { minLength: 1, maxLength: 10 },
);

it('parts go forwards, and are as long together as their keeps', () => {
  fc.assert(
    fc.property(keeps, fc.nat(300), (list, crossfadeFrames) => {
      const passes = passesOf({ sampleRate: 8000, sourceFrames: length, keeps: list, crossfadeFrames });
      let total = 0;
      for (const { edits, overlapFrames } of passes) {
        let last = -1;
        for (const { start, end } of edits.keeps) {
          expect(start).toBeGreaterThan(last);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(length);
          last = end;
          total += end - start;
        }
        total -= overlapFrames;
      }
      expect(total).toBe(list.reduce((sum, { start, end }) => sum + end - start, 0));
    }),
    { seed, numRuns: 200 },
  );
});

it('keeps in any order are written to the sample, away from their seams', async () => {
  const rate = 8000;
  const source = noise(3 * rate, 5, 0.3);
  const file = writeWav(path('source.wav'), [source], rate);
  const read = readAll(file).planes[0] as Float32Array;
  const list = [
    { start: 16_000, end: 20_000 },
    { start: 200, end: 8000 },
    { start: 8400, end: 12_000 },
    { start: 4000, end: 6000 },
    { start: 20_000, end: 24_000 },
  ];
  const crossfadeFrames = 160;
  const facts = await probe(file);
  const written = await writeSequence(
    probe(file),
    planOutput(facts, 'same'),
    { sampleRate: rate, sourceFrames: read.length, keeps: list, crossfadeFrames },
    path('.'),
    { signal: new AbortController().signal, threads: null, onProgress: () => undefined },
  );
  const out = readAll(written.path).planes[0] as Float32Array;
  expect(out.length).toBe(list.reduce((sum, { start, end }) => sum + end - start, 0));
  let at = 0;
  for (const [index, { start, end }] of list.entries()) {
    const from = index === 0 ? 0 : crossfadeFrames / 2;
    const to = end - start - (index + 1 === list.length ? 0 : crossfadeFrames / 2);
    expect(out.slice(at + from, at + to)).toEqual(read.slice(start + from, start + to));
    // Equal power: at the seam both sides count by the root of a half.
    const before = list[index - 1];
    if (before) {
      const t = (0.5 / crossfadeFrames + 0.5) * (Math.PI / 2);
      const wanted = Math.cos(t) * (read[before.end] ?? 0) + Math.sin(t) * (read[start] ?? 0);
      expect(Math.abs((out[at] as number) - wanted)).toBeLessThan(2 / 32_768);
    }
    at += end - start;
  }
});
