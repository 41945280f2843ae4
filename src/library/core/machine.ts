// How much of the machine this process may use: cores and memory, as configured or as found.
import { availableParallelism, totalmem } from 'node:os';
import { availableMemory } from 'node:process';
import { cgroupLimits } from './cgroups.ts';
import { EarshotError } from './errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const mostCores = 1024;
const leastMemoryBytes = 64 * 2 ** 20;

function wanted(environment: Environment, name: string, least: number, most: number): number | null {
  const text = environment[name];
  if (text === undefined || text === '') return null;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  const expected = most === Infinity ? `integer of at least ${least}` : `integer between ${least} and ${most}`;
  throw new EarshotError('bad_request', `Expected ${expected} for ${name} but received ${text.slice(0, 40)}`, {
    details: { field: name, expected, received: text.slice(0, 40) },
  });
}

/**
 * Cores to use: EARSHOT_CORES (which may exceed the machine's), else what the scheduler (taskset) and the cgroups allow
 * this process, rounded up. At least 1.
 * @throws EarshotError bad_request where EARSHOT_CORES is not an integer from 1 to 1024
 */
export function usableCores(environment: Environment = process.env): number {
  const said = wanted(environment, 'EARSHOT_CORES', 1, mostCores);
  return said ?? Math.max(1, Math.min(availableParallelism(), Math.ceil(cgroupLimits().cores)));
}

/**
 * Memory to plan with, in bytes: EARSHOT_MEMORY_BYTES, else the lower of the machine's memory and the cgroup limits.
 * @throws EarshotError bad_request where EARSHOT_MEMORY_BYTES is not an integer of at least 64 MiB
 */
export function usableMemoryBytes(environment: Environment = process.env): number {
  const said = wanted(environment, 'EARSHOT_MEMORY_BYTES', leastMemoryBytes, Infinity);
  return said ?? Math.min(totalmem(), cgroupLimits().memoryBytes);
}

/** The part of it that is free now, in bytes, as far as the system tells. */
export function freeMemoryBytes(): number {
  return Math.min(availableMemory(), cgroupLimits().freeBytes);
}
