// The launcher's own attempts, on kernels that are older than this one: it uses no more of Landlock than they have, and
// the filters of system calls must do the rest. That an attempt is a real one is seen where the filters are left out.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Confinement, launcher, launcherArguments } from '../../../src/library/runtime/confine/confinement.ts';
import { firstClosed } from '../../../src/library/runtime/confine/job-users.ts';
import { knownToSucceed } from '../../../src/library/runtime/confine/known-attempts.ts';
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
const hasNamespaces = offers?.seccomp === true && offers.namespaces;
if (!hasNamespaces) console.log('This kernel has no namespaces with filters of system calls for us: not tried');

interface Tried {
  /** What refused each attempt; null: it went through. */
  readonly refusals: Readonly<Record<string, string | null>>;
  readonly input: string;
  readonly outside: string;
  /** What ended a process of the same user: SIGTERM, unless the attempts did. */
  readonly victimEndedBy: string;
}

/** Tries everything with these layers, and Landlock of that version, as this user or another one. */
async function tried(layers: string, version = newest, user?: number): Promise<Tried> {
  const place = folder();
  const [work, outside] = [join(place, 'work'), join(place, 'outside.txt')];
  const input = join(work, 'in', 'input.txt');
  for (const part of ['in', 'run']) mkdirSync(join(work, part), { recursive: true });
  for (const path of [input, outside]) writeFileSync(path, 'words');
  const bounds = { folder: work, readable: [...readablePaths(), program], memoryBytes: 2 ** 30, threads: 1 };
  const [flag, , ...others] = launcherArguments('landlock', bounds, 3);
  const identity = user === undefined ? {} : { uid: user, gid: user };
  if (user !== undefined) execFileSync('chown', ['-R', `${user}:${user}`, place]);
  const victim = spawn('sleep', ['1000'], identity);
  const ended = once(victim, 'exit');
  try {
    const [wanted = '', ...more] = layers.split(' ');
    const older = version > 0 ? ['--landlock-at-most', String(version), ...more] : more;
    const attempts = [program, '--try', outside, join(work, 'run'), input, String(victim.pid)];
    const { status, stdout, stderr } = spawnSync(program, [...older, flag ?? '', wanted, ...others, ...attempts], {
      encoding: 'utf8',
      timeout: 10_000,
      ...identity,
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    victim.kill('SIGTERM');
    const [, signal] = await ended;
    return {
      refusals: JSON.parse(stdout),
      input: readFileSync(input, 'utf8'),
      outside: readFileSync(outside, 'utf8'),
      victimEndedBy: signal,
    };
  } finally {
    victim.kill('SIGKILL');
  }
}

const through = ({ refusals }: Tried, about = /./): string[] =>
  Object.keys(refusals).filter((name) => about.test(name) && refusals[name] === null);

/** What went through and is not known to. */
const unknown = (outcome: Tried, way: Confinement): string[] =>
  through(outcome).filter((name) => knownToSucceed(name, way, way === 'best') === null);

const refused = [
  'lock_input',
  'lock_part_of_input',
  'lock_part_of_opened_input',
  'lease_on_input',
  'attributes_of_input',
  'folder_that_is_closed',
  'modes_of_nothing',
  'descriptors_of_its_own',
  'watch_files',
  'attribute_of_file',
  'go_to_a_folder',
  'priority_of_user',
  'priority_of_group',
  'priority_of_users_disk',
  'larger_stack',
  'requests_to_disks',
  'memory_that_is_locked',
  'memory_that_may_vanish',
  'disk_of_all',
  'message_with_descriptors',
  'descriptor_of_host',
  'signals_by_descriptor_as_ioctl',
  'owner_of_channel',
  'owner_of_channel_as_group',
];
const byFilters = {
  ...Object.fromEntries(refused.map((name) => [name, 'EPERM'])),
  limit_raised_sigpending: 'EPERM',
  share_of_signals: 'EAGAIN',
  share_of_pipes: 'EMFILE',
  share_of_watches: 'EMFILE',
  file_without_a_name: 'EOPNOTSUPP',
  room_set_aside: 'EOPNOTSUPP',
};

const untouched = { input: 'words', outside: 'words', victimEndedBy: 'SIGTERM' };

describe.runIf(versions.length > 0)('a job on an older kernel', () => {
  it.each(versions)('empties no file and ends no process, with Landlock %i', async (version) => {
    const outcome = await tried('landlock,seccomp', version);
    expect(unknown(outcome, 'landlock')).toEqual(['write_own_file']);
    expect(Object.keys(outcome.refusals).length).toBeGreaterThan(400);
    expect(outcome).toMatchObject(untouched);
    // Refused by the filters, and not for another reason.
    expect(outcome.refusals).toMatchObject(byFilters);
    // Its flags lie where no filter can read them.
    expect(outcome.refusals['cut_input_by_openat2']).toBe('ENOSYS');
  });

  it('would do both without filters: Landlock 2 governs neither', async () => {
    const outcome = await tried('landlock', 2);
    expect(through(outcome, /^cut_/)).toEqual(
      expect.arrayContaining(['cut_file', 'cut_input', 'cut_input_by_reading', 'cut_input_by_openat2']),
    );
    expect(outcome).toMatchObject({ input: '', outside: 'words', victimEndedBy: 'SIGKILL' });
  });

  it.runIf(newest >= 6)('and Landlock 6 both', async () => {
    const outcome = await tried('landlock', 6);
    expect(through(outcome, /^cut_/)).toEqual([]);
    expect(outcome).toMatchObject(untouched);
  });

  it('is not made stronger or weaker by a version that there is not', async () => {
    expect((await tried('landlock,seccomp', 1_000_000)).refusals).toEqual((await tried('landlock,seccomp')).refusals);
    for (const version of ['0', '-1', 'all', '99999999999'])
      expect(
        spawnSync(program, ['--landlock-at-most', version, '--layers', 'landlock', '--', '/bin/true']).status,
      ).toBe(125);
  });
});

describe.runIf(hasNamespaces)('a job with a root of its own', () => {
  it('empties no file and ends no process', async () => {
    const outcome = await tried('namespaces,seccomp');
    expect(unknown(outcome, 'namespaces')).toEqual(['write_own_file']);
    expect(outcome.refusals).toMatchObject(byFilters);
    expect(outcome).toMatchObject(untouched);
  });

  it('would end one without filters, which are its only bars for signals', async () => {
    expect(await tried('namespaces')).toMatchObject({ input: 'words', outside: 'words', victimEndedBy: 'SIGKILL' });
  });
});

describe.runIf(versions.length > 0 && hasNamespaces)('a job with both', () => {
  it.each(versions)('cannot ask for names either, with Landlock %i', async (version) => {
    const outcome = await tried('best', version);
    expect(unknown(outcome, 'best')).toEqual(['write_own_file']);
    expect(outcome.refusals).toMatchObject({ facts_of_file: 'ENOENT', handle_of_file: 'ENOENT', ...byFilters });
    expect(outcome).toMatchObject(untouched);
  });

  it('has more that goes through where either is missing', async () => {
    expect(unknown(await tried('landlock,seccomp'), 'best')).toContain('facts_of_file');
    expect(unknown(await tried('landlock,namespaces'), 'best')).toContain('calls_of_the_list');
  });
});

const ordinary = 31_008;
const closed = await firstClosed([program, process.execPath]);
const canChange = process.getuid?.() === 0 && closed === null && versions.length > 0;
if (!canChange)
  console.log(`Not tried as an ordinary user: ${closed === null ? 'this is no root' : `${closed} is closed`}`);

describe.runIf(canChange)('a job of an ordinary user', () => {
  it.each(['best', 'landlock', 'namespaces'] as const)('reaches as little: %s', async (way) => {
    const layers = way === 'best' ? way : `${way},seccomp`;
    const hasRoot = spawnSync(program, ['--probe'], { encoding: 'utf8', uid: ordinary, gid: ordinary });
    if (way === 'namespaces' && !JSON.parse(hasRoot.stdout).namespaces)
      return console.log('No namespaces for users here');
    const outcome = await tried(layers, newest, ordinary);
    const both = way === 'best' && !JSON.parse(hasRoot.stdout).namespaces ? 'landlock' : way;
    expect(unknown(outcome, both)).toEqual(['write_own_file']);
    expect(outcome).toMatchObject(untouched);
  });
});

it('no attempt is known to succeed that is not one, and each has a reason', async () => {
  const { refusals } = await tried('landlock,seccomp');
  const known = Object.keys(refusals).filter((name) => knownToSucceed(name, 'landlock', false) !== null);
  expect(known.map((name) => refusals[name])).toEqual(known.map(() => null));
  expect(known).toHaveLength(10);
});

it.runIf(versions.length > 0)(
  'calls that are only logged go through, but those that libraries do without',
  async () => {
    const { refusals } = await tried('landlock,seccomp --calls log');
    expect(refusals).toMatchObject({ calls_of_the_list: null, io_uring: 'ENOSYS', read_file: 'EACCES' });
  },
);

it.runIf(program !== '')('without any fence nearly all go through, and do no harm but to the input', () => {
  const place = folder();
  const [outside, input] = [join(place, 'outside.txt'), join(place, 'input.txt')];
  mkdirSync(join(place, 'run'));
  for (const path of [outside, input]) writeFileSync(path, 'words');
  const { status, stdout } = spawnSync(program, ['--try', outside, join(place, 'run'), input], { encoding: 'utf8' });
  const refusals = JSON.parse(stdout) as Record<string, string | null>;
  const names = ['read_file', 'write_file', 'move_file_in', 'move_file_out', 'facts_of_file', 'calls_of_the_list'];
  expect({ status, through: names.filter((name) => refusals[name] === null) }).toEqual({ status: 0, through: names });
  expect(readFileSync(outside, 'utf8')).toBe('words');
  expect(readdirSync(place).sort()).toEqual(['input.txt', 'outside.txt', 'run']);
});
