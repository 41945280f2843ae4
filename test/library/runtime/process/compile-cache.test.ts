import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isPrivateFolder } from '../../../../src/library/core/files/home-folder.ts';
import { isInApp } from '../../../../src/library/runtime/process/compile-cache.ts';
import { earshot, useFolder } from '../../../cli/support.ts';
import { until } from '../../../fixtures/until.ts';
import { slow } from '../../../fixtures/rounds.ts';

const folder = useFolder();

it('only a folder of ours that nobody else can write is taken', () => {
  const root = folder();
  const fresh = join(root, 'a', 'b');
  expect(isPrivateFolder(fresh)).toBe(true);
  expect(statSync(fresh).mode & 0o777).toBe(0o700);
  for (const mode of [0o770, 0o707, 0o777]) {
    chmodSync(fresh, mode);
    expect([mode, isPrivateFolder(fresh)]).toEqual([mode, false]);
  }
  expect(isPrivateFolder(join(root, 'clip.wav'))).toBe(false);
  if (process.getuid?.() === 0) {
    chmodSync(fresh, 0o700);
    chownSync(fresh, 65_534, 65_534);
    expect(isPrivateFolder(fresh)).toBe(false);
  } else console.log("Not root: another user's folder is not looked at");
});

it('nothing is written into a signed program of macOS', () => {
  const inside = '/Applications/Studio.app/Contents/Resources/app/node_modules/earshot/.cache/compiled';
  expect(isInApp(inside, 'darwin')).toBe(true);
  expect(isInApp(inside, 'linux')).toBe(false);
  expect(isInApp('/Users/anna/my.app/node_modules/earshot/.cache/compiled', 'darwin')).toBe(false);
});

it('a command fills the cache, for job processes too, which may not', slow, async () => {
  const root = folder();
  const cache = join(root, 'cache');
  mkdirSync(cache);
  // Beside them a stamp, and for a while the folder in which the process beside the job's puts together what it made.
  const versions = (): string[] => readdirSync(cache).filter((name) => !/^(?:job|ahead)-/.test(name));
  const compiled = (): number => versions().flatMap((version) => readdirSync(join(cache, version))).length;
  const run = async (...args: string[]): Promise<number> => {
    const { code, stderr } = await earshot(root, args, { environment: { NODE_COMPILE_CACHE: cache } });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return compiled();
  };
  const ofCommand = await run('loudness', '--help');
  expect(ofCommand).toBeGreaterThan(20);
  await run('loudness', 'clip.wav', '-o', 'louder.wav');
  // A process beside the job's compiles what all tools' jobs load, and nobody waits for it.
  await until('the modules of jobs are compiled', () => compiled() > ofCommand + 150);
  // What it put together in a folder of its own is in its place once that folder is gone.
  await until('it has ended', () => readdirSync(cache).every((name) => !name.startsWith('ahead-')));
  const withJob = compiled();
  // One folder of Node's version, not one in the other.
  const [version, ...others] = versions();
  expect(others).toEqual([]);
  expect(existsSync(join(cache, version ?? '', version ?? ''))).toBe(false);
  expect(await run('loudness', 'clip.wav', '-o', 'again.wav')).toBe(withJob);
});
