// The one driver of every pass: what it closes, when it stops, how far it reads ahead.
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { throwIfAborted } from '../../../src/library/core/abort.ts';
import { type BlockSource, discard, drive } from '../../../src/library/media/read/drive.ts';
import type { AnyStage, AsyncStage } from '../../../src/library/pcm/stage.ts';
import { difference, make } from '../../fixtures/media/signals.ts';
import { collect, format, lagging, later, pieces } from '../pcm/pipelines.ts';

const sound = make(100, (i) => i + 1);

/** Ten blocks of ten frames. */
function source(afterRead: (blocks: number) => void = () => undefined): BlockSource {
  const blocks = pieces(
    sound,
    Array.from({ length: 10 }, () => 10),
  );
  let read = 0;
  return {
    format,
    expectedFrames: 100,
    next() {
      const { value } = blocks.next();
      if (!value) return null;
      read += 1;
      afterRead(read);
      return value;
    },
  };
}

const quiet = { onProgress: (): void => undefined };
const closes = (log: readonly string[]): string[] => log.filter((entry) => entry.startsWith('close')).toSorted();

describe.each([
  ['synchronous stages', (log: string[]): AnyStage[] => [lagging(7, log, 'a'), lagging(4, log, 'b')]],
  ['an asynchronous stage', (log: string[]): AnyStage[] => [lagging(7, log, 'a'), later(lagging(4, log, 'b'))]],
])('%s', (_, stages) => {
  it('all comes out in step, progress rises to 1, and each is opened, flushed and closed once', async () => {
    const log: string[] = [];
    const progress: number[] = [];
    const { emit, sound: got } = collect();
    const frames = await drive(source(), stages(log), emit, { onProgress: (done) => void progress.push(done) });
    expect(frames).toBe(100);
    expect(difference(got(), sound)).toBe(0);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.at(-1)).toBe(1);
    for (const name of ['a', 'b'])
      for (const what of ['open', 'flush', 'close'])
        expect(log.filter((entry) => entry === `${what} ${name}`)).toHaveLength(1);
  });

  it('an abort between blocks: no further block is read, nothing is flushed, all is closed once', async () => {
    const log: string[] = [];
    const abort = new AbortController();
    let read = 0;
    const from = source((blocks) => {
      read = blocks;
      if (blocks === 3) abort.abort();
    });
    await expect(drive(from, stages(log), discard, { ...quiet, signal: abort.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(read).toBe(3);
    expect(log.filter((entry) => entry.startsWith('flush'))).toEqual([]);
    expect(closes(log)).toEqual(['close a', 'close b']);
  });

  it('aborted beforehand: nothing is opened or read', async () => {
    const log: string[] = [];
    let read = 0;
    const from = source((blocks) => void (read = blocks));
    await expect(drive(from, stages(log), discard, { ...quiet, signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect([log, read]).toEqual([[], 0]);
  });

  it('an error of the source, or of whoever takes what comes out, closes all once', async () => {
    const broken = source((blocks) => {
      if (blocks === 2) throw new Error('unreadable');
    });
    const full = (): void => {
      throw new Error('disk full');
    };
    for (const [from, emit, message] of [
      [broken, discard, 'unreadable'],
      [source(), full, 'disk full'],
    ] as const) {
      const log: string[] = [];
      await expect(drive(from, stages(log), emit, quiet)).rejects.toThrow(message);
      expect(closes(log)).toEqual(['close a', 'close b']);
    }
  });
});

describe('an error in the middle', () => {
  const kinds = [false, true];
  const cases = (['open', 'process', 'flush', 'close'] as const).flatMap((what) =>
    kinds.flatMap((middle) => kinds.map((last) => ({ what, middle, last }))),
  );
  it.each(cases)('of $what, asynchronous: $middle, before asynchronous: $last', async ({ what, middle, last }) => {
    const log: string[] = [];
    const failing = lagging(2, log, 'b', what);
    const behind = lagging(2, log, 'c');
    const stages = [lagging(2, log, 'a'), middle ? later(failing) : failing, last ? later(behind) : behind];
    await expect(drive(source(), stages, discard, quiet)).rejects.toThrow(`b cannot ${what}`);
    // What was never opened needs no closing.
    expect(closes(log)).toEqual(what === 'open' ? ['close a', 'close b'] : ['close a', 'close b', 'close c']);
    if (what === 'process') expect(log.filter((entry) => entry.startsWith('flush'))).toEqual([]);
  });
});

it('an abort within a block: the stage that works on it rejects, and no more is read', async () => {
  const log: string[] = [];
  const abort = new AbortController();
  let turns = 0;
  const endless: AsyncStage = {
    ...later(lagging(0, log, 'endless')),
    latencyFrames: 0,
    async process() {
      for (;;) {
        await turn();
        turns += 1;
        if (turns === 20) abort.abort();
        throwIfAborted(abort.signal);
      }
    },
  };
  let read = 0;
  const from = source((blocks) => void (read = blocks));
  const stages = [lagging(0, log, 'a'), endless, lagging(0, log, 'c')];
  await expect(drive(from, stages, discard, { ...quiet, signal: abort.signal })).rejects.toMatchObject({
    name: 'AbortError',
  });
  expect([read, turns]).toEqual([1, 20]);
  expect(closes(log)).toEqual(['close a', 'close c', 'close endless']);
});

it('back-pressure: a block is read when the slowest stage is done with the one before', async () => {
  const log: string[] = [];
  let taken = 0;
  const slow = lagging(0);
  const counting = {
    ...slow,
    process: (...given: Parameters<typeof slow.process>) => {
      slow.process(...given);
      taken += 1;
    },
  };
  const ahead: number[] = [];
  const from = source((blocks) => void ahead.push(blocks - taken));
  await drive(from, [lagging(0, log), later(lagging(0), 0), later(counting, 6)], discard, quiet);
  expect(ahead).toEqual(Array.from({ length: 10 }, () => 1));
});
