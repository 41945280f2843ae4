// Limits that control groups set: in containers, systemd units and batch systems.
import { readFileSync } from 'node:fs';

/** The limits of the cgroups above a process; Infinity: no limit. */
export interface CgroupLimits {
  /** CPU time as a number of cores: 1.5 is 150 ms in every 100 ms. */
  readonly cores: number;
  readonly memoryBytes: number;
  /** The free part of `memoryBytes`. */
  readonly freeBytes: number;
}

const read = (path: string): string | null => {
  try {
    return readFileSync(path, 'latin1').trim();
  } catch {
    return null;
  }
};

/** "max", "-1", and the huge number that cgroup v1 writes for no limit. */
function limitOf(text: string | null): number {
  const value = text === null || text === '' ? NaN : Number(text);
  return value > 0 && value < 2 ** 53 ? value : Infinity;
}

/** From a group up to the root: children do not repeat the limits of their parents. */
function groupsUpwards(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '' && part !== '..');
  return Array.from({ length: parts.length + 1 }, (_, up) =>
    parts
      .slice(0, parts.length - up)
      .map((part) => `/${part}`)
      .join(''),
  );
}

/**
 * Reads the limits of this process's cgroups, version 2 and version 1, and of their parents.
 * @param root prefix of all system paths; default: none
 */
export function cgroupLimits(root = ''): CgroupLimits {
  const limits = { cores: Infinity, memoryBytes: Infinity, freeBytes: Infinity };
  const memory = (limit: number, usedOf: () => number): void => {
    if (!Number.isFinite(limit)) return;
    limits.memoryBytes = Math.min(limits.memoryBytes, limit);
    const used = usedOf();
    if (used >= 0) limits.freeBytes = Math.min(limits.freeBytes, Math.max(0, limit - used));
  };
  const cores = (quota: number, period: number): void => {
    if (quota > 0 && period > 0) limits.cores = Math.min(limits.cores, quota / period);
  };
  const number = (text: string | null): number => (text === null ? NaN : Number(text));
  /** File cache counts as used but can be dropped. */
  const droppable = (statistics: string | null, name: string): number =>
    Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(statistics ?? '')?.[1] ?? 0);

  for (const line of (read(`${root}/proc/self/cgroup`) ?? '').split('\n')) {
    const [hierarchy, controllers = '', path = ''] = line.split(':');
    if (hierarchy === '0') {
      for (const mount of ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'])
        for (const group of groupsUpwards(path)) {
          const folder = `${root}${mount}${group}`;
          const [quota = '', period = ''] = (read(`${folder}/cpu.max`) ?? '').split(' ');
          cores(Number(quota), Number(period));
          const limit = limitOf(read(`${folder}/memory.max`));
          memory(
            limit,
            () => number(read(`${folder}/memory.current`)) - droppable(read(`${folder}/memory.stat`), 'inactive_file'),
          );
        }
      continue;
    }
    const names = controllers.split(',');
    for (const group of groupsUpwards(path)) {
      if (names.includes('cpu'))
        for (const mount of [controllers, 'cpu', 'cpu,cpuacct']) {
          const folder = `${root}/sys/fs/cgroup/${mount}${group}`;
          cores(number(read(`${folder}/cpu.cfs_quota_us`)), number(read(`${folder}/cpu.cfs_period_us`)));
        }
      if (names.includes('memory')) {
        const folder = `${root}/sys/fs/cgroup/memory${group}`;
        const limit = limitOf(read(`${folder}/memory.limit_in_bytes`));
        memory(
          limit,
          () =>
            number(read(`${folder}/memory.usage_in_bytes`)) -
            droppable(read(`${folder}/memory.stat`), 'total_inactive_file'),
        );
      }
    }
  }
  return limits;
}
