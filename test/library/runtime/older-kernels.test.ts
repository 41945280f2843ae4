// What an older kernel leaves to the filters of system calls: the launcher uses no more of Landlock than that kernel
// has. That it then really refuses less is seen where the filters are left out.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { launcher, launcherArguments } from '../../../src/library/runtime/confine/confinement.ts';
import { kernelOffers } from '../../../src/library/runtime/confine/proof.ts';
import { readablePaths } from '../../../src/library/runtime/confine/readable.ts';
import { useEngines } from './support.ts';

const { folder } = useEngines();
const program = launcher() ?? '';
const offers = kernelOffers();
const newest = offers?.seccomp === true ? offers.landlock : 0;
/** Ubuntu 22.04 has the first, Debian 12 the second, Ubuntu 24.04 the fourth. */
const versions = [1, 2, 3, 4, 5, 6].filter((version) => version <= newest);
if (versions.length === 0) console.log('This kernel has no Landlock with filters of system calls: not tried');

interface Tried {
  /** What refused each attempt; null: it went through. */
  readonly refusals: Readonly<Record<string, string | null>>;
  readonly input: string;
  readonly outside: string;
}

/** Tries everything with Landlock of that version. */
function tried(version: number, layers = 'landlock,seccomp'): Tried {
  const place = folder();
  const [work, outside] = [join(place, 'work'), join(place, 'outside.txt')];
  const input = join(work, 'in', 'input.txt');
  for (const part of ['in', 'run']) mkdirSync(join(work, part), { recursive: true });
  for (const path of [input, outside]) writeFileSync(path, 'words');
  const bounds = { folder: work, readable: [...readablePaths(), program], memoryBytes: 2 ** 30, threads: 1 };
  const [flag, , ...others] = launcherArguments('landlock', bounds, 3);
  const older = ['--landlock-at-most', String(version)];
  const attempts = [program, '--try', outside, join(work, 'run'), input];
  const { status, stdout, stderr } = spawnSync(program, [...older, flag ?? '', layers, ...others, ...attempts], {
    encoding: 'utf8',
    timeout: 10_000,
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return {
    refusals: JSON.parse(stdout),
    input: readFileSync(input, 'utf8'),
    outside: readFileSync(outside, 'utf8'),
  };
}

const through = ({ refusals }: Tried, beginning = ''): string[] =>
  Object.keys(refusals).filter((name) => name.startsWith(beginning) && refusals[name] === null);

describe.runIf(versions.length > 0)('a job on an older kernel', () => {
  it.each(versions)('empties no file, with Landlock %i', (version) => {
    const outcome = tried(version);
    expect(Object.keys(outcome.refusals)).toEqual(expect.arrayContaining(['cut_file', 'cut_input_by_reading']));
    expect(through(outcome)).toEqual(['write_own_file']);
    // Whose flags lie where no filter can read them.
    expect(outcome.refusals['cut_input_by_openat2']).toBe('ENOSYS');
    expect([outcome.input, outcome.outside]).toEqual(['words', 'words']);
  });

  it('would empty them without filters, as Landlock 2 knows nothing of it', () => {
    const outcome = tried(2, 'landlock');
    expect(through(outcome, 'cut_')).toEqual(
      expect.arrayContaining(['cut_file', 'cut_input', 'cut_input_by_reading', 'cut_input_by_openat2']),
    );
    expect(outcome.input).toBe('');
  });

  it.runIf(newest >= 3)('and Landlock 3 does', () => {
    expect(through(tried(3, 'landlock'), 'cut_')).toEqual([]);
  });

  it('is not made stronger or weaker by a version that there is not', () => {
    expect(tried(1_000_000).refusals).toEqual(tried(newest).refusals);
    for (const version of ['0', '-1', 'all', '99999999999'])
      expect(
        spawnSync(program, ['--landlock-at-most', version, '--layers', 'landlock', '--', '/bin/true']).status,
      ).toBe(125);
  });
});
