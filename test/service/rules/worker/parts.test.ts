import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Progress } from '../../../../src/library/core/progress/progress.ts';
import { startMark } from '../../../../src/library/core/machine/start-mark.ts';
import { createCancelWatch } from '../../../../src/service/rules/worker/cancel-watch.ts';
import { retryWithBackoff } from '../../../../src/service/rules/worker/retry-with-backoff.ts';
import { repeat, repeatLeading } from '../../../../src/service/rules/worker/periodic.ts';
import type { StoredJob } from '../../../../src/service/rules/jobs/stored-job.ts';
import { gone, modelField, openInputs } from '../../../../src/service/rules/worker/run-inputs.ts';
import { createProgressWriter } from '../../../../src/service/rules/worker/progress-writer.ts';
import { createRunFolders } from '../../../../src/service/rules/worker/run-folders.ts';
import { createLog } from './log.ts';
import { eventually } from '../../../fixtures/until.ts';

const at = (progress: number): Progress => ({ progress, stage: 'encoding', estimatedSecondsLeft: null });

describe('the inputs of a run', () => {
  const job = { inputs: { file_id: ['file_1'] } } as unknown as StoredJob;
  const file = { id: 'file_1', status: 'ready', objectKey: 'originals/abc', filename: 'my talk.wav' };
  const openWith = (found: () => object | null) =>
    openInputs(
      { getMany: async () => Promise.resolve([found()]) } as never,
      { checkOut: async () => Promise.resolve({ path: '/data/objects/abc', release: async () => Promise.resolve() }) },
      job,
    );

  it('say nothing of where they lie', async () => {
    const inputs = await openWith(() => file);
    expect(inputs.withoutPaths('Cannot read /data/objects/abc', '/data/work/run-1')).toBe('Cannot read my talk.wav');
    expect(
      inputs.withoutPaths(
        'There is no file at /data/work/run-1/.earshot-2-x/.inputs/1/my talk.wav; see /data/work/run-1/out.wav',
        '/data/work/run-1',
      ),
    ).toBe('There is no file at my talk.wav; see out.wav');
  });

  it('know which of them was deleted meanwhile', async () => {
    let status = 'ready';
    const inputs = await openWith(() => ({ ...file, status }));
    expect(await inputs.missing()).toBe(null);
    status = 'deleted';
    expect(await inputs.missing()).toMatchObject({ code: 'file_expired', details: { field: 'file_id', id: 'file_1' } });
    // The last step of a chain looks at the recording, which is no input of its tool.
    expect(gone(modelField, 'file_1').message).toBe(
      'The file file_1, whose format the result takes, was deleted or has expired before the job ran',
    );
  });
});

describe('progress', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  const setUp = (answer: () => Promise<{ current: boolean; cancelRequested: boolean }>) => {
    const written: { at: number; progress: number }[] = [];
    const heard: string[] = [];
    const writer = createProgressWriter(
      { report: (_id, _attempt, { progress }) => (written.push({ at: performance.now(), progress }), answer()) },
      { id: 'job_1', attempt: 2 },
      { onCancel: () => heard.push('cancel'), onLost: () => heard.push('lost') },
      createLog(),
      { betweenWritesMs: 500, withoutNewsMs: 5000 },
    );
    return { written, heard, writer };
  };
  const fine = () => Promise.resolve({ current: true, cancelRequested: false });

  it('writes at most twice a second, the latest, and the last one too', async () => {
    const { written, writer } = setUp(fine);
    for (let step = 1; step <= 40; step++) {
      writer.note(at(step / 40));
      await vi.advanceTimersByTimeAsync(50);
    }
    await vi.advanceTimersByTimeAsync(500);
    expect(written.length).toBeGreaterThanOrEqual(4);
    for (const [index, write] of written.entries())
      expect(write.at - (written[index - 1]?.at ?? -Infinity)).toBeGreaterThanOrEqual(500);
    expect(written.at(-1)?.progress).toBe(1);
    expect(written.map(({ progress }) => progress)).toEqual(
      written.map(({ progress }) => progress).sort((a, b) => a - b),
    );
  });

  it('writes nothing of what ends within the first half second', async () => {
    const { written, writer } = setUp(fine);
    writer.note(at(0.1));
    await vi.advanceTimersByTimeAsync(450);
    await writer.stop();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(written).toEqual([]);
  });

  it('asks now and then whether the job is still ours when the tool is silent', async () => {
    const { written, heard, writer } = setUp(() => Promise.resolve({ current: false, cancelRequested: false }));
    writer.note(at(0.1));
    await vi.advanceTimersByTimeAsync(10_600);
    expect(written.length).toBe(3);
    expect(heard[0]).toBe('lost');
  });

  it('tells a cancel from a loss, and goes on when the database is away', async () => {
    const cancelled = setUp(() => Promise.resolve({ current: false, cancelRequested: true }));
    cancelled.writer.note(at(0.1));
    await vi.advanceTimersByTimeAsync(501);
    expect(cancelled.heard).toEqual(['cancel']);
    const away = setUp(() => Promise.reject(new Error('away')));
    away.writer.note(at(0.1));
    await vi.advanceTimersByTimeAsync(501);
    away.writer.note(at(0.2));
    await vi.advanceTimersByTimeAsync(600);
    expect([away.written.length, away.heard.length]).toEqual([2, 0]);
  });

  it('is silent once stopped, even about an answer that was on its way', async () => {
    let answer!: (value: { current: boolean; cancelRequested: boolean }) => void;
    const { written, heard, writer } = setUp(() => new Promise((resolve) => (answer = resolve)));
    writer.note(at(0.1));
    await vi.advanceTimersByTimeAsync(501);
    const stopped = writer.stop();
    answer({ current: false, cancelRequested: false });
    await stopped;
    writer.note(at(0.9));
    await vi.advanceTimersByTimeAsync(20_000);
    expect([written.length, heard]).toEqual([1, []]);
  });
});

describe('cancelling', () => {
  it('asks one question for all jobs, tells the right one once, and is quiet while nothing runs', async () => {
    const questions: (readonly string[])[] = [];
    let answer: readonly string[] = [];
    const watch = createCancelWatch(
      { cancelRequested: (ids) => (questions.push(ids), Promise.resolve(answer)) },
      createLog(),
      10,
    );
    const heard: string[] = [];
    await sleep(40);
    expect(questions).toEqual([]);
    const leaveA = watch.watch('a', () => heard.push('a'));
    const leaveB = watch.watch('b', () => heard.push('b'));
    await eventually(() => expect(questions.at(-1)).toEqual(['a', 'b']));
    answer = ['b'];
    await eventually(() => expect(heard).toEqual(['b']));
    await eventually(() => expect(questions.at(-1)).toEqual(['a']));
    leaveA();
    leaveB();
    await sleep(30);
    const asked = questions.length;
    await sleep(40);
    expect([questions.length, heard]).toEqual([asked, ['b']]);
  });

  it('asks often enough that a job is told within a second', async () => {
    vi.useFakeTimers();
    try {
      let asked = 0;
      const watch = createCancelWatch({ cancelRequested: () => ((asked += 1), Promise.resolve([])) }, createLog());
      const leave = watch.watch('a', () => {});
      await vi.advanceTimersByTimeAsync(800);
      leave();
      expect(asked).toBeGreaterThanOrEqual(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it('asks again after a failure, and says it once', async () => {
    let calls = 0;
    const log = createLog();
    const watch = createCancelWatch(
      { cancelRequested: (ids) => (++calls < 4 ? Promise.reject(new Error('away')) : Promise.resolve(ids)) },
      log,
      5,
    );
    await new Promise<void>((resolve) => watch.watch('a', resolve));
    expect([calls, log.entries.length]).toEqual([4, 1]);
  });
});

describe('retrying with backoff', () => {
  it('answers what the first call that gets through answers', async () => {
    let calls = 0;
    const retries: unknown[] = [];
    await expect(
      retryWithBackoff(
        () => (++calls < 3 ? Promise.reject(new Error(`no ${calls}`)) : Promise.resolve('yes')),
        (thrown) => retries.push(thrown),
        [1, 1, 1],
      ),
    ).resolves.toBe('yes');
    expect(retries.length).toBe(2);
    await expect(
      retryWithBackoff(
        () => Promise.reject(new Error('never')),
        () => undefined,
        [1, 1],
      ),
    ).rejects.toThrow('never');
  });
});

describe('housekeeping', () => {
  it('goes on after a failure, never twice at a time, and stops when the call under way has ended', async () => {
    let running = 0;
    let most = 0;
    let calls = 0;
    const log = createLog();
    const periodic = repeat(
      'sweep',
      1,
      async () => {
        most = Math.max(most, ++running);
        await sleep(5);
        running--;
        if (++calls === 2) throw new Error('once');
      },
      log,
    );
    await eventually(() => expect(calls).toBeGreaterThan(3));
    await periodic.stop();
    const after = calls;
    await sleep(20);
    expect([most, running, calls, log.entries.length]).toEqual([1, 0, after, 1]);
  });

  it('of the fleet is done while this worker leads, and noted when it went well', async () => {
    const noted: string[] = [];
    let asked = 0;
    const leadership = {
      // The second answer: another worker leads.
      lead: () => Promise.resolve(++asked === 2 ? null : () => Promise.resolve()),
      noteRound: (name: string) => Promise.resolve(void noted.push(name)),
    };
    let calls = 0;
    const round = () => (++calls === 1 ? Promise.reject(new Error('once')) : Promise.resolve());
    const log = createLog();
    const periodic = repeatLeading('sweep', 1, { leadership, round, log });
    await eventually(() => expect(calls).toBeGreaterThan(2));
    await periodic.stop();
    expect([asked - calls, noted.length - calls, log.entries.length]).toEqual([1, -1, 1]);
  });
});

describe('folders of runs', () => {
  it('keeps those in use here or by a living process, removes those of the dead and the very old', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'earshot-folders-'));
    try {
      const folders = createRunFolders(parent, 60);
      const inUse = await folders.make();
      const [, hostMark] = basename(inUse).split('-');
      const gone = spawn('true');
      await once(gone, 'exit');
      const living = spawn('sleep', ['60']);
      const names = {
        dead: `run-${hostMark}-${gone.pid}-aaaaaa`,
        ours: `run-${hostMark}-${process.pid}-bbbbbb`,
        living: `run-${hostMark}-${living.pid}-${startMark(living.pid ?? 0)}-cccccc`,
        livingOfOlderVersion: `run-${hostMark}-${living.pid}-ffffff`,
        // The worker died, and another process has its id now.
        reused: `run-${hostMark}-${living.pid}-1${startMark(living.pid ?? 0)}-gggggg`,
        elsewhere: `run-00000000-${gone.pid}-dddddd`,
        old: `run-00000000-${gone.pid}-eeeeee`,
        other: 'notes',
      };
      for (const name of Object.values(names)) {
        await mkdir(join(parent, name));
        await writeFile(join(parent, name, 'half.wav'), 'half');
      }
      const longAgo = new Date(Date.now() - 2 * 3_600_000);
      await utimes(join(parent, names.old), longAgo, longAgo);
      await createRunFolders(parent, 60).removeLeftovers();
      expect((await readdir(parent)).sort()).toEqual(
        [basename(inUse), names.living, names.livingOfOlderVersion, names.elsewhere, names.other].sort(),
      );
      await folders.remove(inUse);
      expect(await readdir(parent)).not.toContain(basename(inUse));
      living.kill();
    } finally {
      await rm(parent, { recursive: true, force: true });
    }
  });
});
