import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isGone, startedBy } from '../../fixtures/processes/listed.ts';
import { removeStaleWorkFolders, makeWorkFolder } from '../../../src/library/runtime/files/work-folder.ts';
import { fixtureTool } from '../../fixtures/tools/source.ts';
import { isAlive, listing, rejection, useEngines } from './support.ts';
import { until } from '../../fixtures/until.ts';
import { slow } from '../../fixtures/rounds.ts';

const { engine, folder } = useEngines();

// Jobs that spin end by themselves after ten minutes, and polite ones never: what comes before the limit of a test was
// ended.

/** Children of this process that run job-process.ts: none may be left behind. */
const jobProcesses = (): number[] =>
  startedBy(process.pid)
    .filter(({ command }) => command.includes('job-process'))
    .map(({ pid }) => pid);

describe('a crash', () => {
  it.each([
    ['segfault', { signal: 'SIGSEGV', exitCode: null, stderrTail: 'last words\n' }],
    ['exit', { signal: null, exitCode: 3, stderrTail: '' }],
  ])('by %s becomes an error; the next job runs', slow, async (behaviour, details) => {
    const shared = engine({ concurrency: 1 });
    const outputDir = folder();
    const crashed = rejection(shared.run(fixtureTool, [], { behaviour }, { outputDir }));
    const next = shared.run(fixtureTool, [], { behaviour: 'write' }, { outputDir });
    expect(await crashed).toMatchObject({ name: 'EarshotError', code: 'internal_error', retryable: true, details });
    expect((await next).outputs).toHaveLength(1);
    expect(listing(outputDir)).toEqual(['result.cut.txt']);
  });
});

describe('errors over the border', () => {
  it('keep code, details and next action', async () => {
    const outputDir = folder();
    const thrown = await rejection(engine().run(fixtureTool, [], { behaviour: 'fail' }, { outputDir }));
    expect(thrown).toMatchObject({
      name: 'EarshotError',
      code: 'no_audio',
      message: 'There is no sound',
      details: { stream: 3, names: ['a', 'b'] },
      nextAction: 'Sing.',
    });
    expect(listing(outputDir)).toEqual([]);
  });

  it.each([
    ['a bug', 'bug', 'internal_error', 'undefined is not a function, as ever'],
    ['an unhandled rejection', 'rejection', 'internal_error', 'nobody waits for this'],
    ['details that cannot be cloned', 'uncloneable', 'file_invalid', 'Broken'],
  ])('%s', slow, async (_name, behaviour, code, message) => {
    expect(await rejection(engine().run(fixtureTool, [], { behaviour }, { outputDir: folder() }))).toMatchObject({
      code,
      message,
    });
  });

  it('an output outside the work folder, of a process that is not confined', async () => {
    const run = engine({ confinement: 'off' }).run(fixtureTool, [], { behaviour: 'outside' }, { outputDir: folder() });
    expect(await rejection(run)).toMatchObject({
      code: 'internal_error',
      message: 'The tool promised outside.txt but did not write it into its work folder',
    });
  });

  it('keep the stack for the one who debugs', async () => {
    const thrown = await rejection(engine().run(fixtureTool, [], { behaviour: 'bug' }, { outputDir: folder() }));
    expect(String(thrown.cause)).toContain('behave.ts');
  });
});

describe('limits', () => {
  it('ends a job that uses too much memory, naming the limit and what came', async () => {
    const outputDir = folder();
    const limit = 300 * 2 ** 20;
    const thrown = await rejection(
      // Confined ones meet the system's own bound: confinement.test.ts.
      engine({ maxJobMemoryBytes: limit, confinement: 'off' }).run(
        fixtureTool,
        [],
        { behaviour: 'allocate', bytes: 2 ** 30 },
        { outputDir },
      ),
    );
    expect(thrown).toMatchObject({ code: 'limit_exceeded', details: { limit: 'maxJobMemoryBytes', expected: limit } });
    expect(thrown.details?.['received']).toBeGreaterThan(limit);
    expect(thrown.message).toBe('The job needed more than its limit of 300 MiB of memory');
    expect(thrown).toMatchObject({ nextAction: expect.stringContaining('maxJobMemoryBytes of createEngine') });
    expect(listing(outputDir)).toEqual([]);
    expect(jobProcesses()).toEqual([]);
  });

  it('leaves a job below its limit alone', slow, async () => {
    const run = await engine({ maxJobMemoryBytes: 600 * 2 ** 20 }).run(
      fixtureTool,
      [],
      { behaviour: 'allocate', bytes: 2 ** 27, milliseconds: 600 },
      { outputDir: folder() },
    );
    expect(run.result).toEqual({ kept: 8 });
  });

  it('ends a job that takes too long, even when it never yields', slow, async () => {
    const outputDir = folder();
    const thrown = await rejection(
      engine({ maxJobSeconds: 1 }).run(fixtureTool, [], { behaviour: 'spin' }, { outputDir }),
    );
    expect(thrown).toMatchObject({ code: 'limit_exceeded', details: { limit: 'maxJobSeconds', expected: 1 } });
    expect(thrown).toMatchObject({ nextAction: expect.stringContaining('maxJobSeconds of createEngine, maxSeconds') });
    expect(listing(outputDir)).toEqual([]);
    expect(jobProcesses()).toEqual([]);
  });
});

describe('the disk', () => {
  it("is no job's to fill: one that writes beyond its bound ends, and nothing of it stays", slow, async () => {
    const outputDir = folder();
    const thrown = await rejection(
      engine().run(fixtureTool, [], { behaviour: 'fill' }, { outputDir, maxOutputBytes: 50_000_000 }),
    );
    expect(thrown).toMatchObject({ code: 'limit_exceeded', details: { limit: 'maxOutputBytes', expected: 5e7 } });
    expect(listing(outputDir)).toEqual([]);
    expect(jobProcesses()).toEqual([]);
  });

  it('of a run has its own time, too', async () => {
    const control = { outputDir: folder(), maxSeconds: 0.5 };
    expect(await rejection(engine().run(fixtureTool, [], { behaviour: 'spin' }, control))).toMatchObject({
      code: 'limit_exceeded',
      details: { limit: 'maxJobSeconds', expected: 0.5 },
    });
  });
});

describe('an abort', () => {
  it.each(['polite', 'spin'])('ends a job (%s) and leaves no files', slow, async (behaviour) => {
    const outputDir = folder();
    const controller = new AbortController();
    const run = engine().run(
      fixtureTool,
      [],
      { behaviour },
      {
        outputDir,
        signal: controller.signal,
        onProgress: ({ stage }) => {
          if (stage === 'queued') return;
          setTimeout(() => controller.abort(), 200);
        },
      },
    );
    expect(await rejection(run)).toMatchObject({ name: 'AbortError' });
    expect(listing(outputDir)).toEqual([]);
    expect(jobProcesses()).toEqual([]);
  });

  it('while the process is still starting', async () => {
    const outputDir = folder();
    expect(
      await rejection(
        engine().run(fixtureTool, [], { behaviour: 'polite' }, { outputDir, signal: AbortSignal.timeout(30) }),
      ),
    ).toMatchObject({ name: 'AbortError' });
    expect(listing(outputDir)).toEqual([]);
  });

  it('before the run starts nothing', async () => {
    const outputDir = join(folder(), 'never-made');
    expect(
      await rejection(
        engine().run(fixtureTool, [], { behaviour: 'write' }, { outputDir, signal: AbortSignal.abort() }),
      ),
    ).toMatchObject({ name: 'AbortError' });
    expect(existsSync(outputDir)).toBe(false);
  });

  it('while queued leaves at once, and the order of the others stays', slow, async () => {
    const shared = engine({ concurrency: 1 });
    const outputDir = folder();
    const finished: string[] = [];
    const write = (text: string, signal?: AbortSignal): Promise<unknown> =>
      shared
        .run(
          fixtureTool,
          [],
          { behaviour: 'write', milliseconds: 300 },
          { output: join(outputDir, text), ...(signal && { signal }) },
        )
        .then(() => finished.push(text));
    const controller = new AbortController();
    const first = write('first');
    const second = rejection(write('second', controller.signal)).then((thrown) => {
      finished.push('second leaves');
      return thrown;
    });
    const third = write('third');
    await sleep(50);
    controller.abort();
    expect(await second).toMatchObject({ name: 'AbortError' });
    await Promise.all([first, third]);
    expect(finished).toEqual(['second leaves', 'first', 'third']);
    expect(listing(outputDir)).toEqual(['first', 'third']);
  });

  it('reaches the fan-out threads', async () => {
    const outputDir = folder();
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 700);
    const run = engine().run(
      fixtureTool,
      [],
      // Ten minutes a piece.
      { behaviour: 'fanOut', text: 'a,b,c', milliseconds: 600_000 },
      { outputDir, signal: controller.signal },
    );
    expect(await rejection(run)).toMatchObject({ name: 'AbortError' });
    expect(jobProcesses()).toEqual([]);
  });

  it.runIf(existsSync('/proc/self/task'))('takes what the job started with it', slow, async () => {
    const outputDir = folder();
    const controller = new AbortController();
    const run = rejection(
      engine({ confinement: 'off' }).run(
        fixtureTool,
        [],
        { behaviour: 'grandchild' },
        { outputDir, signal: controller.signal },
      ),
    );
    const pidFile = join(outputDir, 'grandchild.pid');
    await until('the grandchild runs', () => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '');
    const pid = Number(readFileSync(pidFile, 'utf8'));
    expect(isAlive(pid)).toBe(true);
    controller.abort();
    expect(await run).toMatchObject({ name: 'AbortError' });
    await until('the grandchild is gone', () => isGone(pid));
  });
});

describe('the end of the host', () => {
  it('close aborts what runs and what waits, and refuses what comes later', async () => {
    const shared = engine({ concurrency: 1, prefork: true });
    const outputDir = folder();
    const runs = ['spin', 'write', 'write'].map((behaviour) =>
      rejection(shared.run(fixtureTool, [], { behaviour }, { outputDir })),
    );
    await until('the first runs', () => jobProcesses().length > 0);
    await sleep(300);
    await shared.close();
    for (const thrown of await Promise.all(runs)) expect(thrown.name).toBe('AbortError');
    expect(await rejection(shared.run(fixtureTool, [], { behaviour: 'write' }, { outputDir }))).toMatchObject({
      code: 'conflict',
    });
    expect(listing(outputDir)).toEqual([]);
    expect(jobProcesses()).toEqual([]);
  });

  it.each(['polite', 'spin'])(
    'a killed host takes its job along (%s), and the partial files',
    slow,
    async (behaviour) => {
      const outputDir = folder();
      const host = spawn(
        process.execPath,
        [fileURLToPath(new URL('../../fixtures/tools/host.ts', import.meta.url)), behaviour, outputDir],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      const started = new Promise<void>((resolve) => {
        host.stdout.on('data', (text: Buffer) => {
          if (!text.toString().startsWith('queued')) resolve();
        });
      });
      await started;
      const jobs = startedBy(host.pid as number).map(({ pid }) => pid);
      expect(jobs).toHaveLength(1);
      await until('the partial file is there', () => listing(outputDir).length === 1);
      host.kill('SIGKILL');
      await until('the job is gone', () => jobs.every((pid) => isGone(pid)));
      const filesLeft = (): string[] =>
        readdirSync(outputDir, { recursive: true, withFileTypes: true })
          .filter((entry) => !entry.isDirectory())
          .map(({ name }) => name);
      await until('its files are gone', () => filesLeft().length === 0);
      // A confined process may not remove its own folder; the next run here does.
      await engine().run(fixtureTool, [], { behaviour: 'write' }, { outputDir });
      expect(listing(outputDir)).toEqual(['result.cut.txt']);
    },
  );

  it.each(['', 'await engine.close();'])(
    'an idle engine does not keep the host alive; closing it comes to an end (%j)',
    slow,
    async (close) => {
      const script = `
      import { createEngineWith } from ${JSON.stringify(new URL('../../../src/library/runtime/engine/engine.ts', import.meta.url).href)};
      import { fixtureTools } from ${JSON.stringify(new URL('../../fixtures/tools/source.ts', import.meta.url).href)};
      const engine = createEngineWith(fixtureTools, { prefork: true });
      await engine.run('cut_audio', [], { behaviour: 'two' }, { outputDir: ${JSON.stringify(folder())} });
      ${close}
    `;
      const host = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
      const exitCode = await new Promise((resolve) => host.once('exit', resolve));
      expect(exitCode).toBe(0);
    },
  );
});

describe('work folders of dead processes', () => {
  it('are removed when an engine starts, and those of strangers after a week; those of living ones stay', async () => {
    const tempDir = folder();
    const own = await makeWorkFolder(tempDir);
    const name = own.slice(tempDir.length + 1);
    const dead = name.replace(`-${process.pid}-`, '-4194999-');
    const reused = name.replace(/-(\d+)-(\d+)-(\w+)$/, '-$1-1-$3');
    const stranger = name
      .replace(/^\.earshot-[0-9a-f]{8}/, '.earshot-00000000')
      .replace(`-${process.pid}-`, '-4194999-');
    const forgotten = stranger.replace('-00000000-', '-00000001-');
    for (const each of [dead, reused, stranger, forgotten, '.earshot-notes', 'other']) mkdirSync(join(tempDir, each));
    // On macOS a stranger may be this machine under the name of another network.
    const eightDaysAgo = Date.now() / 1000 - 8 * 24 * 3600;
    for (const each of [forgotten, 'other']) utimesSync(join(tempDir, each), eightDaysAgo, eightDaysAgo);
    await removeStaleWorkFolders(tempDir);
    expect(listing(tempDir)).toEqual([stranger, name, '.earshot-notes', 'other'].sort());
  });
});
