// What an engine tells of its runs: progress in a loop, events to listeners.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createUntypedEngine } from '../../../../src/library/runtime/engine/engine.ts';
import type { Engine, EngineEvents } from '../../../../src/library/runtime/engine/engine-types.ts';
import { isAbortError } from '../../../../src/library/core/abort.ts';
import { roundTime, withRoundTimes } from '../../../../src/library/core/round-times.ts';
import { fixtureTool } from '../../../fixtures/tools/source.ts';
import { rejection, useEngines } from '../support.ts';

const { engine, folder } = useEngines();

/** An engine of fixture tools as users have engines. */
const typed = (options = {}): Engine => engine(options) as unknown as Engine;
const cut = fixtureTool as 'loudness';
const told = (each: Engine): EngineEvents['run'][] => {
  const events: EngineEvents['run'][] = [];
  each.on('run', (event) => events.push(event));
  return events;
};

describe('a loop over a run', () => {
  it('gets progress that never falls and ends with the run', async () => {
    const run = typed().run(cut, [], { behaviour: 'write' } as object, { outputDir: folder() });
    const seen: number[] = [];
    for await (const { progress } of run) seen.push(progress);
    expect(seen.at(0)).toBe(0);
    expect(seen.at(-1)).toBe(1);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect((await run).tool).toBe(fixtureTool);
  });

  it('throws what the run throws', async () => {
    const run = typed().run(cut, [], { behaviour: 'fail' } as object);
    const thrown = await rejection(
      (async () => {
        for await (const { progress } of run) expect(progress).toBeLessThan(1);
      })(),
    );
    expect(thrown).toBe(await rejection(run));
  });

  it('ends nothing when it is left early, and a later loop ends with the run', async () => {
    const run = typed().run(cut, [], { behaviour: 'write' } as object, { outputDir: folder() });
    for await (const { stage } of run) if (stage !== '') break;
    for await (const { progress } of run) expect(progress).toBeLessThanOrEqual(1);
    expect((await run).tool).toBe(fixtureTool);
  });

  it('of a closed engine throws at once', async () => {
    const closed = createUntypedEngine();
    await closed.close();
    const run = (closed as unknown as Engine).run(cut, []);
    expect(await rejection(run[Symbol.asyncIterator]().next())).toMatchObject({ code: 'conflict' });
  });
});

describe('listeners of an engine', () => {
  it('are told of each turn of a run and of its warnings', async () => {
    const each = typed();
    const events = told(each);
    const warnings: unknown[] = [];
    each.on('warning', (event) => warnings.push(event));
    await each.run(cut, [], { behaviour: 'write' } as object, { outputDir: folder() });
    const run = { runId: 1, tool: fixtureTool };
    expect(events).toEqual([
      { ...run, state: 'queued' },
      { ...run, state: 'started', waitedSeconds: expect.any(Number) },
      { ...run, state: 'succeeded', seconds: expect.any(Number), processedSeconds: 2 },
    ]);
    expect(warnings).toEqual([{ ...run, warning: { code: 'truncated', message: 'A warning.' } }]);
  });

  it('are told how a run failed, was aborted, and that it waited', async () => {
    const each = typed({ concurrency: 1 });
    const events = told(each);
    const stop = new AbortController();
    const failed = rejection(each.run(cut, [], { behaviour: 'fail' } as object));
    const waiting = rejection(each.run(cut, [], { behaviour: 'write' } as object, { signal: stop.signal }));
    stop.abort();
    expect(isAbortError(await waiting)).toBe(true);
    const error = await failed;
    expect(events.filter(({ runId }) => runId === 1).map(({ state }) => state)).toEqual([
      'queued',
      'started',
      'failed',
    ]);
    expect(events.find(({ state }) => state === 'failed')).toMatchObject({ error });
    expect(events.filter(({ runId }) => runId === 2).map(({ state }) => state)).toEqual(['queued', 'aborted']);
  });

  it('are told nothing once they are taken off, and an unknown event is refused', async () => {
    const each = typed();
    const events: unknown[] = [];
    const off = each.on('run', (event) => events.push(event));
    const other = each.on('run', () => undefined);
    off();
    off();
    await each.run(cut, [], { behaviour: 'write' } as object, { outputDir: folder() });
    other();
    expect(events).toEqual([]);
    expect(() => each.on('runs' as 'run', () => undefined)).toThrow(/run or warning/);
  });

  it('fail no run with what they throw', async () => {
    const each = typed();
    const thrown = new Promise((resolve) => {
      const others = process.listeners('uncaughtException');
      process.removeAllListeners('uncaughtException');
      onTestFinished(() => {
        process.removeAllListeners('uncaughtException');
        for (const other of others) process.on('uncaughtException', other);
      });
      process.once('uncaughtException', resolve);
    });
    const off = each.on('run', () => {
      off();
      throw new Error('of a listener');
    });
    await each.run(cut, [], { behaviour: 'write' } as object, { outputDir: folder() });
    expect(await thrown).toMatchObject({ message: 'of a listener' });
  });
});

describe('times of an answer', () => {
  it('have no tails, and lead back to their frames', () => {
    for (const rate of [8000, 22_050, 44_100, 48_000, 192_000])
      for (const frame of [0, 1, 7, 640_018, 36_000 * rate - 1]) {
        const seconds = roundTime(frame / rate);
        expect(Math.round(seconds * rate)).toBe(frame);
        expect(String(seconds).split('.')[1]?.length ?? 0).toBeLessThanOrEqual(6);
      }
    expect(roundTime(Infinity)).toBe(Infinity);
  });

  it('are rounded wherever they stand, and nothing else is', () => {
    const third = 1 / 3;
    expect(
      withRoundTimes({
        gainDb: third,
        startSeconds: third,
        keptRanges: [[0, third]],
        files: [{ durationSeconds: third, driftPpm: third }],
        none: null,
      }),
    ).toEqual({
      gainDb: third,
      startSeconds: 0.333333,
      keptRanges: [[0, 0.333333]],
      files: [{ durationSeconds: 0.333333, driftPpm: third }],
      none: null,
    });
  });
});
