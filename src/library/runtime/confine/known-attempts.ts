// Attempts of a job process that succeed, and why that is no way out. What is not here must be refused.
import type { Confinement } from './confinement.ts';

const names = 'Landlock governs no names: size and times of a file whose path is known, never its contents';
const counted = 'its host counts it (docs/confinement.md, Disk and Memory)';

const everywhere: Readonly<Record<string, string>> = {
  deep_folders: `deeper than a path may be long: ${counted} as too much`,
  deep_folders_by_proc: `deeper than a path may be long: ${counted} as too much`,
  file_that_is_deleted: `takes room until it is closed: ${counted}`,
  addresses_without_memory: `page tables alone: ${counted}, and addresses are bounded`,
};

const byLandlockAlone: Readonly<Record<string, string>> = {
  facts_of_file: names,
  facts_of_file_as_statx: names,
  presence_of_file: names,
  presence_of_file_as_faccessat2: names,
  handle_of_file: names,
  room_beside_file: names,
};

const open = 'open to every user of this machine, as its own user is one';

const asUser: Readonly<Record<string, string>> = {
  command_of_host: open,
  list_of_processes: open,
  network_of_machine: open,
  shared_folder: open,
};

const ofItself = 'what Node and the C library ask of the process itself and of the machine';

/** Entries of /proc that every way leaves open: see `readablePaths`. `sys`: the names on the way to two of them. */
const entries =
  /^proc_(?:self_(?:cgroup|exe|fd|maps|stat|statm|status)|sys|cpuinfo|meminfo|stat|uptime|loadavg|version)$/;

/**
 * Why it is known that this attempt succeeds; null: it must not.
 * @param name as of `Attempt`
 * @param hasOwnRoot does this system offer namespaces, which `best` puts beside Landlock?
 */
export function knownToSucceed(name: string, confinement: Confinement, hasOwnRoot: boolean): string | null {
  const isAlone = confinement === 'landlock' || (confinement === 'best' && !hasOwnRoot);
  const byWay = isAlone ? byLandlockAlone : confinement === 'uid' ? asUser : {};
  const byEntry = entries.test(name) ? ofItself : confinement === 'uid' && name.startsWith('proc_') ? open : null;
  return everywhere[name] ?? byWay[name] ?? byEntry;
}
