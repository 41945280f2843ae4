// Systems that let a process begin a root of its own and not complete it: best then has what it had before, and a way
// that was asked for by its name says that it cannot be had.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { readTable } from '../../../scripts/system-calls/table.mjs';
import { launcher } from '../../../src/library/runtime/confine/confinement.ts';
import { kernelOffers } from '../../../src/library/runtime/confine/proof.ts';
import { skipForMissing } from '../../fixtures/missing-part.ts';
import { useEngines } from './support.ts';

const { folder } = useEngines();
const root = fileURLToPath(new URL('../../../', import.meta.url));
const offers = kernelOffers();
const isTried = offers !== null && offers.landlock > 0 && offers.namespaces && offers.seccomp;
if (!isTried) console.log('This kernel has not all of Landlock, namespaces and filters for us: not tried');

const numberOf = (name: string): number => {
  const row = readTable(root).find((each: { name: string }) => each.name === name);
  const numbers: Readonly<Record<string, number | null>> = row?.numbers ?? {};
  return Number(numbers[process.arch]);
};

describe.runIf(isTried)('where a call that a root of its own needs is refused', () => {
  let refuse = '';
  beforeEach((context) => {
    refuse = join(folder(), 'refuse-call');
    const source = join(root, 'test/fixtures/systems/refuse-call.c');
    if (spawnSync('cc', ['-O1', '-o', refuse, source], { stdio: 'inherit' }).status !== 0)
      skipForMissing(context, 'cc');
  });

  /** Reads a file that is given and one that is not, by what the launcher makes of these layers. */
  function reads(call: string, layers: string): { readonly status: number | null; readonly said: string } {
    const place = folder();
    mkdirSync(join(place, 'run'));
    for (const name of ['given', 'other']) writeFileSync(join(place, name), name);
    const [given, other] = [join(place, 'given'), join(place, 'other')];
    // Where the program lies: its libraries are found by themselves.
    const reading = [given, '/usr/bin', '/bin'].flatMap((path) => ['--read', path]);
    const writing = ['--write', join(place, 'run')];
    const command = [launcher() ?? '', '--layers', layers, ...reading, ...writing, '--', '/bin/cat', given, other];
    const options = { encoding: 'utf8', cwd: place } as const;
    const { status, stdout, stderr } = spawnSync(refuse, [String(numberOf(call)), ...command], options);
    return { status, said: `${stdout} ${stderr.replaceAll(place, '')}` };
  }

  it.each([
    ['unshare', 'Permission denied'],
    ['mount', 'Permission denied'],
    ['pivot_root', 'Permission denied'],
    // Older kernels have none: mounts are then made read-only in the old way.
    ['mount_setattr', 'No such file or directory'],
  ])('best has the rest: %s', (call, refusedBy) => {
    expect(reads(call, 'best')).toEqual({ status: 1, said: `given /bin/cat: /other: ${refusedBy}\n` });
  });

  it.each(['unshare', 'mount', 'pivot_root'])(
    'namespaces alone cannot be had, and the program is not started: %s',
    (call) => {
      expect(reads(call, 'namespaces,seccomp')).toEqual({
        status: 125,
        said: expect.stringMatching(/^ earshot-confine: .*: Operation not permitted\n$/) as string,
      });
    },
  );
});
