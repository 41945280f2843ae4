// Job processes with users of their own, where root has no better fence. What such a process does not reach:
// confinement.test.ts.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isAbortError } from '../../../src/library/core/abort.ts';
import { chooseConfinement } from '../../../src/library/runtime/confine/choose.ts';
import { closeToOthers, firstClosed, jobUserRange, takeUser } from '../../../src/library/runtime/confine/job-users.ts';
import { kernelOffers } from '../../../src/library/runtime/confine/proof.ts';
import { isGone, startedBy } from '../../fixtures/processes/listed.ts';
import { fixtureTool } from '../../fixtures/tools/source.ts';
import { listing, rejection, useEngines } from './support.ts';
import { until } from '../../fixtures/until.ts';
import { slow } from '../../fixtures/rounds.ts';

const { folder, engine } = useEngines();
afterEach(() => vi.unstubAllEnvs());

interface Who {
  readonly user: number;
  readonly groups: readonly number[];
  readonly texts: readonly string[];
  readonly left: readonly string[];
  readonly compiled: readonly string[];
}

const canBeHad = kernelOffers()?.uid === true;
if (!canBeHad) console.log('No users of their own can be had here (root alone has them): not tried');

describe.runIf(canBeHad)('a job with a user of its own', () => {
  const options = { confinement: 'uid', concurrency: 2 } as const;
  const who = async (shared: ReturnType<typeof engine>, milliseconds: number, outputDir = folder()): Promise<Who> => {
    const run = await shared.run(fixtureTool, [], { behaviour: 'whoAmI', milliseconds }, { outputDir });
    const [output] = run.outputs;
    // What it made is its host's in the end, and nothing else stays.
    expect(statSync(output?.path ?? '').uid).toBe(process.getuid?.());
    expect(listing(outputDir)).toEqual(['mine.cut.txt']);
    return run.result as unknown as Who;
  };

  it('shares it with no other, and is in no group but its own', slow, async () => {
    const shared = engine(options);
    const both = await Promise.all([who(shared, 300), who(shared, 300)]);
    expect(new Set(both.map(({ user }) => user)).size).toBe(2);
    const { first, last } = jobUserRange();
    for (const { user, groups } of both) {
      expect(user).toBeGreaterThanOrEqual(first);
      expect(user).toBeLessThanOrEqual(last);
      expect(new Set(groups)).toEqual(new Set([user]));
    }
  });

  it.each([false, true])(
    'reads inputs that are its host’s alone, also in a closed folder (kept ready: %j)',
    slow,
    async (prefork) => {
      const place = folder();
      chmodSync(place, 0o700);
      const paths = ['a.txt', 'b.txt'].map((name) => join(place, name));
      for (const path of paths) writeFileSync(path, path, { mode: 0o600 });
      const shared = engine({ ...options, prefork });
      const { result } = await shared.run(fixtureTool, paths, { behaviour: 'whoAmI' }, { outputDir: place });
      expect((result as unknown as Who).texts).toEqual(paths);
      expect(paths.map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
    },
  );

  it('keeps it for the runs of one owner in one process, which find an empty folder', slow, async () => {
    const shared = engine({ ...options, concurrency: 1, runsPerProcess: 3 });
    const runs: Who[] = [];
    for (let run = 0; run < 3; run++) runs.push(await who(shared, 0));
    expect(new Set(runs.map(({ user }) => user)).size).toBe(1);
    expect(runs.map(({ left }) => left)).toEqual([['mine.txt'], ['mine.txt'], ['mine.txt']]);
  });

  it('ends when it is told to, also where it does not listen, and leaves nothing', slow, async () => {
    const outputDir = folder();
    const shared = engine(options);
    const abort = new AbortController();
    const control = { outputDir, signal: abort.signal, onProgress: () => undefined };
    const run = shared.run(fixtureTool, [], { behaviour: 'spin' }, control);
    setTimeout(() => abort.abort(), 800);
    expect(isAbortError(await rejection(run))).toBe(true);
    expect(listing(outputDir)).toEqual([]);
  });

  it.each(['polite', 'spin'])(
    'goes with a host that is killed, and with its partial files (%s)',
    slow,
    async (behaviour) => {
      const outputDir = folder();
      const host = spawn(
        process.execPath,
        [fileURLToPath(new URL('../../fixtures/tools/host.ts', import.meta.url)), behaviour, outputDir],
        { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, EARSHOT_CONFINEMENT: 'uid' } },
      );
      await new Promise<void>((resolve) => {
        host.stdout.on('data', (text: Buffer) => text.toString().startsWith('queued') || resolve());
      });
      const jobs = startedBy(host.pid as number).map(({ pid }) => pid);
      expect(jobs).toHaveLength(1);
      const files = (): string[] =>
        readdirSync(outputDir, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ name }) => name);
      await until('the partial file is there', () => files().length === 1);
      host.kill('SIGKILL');
      await until('the job is gone', () => jobs.every((pid) => isGone(pid)));
      // One that makes its file again and again may have done so once more: the next run here removes it.
      if (behaviour === 'polite') expect(files()).toEqual([]);
      await engine(options).run(fixtureTool, [], { behaviour: 'whoAmI' }, { outputDir });
      expect(listing(outputDir)).toEqual(['mine.cut.txt']);
    },
  );

  it('takes what Node compiled for its host, and writes none of it', slow, async () => {
    const cache = join(folder(), 'compiled');
    mkdirSync(cache, { mode: 0o700 });
    vi.stubEnv('NODE_COMPILE_CACHE', cache);
    // Node makes a folder for its version and user.
    execFileSync(process.execPath, ['--input-type=module', '-e', '0']);
    const own = join(cache, readdirSync(cache)[0] ?? '');
    writeFileSync(join(own, 'of-the-host'), 'x', { mode: 0o600 });
    // As where another process of the host made it.
    chmodSync(own, 0o700);
    expect((await who(engine(options), 0)).compiled).toEqual([...readdirSync(own), 'EACCES']);
    expect(statSync(cache).mode & 0o777).toBe(0o700);
  });

  it('is not started where all users are taken, which is said', slow, async () => {
    vi.stubEnv('EARSHOT_JOB_UIDS', '61100-61100');
    const shared = engine(options);
    const outputDir = folder();
    const other = takeUser(jobUserRange());
    expect(await rejection(shared.run(fixtureTool, [], { behaviour: 'whoAmI' }, { outputDir }))).toMatchObject({
      code: 'tool_unavailable',
      message: 'All 1 users for jobs are taken',
    });
    expect(listing(outputDir)).toEqual([]);
    other.release();
    expect((await who(shared, 0)).user).toBe(61_100);
    expect((await who(shared, 0)).user).toBe(61_100);
  });

  it('is not had where it could not read what every job needs', async () => {
    const closed = join(folder(), 'models');
    mkdirSync(closed, { mode: 0o700 });
    chmodSync(join(closed, '..'), 0o755);
    const run = engine({ ...options, modelsDir: closed }).run(fixtureTool, [], { behaviour: 'whoAmI' });
    expect(await rejection(run)).toMatchObject({
      code: 'tool_unavailable',
      message: `Jobs that run as users of their own cannot read ${closed}`,
    });
  });

  it.each([
    ['root without another fence', 'uid,seccomp', 'uid'],
    ['a kernel with Landlock', 'landlock,seccomp', 'best'],
    ['a kernel with namespaces', 'namespaces,seccomp', 'best'],
    ['a root without its powers', 'seccomp', 'best'],
    ['a kernel without anything', '', 'best'],
  ] as const)('is what best means for %s: %j', async (_who, layers, chosen) => {
    expect(await chooseConfinement('best', [process.execPath], async () => layers)).toBe(chosen);
    expect(await chooseConfinement('best', [folder()], async () => layers)).toBe('best');
  });
});

describe('the users of jobs', () => {
  it.each([
    ['', { first: 60_706, last: 61_183 }],
    ['1000-1000', { first: 1000, last: 1000 }],
    ['70000-4294967294', { first: 70_000, last: 4_294_967_294 }],
  ])('are those of EARSHOT_JOB_UIDS: %j', (text, range) => {
    expect(jobUserRange({ EARSHOT_JOB_UIDS: text })).toEqual(range);
  });

  it.each(['0-5', '5', '9-5', '-1-5', 'a-b', '1-4294967295', '1-2-3'])('are no others: %j', (text) => {
    expect(() => jobUserRange({ EARSHOT_JOB_UIDS: text })).toThrow(
      `Expected range of numbers above 0 such as 60706-61183 for EARSHOT_JOB_UIDS but received ${text} of type string`,
    );
  });

  it.runIf(process.platform === 'linux')('are given once, and again when they are free', () => {
    const range = { first: 4_000_000_000, last: 4_000_000_002 };
    const all = [1, 2, 3].map(() => takeUser(range));
    expect(all.map(({ id }) => id).sort((a, b) => a - b)).toEqual([4_000_000_000, 4_000_000_001, 4_000_000_002]);
    expect(() => takeUser(range)).toThrow('All 3 users');
    all[1]?.release();
    expect(takeUser(range).id).toBe(all[1]?.id);
    for (const { release } of all) release();
    // Somebody runs as that one.
    const own = process.getuid?.() ?? 0;
    expect(() => takeUser({ first: own, last: own })).toThrow('All 1 users');
  });
});

it.runIf(process.platform !== 'win32')('what jobs must not reach is closed, and stays its owner’s', async () => {
  const open = join(folder(), 'open');
  mkdirSync(open);
  chmodSync(open, 0o755);
  await closeToOthers(open);
  await closeToOthers(open);
  expect(statSync(open).mode & 0o777).toBe(0o700);
});

it.runIf(process.platform !== 'win32')('what is closed to others is found, on the way there, too', async () => {
  const top = folder();
  chmodSync(top, 0o755);
  const inner = join(top, 'a', 'b');
  mkdirSync(inner, { recursive: true });
  const file = join(inner, 'file');
  writeFileSync(file, 'x', { mode: 0o644 });
  expect(await firstClosed([file, inner, join(top, 'missing')])).toBeNull();
  chmodSync(inner, 0o711);
  expect(await firstClosed([file])).toBeNull();
  expect(await firstClosed([inner])).toBe(inner);
  chmodSync(inner, 0o755);
  chmodSync(file, 0o640);
  expect(await firstClosed([top, file])).toBe(file);
  chmodSync(file, 0o644);
  chmodSync(join(top, 'a'), 0o750);
  expect(await firstClosed([file])).toBe(join(top, 'a'));
});
