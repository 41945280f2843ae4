// How much of the machine this process may use: cores and memory, as configured or as found.
import { availableParallelism, totalmem } from 'node:os';
import { availableMemory } from 'node:process';
import { type CgroupLimits, cgroupLimits } from './cgroups.ts';
import { type NumberRule, readNumber } from '../checks/read-number.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Limits of EARSHOT_CORES. */
export const coresRule = { kind: 'integer', minimum: 1, maximum: 1024 } as const;
/** Limits of EARSHOT_MEMORY_BYTES. */
export const memoryRule = { kind: 'integer', minimum: 64 * 2 ** 20 } as const;

/** A start asks six times, and each time reads fifty files of the system. */
const knownMilliseconds = 100;
let known: { readonly limits: CgroupLimits; readonly at: number } | undefined;

function limitsNow(): CgroupLimits {
  const at = performance.now();
  if (known === undefined || at - known.at > knownMilliseconds) known = { limits: cgroupLimits(), at };
  return known.limits;
}

/** An empty string counts as unset. */
function wanted(environment: Environment, name: string, rule: NumberRule): number | null {
  const text = environment[name];
  return text === undefined || text === '' ? null : readNumber(name, text, rule);
}

/**
 * Cores to use: EARSHOT_CORES (which may exceed the machine's), else what the scheduler (taskset) and the cgroups allow
 * this process, rounded up. At least 1.
 * @throws EarshotError bad_request where EARSHOT_CORES is not an integer from 1 to 1024
 */
export function usableCores(environment: Environment = process.env): number {
  const said = wanted(environment, 'EARSHOT_CORES', coresRule);
  return said ?? Math.max(1, Math.min(availableParallelism(), Math.ceil(limitsNow().cores)));
}

/**
 * Memory to plan with, in bytes: EARSHOT_MEMORY_BYTES, else the lower of the machine's memory and the cgroup limits.
 * @throws EarshotError bad_request where EARSHOT_MEMORY_BYTES is not an integer of at least 64 MiB
 */
export function usableMemoryBytes(environment: Environment = process.env): number {
  const said = wanted(environment, 'EARSHOT_MEMORY_BYTES', memoryRule);
  return said ?? Math.min(totalmem(), limitsNow().memoryBytes);
}

/** The part of it that is free now, in bytes, as far as the system tells. */
export function freeMemoryBytes(): number {
  return Math.min(availableMemory(), limitsNow().freeBytes);
}
