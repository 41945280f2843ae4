// The launcher's watch over processes that live and answer nothing.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createAnswerWatch } from '../../../src/service/serve/answer-watch.ts';
import { supervise } from '../../../src/service/serve/supervise.ts';
import { loadConfig } from '../../../src/service/rules/settings/config.ts';
import { until } from '../../fixtures/until.ts';

describe('the watch', () => {
  // Own clock: how long a look really takes must not matter here.
  beforeEach(() => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
  afterEach(() => vi.useRealTimers());

  const watch = (
    limitMs = 10_000,
  ): { readonly asked: () => number; readonly silent: number[]; answer(): void; stop(): void } => {
    let asked = 0;
    const silent: number[] = [];
    const made = createAnswerWatch(limitMs, { ask: () => (asked += 1), onSilent: (ms) => silent.push(ms) });
    return { asked: () => asked, silent, answer: () => made.answered(), stop: () => made.stop() };
  };

  test('says once that nothing came for the whole time', () => {
    const { silent, answer } = watch();
    vi.advanceTimersByTime(500);
    answer();
    vi.advanceTimersByTime(10_000);
    expect(silent).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(silent).toEqual([10_000]);
    vi.advanceTimersByTime(60_000);
    expect(silent).toHaveLength(1);
  });

  test('asks again only after an answer, and an answer begins the time anew', () => {
    const { asked, silent, answer } = watch();
    for (let round = 0; round < 10; round++) {
      vi.advanceTimersByTime(9000);
      expect(asked()).toBe(round + 1);
      answer();
    }
    expect(silent).toEqual([]);
  });

  test('gives a process twelve times as long for its first answer: it may load its code for long', () => {
    const { silent } = watch();
    vi.advanceTimersByTime(120_000);
    expect(silent).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(silent).toEqual([120_000]);
  });

  test('a machine that slept, or a stopped launcher, is not the silence of the other', () => {
    const { silent, answer } = watch();
    vi.advanceTimersByTime(500);
    answer();
    vi.advanceTimersByTime(9000);
    // The clock goes on and the timers do not.
    const real = performance.now.bind(performance);
    const slept = vi.spyOn(performance, 'now').mockImplementation(() => real() + 3_600_000);
    vi.advanceTimersByTime(9000);
    expect(silent).toEqual([]);
    vi.advanceTimersByTime(2000);
    expect(silent).toHaveLength(1);
    slept.mockRestore();
  });

  test('0 switches it off', () => {
    const { asked, silent, answer } = watch(0);
    answer();
    vi.advanceTimersByTime(600_000);
    expect([asked(), silent]).toEqual([0, []]);
  });
});

test('a process that loops is ended, its successor runs, and the log says why', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-silent-'));
  const module = join(folder, 'child.mjs');
  // Its own state is a file: the first one loops as soon as it has answered, the second does not.
  writeFileSync(
    module,
    `import { existsSync, writeFileSync } from 'node:fs';
     const mark = ${JSON.stringify(join(folder, 'mark'))};
     process.on('message', ({ type }) => {
       if (type === 'start') process.send({ type: 'ready', address: null, legacyAddress: null });
       else if (type === 'stop') process.exit(0);
       else process.send({ type: 'alive', delaySeconds: 0 }, () => {
         if (existsSync(mark)) return;
         writeFileSync(mark, '');
         for (;;);
       });
     });`,
  );
  const events: string[] = [];
  const child = await supervise(
    pathToFileURL(module),
    'api',
    () => ({ type: 'start', config: loadConfig({}, { data: folder }), databaseUrl: '' }),
    (event) => events.push(event),
    { silentMs: 400 },
  );
  try {
    const first = child.pid;
    await until('another process runs', () => child.pid !== undefined && child.pid !== first);
    expect(events[0]).toMatch(/^the api process has not answered for 0\.\d s \(EARSHOT_SILENT_SECONDS\); ending it$/u);
    expect(events[1]).toBe('the api process ended (SIGKILL); starting it again');
  } finally {
    await child.stop(1000);
    rmSync(folder, { recursive: true, force: true });
  }
});
