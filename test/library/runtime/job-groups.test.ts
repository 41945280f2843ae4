// Against files that stand for a hierarchy: what is written where, and when nothing is taken. That a kernel then ends a
// process of such a group was tried on Linux 6.1 by hand: tests here have no hierarchy of their own.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { takeDelegated } from '../../../src/library/runtime/confine/job-groups.ts';

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

/** A group at the path with the files that the kernel would show there. */
function hierarchy(path: string, files: Readonly<Record<string, string>>): { root: string; at(name: string): string } {
  const root = mkdtempSync(join(tmpdir(), 'earshot-groups-'));
  roots.push(root);
  mkdirSync(join(root, 'proc/self'), { recursive: true });
  writeFileSync(join(root, 'proc/self/cgroup'), `0::${path}\n`);
  const group = join(root, 'sys/fs/cgroup', path);
  mkdirSync(group, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(group, name), text);
  return { root, at: (name) => join(group, name) };
}

const unit = {
  'cgroup.controllers': 'cpu memory pids\n',
  'cgroup.type': 'domain\n',
  'cgroup.subtree_control': '\n',
  // Nothing runs in it: files do not move processes.
  'cgroup.procs': '\n',
};

describe('control groups of jobs', () => {
  it('divide what was delegated: the service below, a group with a bound for each job', () => {
    const { root, at } = hierarchy('/system.slice/earshot.service', unit);
    const groups = takeDelegated(root);
    expect(groups?.folder).toBe(at('').replace(/\/$/, ''));
    expect(existsSync(at('earshot-service'))).toBe(true);
    expect(readFileSync(at('cgroup.subtree_control'), 'utf8')).toBe('+memory +pids');
    const group = groups?.add(4711, 2 ** 30);
    const folder = at(`earshot-job-${process.pid}-1`);
    const said = (name: string): string => readFileSync(join(folder, name), 'utf8');
    expect([said('memory.max'), said('memory.oom.group'), said('cgroup.procs')]).toEqual(['1073741824', '1', '4711']);
    expect(said('pids.max')).toBe('1024');
    expect(group?.ranOut()).toBe(false);
    writeFileSync(join(folder, 'memory.events'), 'low 0\nhigh 0\nmax 12\noom 1\noom_kill 1\n');
    expect(group?.ranOut()).toBe(true);
  });

  it('are found again by a worker that was started again, in the group of the service', () => {
    const { root } = hierarchy('/earshot.service/earshot-service', {});
    const parent = join(root, 'sys/fs/cgroup/earshot.service');
    for (const [name, text] of Object.entries({ ...unit, 'cgroup.subtree_control': 'memory\n' }))
      writeFileSync(join(parent, name), text);
    expect(takeDelegated(root)?.folder).toBe(parent);
    expect(existsSync(join(parent, 'earshot-service/earshot-service'))).toBe(false);
  });

  it.each([
    ['the root of the machine', '/', { ...unit, 'cgroup.type': undefined }],
    ['a group without the memory controller', '/a', { ...unit, 'cgroup.controllers': 'cpu pids\n' }],
    ['another version', '/a', {}],
  ])('are not made in %s', (_, path, files) => {
    const shown = Object.fromEntries(Object.entries(files).filter(([, text]) => text !== undefined)) as Record<
      string,
      string
    >;
    const { root, at } = hierarchy(path, shown);
    expect(takeDelegated(root)).toBeNull();
    expect(existsSync(at('earshot-service'))).toBe(false);
  });

  it('are not made where there are no cgroups', () => {
    const root = mkdtempSync(join(tmpdir(), 'earshot-groups-'));
    roots.push(root);
    expect(takeDelegated(root)).toBeNull();
  });
});
