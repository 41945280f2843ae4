// The part of a stream that is still needed: reads what was appended, holds no more than that.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createSampleWindow } from '../../../src/library/dsp/denoise/suppressor/sample-window.ts';
import { noise, seeded } from '../../fixtures/media/signals.ts';

it('reads what was appended, zeros outside, whatever the cuts; what was given up is refused', () => {
  const seed = 17;
  const random = seeded(seed);
  const planes = [noise(300_000, 1), noise(300_000, 2)];
  const window = createSampleWindow(2);
  let needed = 0;
  for (let from = 0; from < 300_000;) {
    const frames = Math.min(300_000 - from, Math.floor(40_000 * random() ** 3));
    window.append(
      // Longer than what counts of them, as decoders' blocks are.
      planes.map((plane) => plane.slice(from, from + frames + 10)),
      frames,
    );
    from += frames;
    expect(window.end, `seed ${seed}`).toBe(from);
    needed = Math.max(needed, Math.floor(from - 60_000 * random()));
    window.discard(needed);
    const start = Math.max(needed, Math.floor(from - 70_000 * random()));
    const stop = start + Math.floor(50_000 * random());
    for (const [channel, plane] of planes.entries()) {
      const wanted = new Float32Array(stop - start);
      wanted.set(plane.subarray(start, Math.max(start, Math.min(stop, from))));
      expect(window.read(channel, start, stop)).toEqual(wanted);
    }
    if (needed > 0 && needed < from) expect(() => window.read(0, needed - 1, needed + 1)).toThrow(RangeError);
  }
  expect([...window.read(0, -5, 0)]).toEqual([0, 0, 0, 0, 0]);
  expect(window.read(1, 400_000, 400_003)).toEqual(new Float32Array(3));
  window.discard(900_000);
  expect(window.read(0, 299_990, 299_990)).toHaveLength(0);
});

it('holds what is needed and little more, also where the need grows', async () => {
  const held = (): number => process.memoryUsage().arrayBuffers / 2 ** 20;
  const before = held();
  const window = createSampleWindow(2);
  const second = [new Float32Array(48_000), new Float32Array(48_000)];
  const most: number[] = [];
  for (const keep of [20, 60, 5]) {
    let peak = 0;
    for (let count = 0; count < 150; count += 1) {
      window.append(second, 48_000);
      window.discard(window.end - keep * 48_000);
      peak = Math.max(peak, held() - before);
      if (count % 50 === 0) await sleep(0);
    }
    most.push(peak);
  }
  const megabytes = (seconds: number): number => (seconds * 48_000 * 2 * 4) / 2 ** 20;
  expect(most[0]).toBeLessThan(megabytes(20) + 3);
  expect(most[1]).toBeLessThan(megabytes(60) + 3);
  expect(held() - before).toBeLessThan(megabytes(5) + 3);
});
