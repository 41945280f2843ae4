import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { cgroupLimits } from '../../../../src/library/core/machine/cgroups.ts';
import { usableCores, usableMemoryBytes } from '../../../../src/library/core/machine/machine.ts';
import { libraryRestBytes, serviceRestBytes, shareOut } from '../../../../src/library/core/machine/sizing.ts';

const gibibyte = 2 ** 30;
const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

/** A system's files of cgroups: paths and what they say. */
function system(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'earshot-cgroups-'));
  roots.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

describe('what cgroups allow', () => {
  it('is read of version 2, with every group above', () => {
    const root = system({
      'proc/self/cgroup': '0::/system.slice/earshot.service/jobs\n',
      'sys/fs/cgroup/system.slice/cpu.max': '400000 100000\n',
      'sys/fs/cgroup/system.slice/earshot.service/cpu.max': '150000 100000\n',
      'sys/fs/cgroup/system.slice/earshot.service/memory.max': `${2 * gibibyte}\n`,
      'sys/fs/cgroup/system.slice/earshot.service/memory.current': `${gibibyte}\n`,
      'sys/fs/cgroup/system.slice/earshot.service/memory.stat': 'anon 1\ninactive_file 536870912\n',
      'sys/fs/cgroup/system.slice/earshot.service/jobs/cpu.max': 'max 100000\n',
      'sys/fs/cgroup/system.slice/earshot.service/jobs/memory.max': 'max\n',
    });
    expect(cgroupLimits(root)).toEqual({ cores: 1.5, memoryBytes: 2 * gibibyte, freeBytes: 1.5 * gibibyte });
  });

  it('is read of a container, whose own group is the root', () => {
    const root = system({
      'proc/self/cgroup': '0::/\n',
      'sys/fs/cgroup/cpu.max': '50000 100000\n',
      'sys/fs/cgroup/memory.max': `${gibibyte}\n`,
      'sys/fs/cgroup/memory.current': '0\n',
    });
    expect(cgroupLimits(root)).toEqual({ cores: 0.5, memoryBytes: gibibyte, freeBytes: gibibyte });
  });

  it('is read of version 1, where the huge number is no limit', () => {
    const root = system({
      'proc/self/cgroup': '4:memory:/docker/x\n2:cpu,cpuacct:/docker/x\n1:cpuset:/\n0::/\n',
      'sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes': `${4 * gibibyte}\n`,
      'sys/fs/cgroup/memory/docker/x/memory.usage_in_bytes': `${3 * gibibyte}\n`,
      'sys/fs/cgroup/memory/docker/x/memory.stat': 'inactive_file 1\ntotal_inactive_file 1073741824\n',
      'sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
      'sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_quota_us': '300000\n',
      'sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_period_us': '100000\n',
      'sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us': '-1\n',
      'sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us': '100000\n',
    });
    const limits = cgroupLimits(root);
    expect(limits).toMatchObject({ cores: 3, memoryBytes: 4 * gibibyte });
    expect(limits.freeBytes).toBe(2 * gibibyte);
  });

  it('is nothing where there are no cgroups, or they say nothing that is a number', () => {
    const none = { cores: Infinity, memoryBytes: Infinity, freeBytes: Infinity };
    expect(cgroupLimits(system({}))).toEqual(none);
    expect(
      cgroupLimits(
        system({
          'proc/self/cgroup': '0::/a\ngarbage\n',
          'sys/fs/cgroup/a/cpu.max': 'lots\n',
          'sys/fs/cgroup/a/memory.max': '-5\n',
        }),
      ),
    ).toEqual(none);
  });
});

describe('the machine', () => {
  it('has what its owner says, more than there is as well', () => {
    expect(usableCores({ EARSHOT_CORES: '64' })).toBe(64);
    expect(usableMemoryBytes({ EARSHOT_MEMORY_BYTES: String(gibibyte) })).toBe(gibibyte);
  });

  it('has otherwise what the system gives', () => {
    expect(usableCores({})).toBeGreaterThanOrEqual(1);
    expect(usableCores({ EARSHOT_CORES: '' })).toBeLessThanOrEqual(availableParallelism());
    expect(usableMemoryBytes({})).toBeLessThanOrEqual(totalmem());
  });

  it.each(['0', 'many', '1.5', '5000'])('refuses EARSHOT_CORES=%s by name', (text) => {
    expect(() => usableCores({ EARSHOT_CORES: text })).toThrow(
      `Expected integer between 1 and 1024 for EARSHOT_CORES but received ${text}`,
    );
  });
});

describe('sharing a machine out', () => {
  const service = (cores: number, gibibytes: number): { readonly slots: number; readonly mebibytes: number } => {
    const { slots, jobMemoryBytes } = shareOut({ cores, memoryBytes: gibibytes * gibibyte }, serviceRestBytes);
    return { slots, mebibytes: jobMemoryBytes / 2 ** 20 };
  };

  it('gives small machines one job at a time, large ones a job a core', () => {
    expect(service(2, 1)).toEqual({ slots: 1, mebibytes: 384 });
    expect(service(2, 2)).toEqual({ slots: 1, mebibytes: 1408 });
    expect(service(4, 4)).toEqual({ slots: 2, mebibytes: 1728 });
    expect(service(4, 8)).toEqual({ slots: 4, mebibytes: 1888 });
    expect(service(4, 16)).toEqual({ slots: 4, mebibytes: 2048 });
    expect(service(64, 32)).toEqual({ slots: 25, mebibytes: 1285 });
    expect(service(1, 1024)).toEqual({ slots: 1, mebibytes: 2048 });
  });

  it('never promises more than there is, but to a machine of under a gibibyte', () => {
    for (const cores of [1, 2, 3, 4, 8, 16, 32, 64])
      for (let gibibytes = 1; gibibytes <= 1024; gibibytes *= 2) {
        const { slots, mebibytes } = service(cores, gibibytes);
        expect(slots * mebibytes * 2 ** 20 + serviceRestBytes).toBeLessThanOrEqual(gibibytes * gibibyte);
        expect(slots).toBeLessThanOrEqual(cores);
      }
  });

  it('takes what is given, and lets the other follow', () => {
    const machine = { cores: 8, memoryBytes: 8 * gibibyte };
    expect(shareOut(machine, libraryRestBytes, { slots: 2 })).toEqual({ slots: 2, jobMemoryBytes: 2 * gibibyte });
    expect(shareOut(machine, libraryRestBytes, { jobMemoryBytes: 3 * gibibyte })).toEqual({
      slots: 2,
      jobMemoryBytes: 3 * gibibyte,
    });
    expect(shareOut(machine, libraryRestBytes, { slots: 20, jobMemoryBytes: gibibyte })).toEqual({
      slots: 20,
      jobMemoryBytes: gibibyte,
    });
  });
});
