// Machines of other sizes than this one: fewer cores by taskset, more by the setting; less memory by a cgroup where one
// can be made, else by the setting.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

export interface Place {
  /** Put before a command. */
  readonly prefix: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** How it was made, in a word: "taskset", "setting", "cgroup". */
  readonly by: string;
  remove(): void;
}

const nothing = (): void => undefined;
const hasTaskset = spawnSync('taskset', ['-c', '0', 'true']).status === 0;

export function withCores(cores: number): Place {
  const own = availableParallelism();
  if (cores === own) return { prefix: [], environment: {}, by: 'this machine', remove: nothing };
  if (cores < own && hasTaskset)
    return {
      prefix: ['taskset', '-c', cores === 1 ? '0' : `0-${cores - 1}`],
      environment: {},
      by: 'taskset',
      remove: nothing,
    };
  return { prefix: [], environment: { EARSHOT_CORES: String(cores) }, by: 'EARSHOT_CORES', remove: nothing };
}

/** Folders of the memory controller, and the file that holds a group's limit: version 2 and version 1. */
const controllers = [
  { folder: '/sys/fs/cgroup', limit: 'memory.max' },
  { folder: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes' },
] as const;

export function withMemory(bytes: number): Place {
  for (const { folder, limit } of controllers) {
    const group = `${folder}/earshot-machines-${process.pid}`;
    try {
      mkdirSync(group);
    } catch {
      continue;
    }
    const remove = (): void => {
      try {
        rmdirSync(group);
      } catch {
        // A process of it is still going; it is empty and does no harm.
      }
    };
    // Where version 1 is mounted, the folder above it is an ordinary one.
    if (!existsSync(`${group}/${limit}`)) {
      remove();
      continue;
    }
    try {
      writeFileSync(`${group}/${limit}`, String(bytes));
      return {
        prefix: ['sh', '-c', `echo $$ > ${group}/cgroup.procs && exec "$@"`, 'sh'],
        environment: {},
        by: 'cgroup',
        remove,
      };
    } catch {
      remove();
    }
  }
  return {
    prefix: [],
    environment: { EARSHOT_MEMORY_BYTES: String(bytes) },
    by: 'EARSHOT_MEMORY_BYTES',
    remove: nothing,
  };
}
