// A control group for each job process, where a part of the hierarchy is delegated to this service (cgroup v2,
// https://docs.kernel.org/admin-guide/cgroup-v2.html and https://systemd.io/CGROUP_DELEGATION/).
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The group of one job process. */
export interface JobGroup {
  /** Has the kernel killed it for its memory? Ask after its end and before `remove`. */
  ranOut(): boolean;
  /** After the end of its process. */
  remove(): void;
}

export interface JobGroups {
  /** Where the groups are made. */
  readonly folder: string;
  /**
   * Puts a process into a group of its own with this memory limit, page cache and kernel memory included.
   * @returns null where that fails: the process then stays in the host's group, and the host watches its memory
   */
  add(pid: number, memoryBytes: number): JobGroup | null;
}

const mount = '/sys/fs/cgroup';
/** As the launcher has it where threads are counted for one job alone (native/confine/limits.c). */
const mostThreads = 1024;
/** For the processes of the service itself: a group that distributes memory to others may hold none. */
const serviceGroup = 'earshot-service';
/** Catches processes that start while others are moved. */
const mostRounds = 10;

const read = (path: string): string => readFileSync(path, 'latin1').trim();

const pidsIn = (folder: string): string[] => read(join(folder, 'cgroup.procs')).split('\n').filter(Boolean);

/** Moves all processes of a group into another one below it. */
function moveDown(from: string, to: string): void {
  for (let round = 0; round < mostRounds; round += 1) {
    const pids = pidsIn(from);
    if (pids.length === 0) return;
    for (const pid of pids) {
      try {
        writeFileSync(join(to, 'cgroup.procs'), pid);
      } catch (thrown) {
        // The process has ended meanwhile.
        if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown;
      }
    }
  }
}

/** Removes the empty groups that a killed service has left. */
function removeLeft(folder: string): void {
  for (const name of readdirSync(folder).filter((each) => each.startsWith('earshot-job-'))) {
    try {
      rmdirSync(join(folder, name));
    } catch {
      // A process still runs in it.
    }
  }
}

/**
 * Takes over the delegated group: moves the processes of this service's group into one below it, so that the group can
 * divide its memory among others. null where nothing is delegated, as in most containers and on most command lines.
 * @param root prefix of all system paths; default: none
 */
export function takeDelegated(root = ''): JobGroups | null {
  try {
    const path = /^0::(\/.*)$/m.exec(read(`${root}/proc/self/cgroup`))?.[1];
    if (path === undefined || path.includes('/..')) return null;
    const own = join(`${root}${mount}`, path);
    // A restarted worker is in the service's own group already, and so is one with systemd's DelegateSubgroup.
    const isBelow = basename(own) === serviceGroup;
    const folder = isBelow ? join(own, '..') : own;
    if (!read(join(folder, 'cgroup.controllers')).split(' ').includes('memory')) return null;
    // The root of the whole machine is not ours to divide; a container's own root has a type.
    read(join(folder, 'cgroup.type'));
    if (!isBelow) {
      const service = join(folder, serviceGroup);
      mkdirSync(service, { recursive: true });
      moveDown(folder, service);
    }
    const wanted = read(join(folder, 'cgroup.controllers'))
      .split(' ')
      .filter((name) => name === 'memory' || name === 'pids');
    const divided = read(join(folder, 'cgroup.subtree_control')).split(' ');
    if (!wanted.every((name) => divided.includes(name)))
      writeFileSync(join(folder, 'cgroup.subtree_control'), wanted.map((name) => `+${name}`).join(' '));
    removeLeft(folder);
    return jobGroups(folder, wanted.includes('pids'));
  } catch {
    // Not delegated: read-only, another user's, another version, or processes that cannot be moved.
    return null;
  }
}

/** @param boundsThreads is the controller of threads delegated, too? */
function jobGroups(folder: string, boundsThreads: boolean): JobGroups {
  let made = 0;
  return {
    folder,
    add(pid, memoryBytes) {
      const group = join(folder, `earshot-job-${process.pid}-${(made += 1)}`);
      try {
        mkdirSync(group);
        writeFileSync(join(group, 'memory.max'), String(Math.floor(memoryBytes)));
        // Counted with the service's otherwise, and with those of other jobs.
        if (boundsThreads) writeFileSync(join(group, 'pids.max'), String(mostThreads));
        // The kernel kills a whole job, never some of its processes.
        writeFileSync(join(group, 'memory.oom.group'), '1');
        writeFileSync(join(group, 'cgroup.procs'), String(pid));
      } catch {
        remove(group);
        return null;
      }
      return {
        ranOut() {
          try {
            return Number(/^oom_kill (\d+)$/m.exec(read(join(group, 'memory.events')))?.[1] ?? 0) > 0;
          } catch {
            return false;
          }
        },
        remove: () => remove(group),
      };
    },
  };
}

function remove(group: string): void {
  try {
    rmdirSync(group);
  } catch {
    // The next start removes it.
  }
}
