// Tests which protections this system offers for job processes, and whether they hold.
import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../../core/files/remove-folder.ts';
import { type Confinement, inheritedPaths, launcher, launcherArguments } from './confinement.ts';
import { jobUserRange, takeUser } from './job-users.ts';
import { knownToSucceed } from './known-attempts.ts';
import { readablePaths } from './readable.ts';

/** What a kernel may offer. */
export interface KernelOffers {
  /** Version of Landlock, 0 without it: files since 1, TCP since 4, signals since 6. */
  readonly landlock: number;
  /** System call filters. */
  readonly seccomp: boolean;
  /** A private root folder, for root or for all users. */
  readonly namespaces: boolean;
  /** A user of its own: where this one is root, and may give files away and end processes of others. */
  readonly uid: boolean;
}

/** What this system offers; null where there is no launcher or it does not run. */
export function kernelOffers(): KernelOffers | null {
  const program = launcher();
  if (program === null) return null;
  const { status, stdout } = spawnSync(program, ['--probe', String(jobUserRange().first)], {
    encoding: 'utf8',
    timeout: 5000,
  });
  return status === 0 ? (JSON.parse(stdout) as KernelOffers) : null;
}

/** One forbidden action that a job process has tried. */
export interface Attempt {
  /** "read_environment_of_host", "tcp_socket". */
  readonly name: string;
  /** The system's error that refused it, such as "EACCES"; null: it succeeded. */
  readonly refusedBy: string | null;
  /** Why it may succeed, see `knownToSucceed`; null: it must be refused. */
  readonly known: string | null;
}

const isNumber = /^[0-9]+$/;

/**
 * Entries of /proc, as this kernel has them: of the machine, of a process itself, of its network, and of the first
 * process. Not those that act when they are opened or never end.
 */
function processEntries(): readonly string[] {
  const skipped = /^\/proc\/(?:kmsg|kcore|sysrq-trigger|self|thread-self|mounts|net)$/;
  return ['/proc', '/proc/self', '/proc/self/net', '/proc/1', '/proc/sys/kernel'].flatMap((folder) => {
    try {
      return readdirSync(folder)
        .filter((name) => !isNumber.test(name))
        .map((name) => `${folder}/${name}`)
        .filter((path) => !skipped.test(path));
    } catch {
      return [];
    }
  });
}

/**
 * Starts a process confined as a job's is and makes it try, harmlessly, what it must not do.
 * @returns null where there is no launcher; else the result of each attempt. The first, writing in its own folder,
 *   should succeed, and of the others those that are known to.
 * @throws Error when the process cannot be confined as wanted
 */
export async function tryConfinement(confinement: Exclude<Confinement, 'off'>): Promise<readonly Attempt[] | null> {
  const program = launcher();
  const offers = kernelOffers();
  if (program === null || offers === null) return null;
  const outside = mkdtempSync(join(tmpdir(), 'earshot-outside-'));
  const folder = mkdtempSync(join(tmpdir(), 'earshot-inside-'));
  const user = confinement === 'uid' ? takeUser(jobUserRange()) : undefined;
  const kept = 3;
  try {
    for (const part of ['in', 'run']) mkdirSync(join(folder, part));
    const file = join(outside, 'file');
    writeFileSync(file, 'x');
    if (user !== undefined) chownSync(join(folder, 'run'), user.id, user.id);
    const bounds = {
      folder,
      readable: [...readablePaths(), program],
      memoryBytes: 2 ** 30,
      threads: 1,
      ...(user === undefined ? {} : { user: user.id }),
    };
    writeFileSync(join(folder, 'in', 'input'), 'x');
    writeFileSync(join(folder, 'in', 'entries'), processEntries().join('\n'));
    const parts = user === undefined ? { in: join(folder, 'in'), run: join(folder, 'run') } : inheritedPaths(kept);
    const { status, stdout, stderr } = spawnSync(
      program,
      [
        ...launcherArguments(confinement, bounds, kept),
        program,
        '--try',
        file,
        parts.run,
        join(parts.in, 'input'),
        '0',
        join(parts.in, 'entries'),
      ],
      { encoding: 'utf8', timeout: 10_000 },
    );
    if (status !== 0) throw new Error(stderr.trim() || `the launcher ended with ${status}`);
    const tried = JSON.parse(stdout) as Record<string, string | null>;
    return Object.entries(tried).map(([name, refusedBy]) => ({
      name,
      refusedBy,
      known: knownToSucceed(name, confinement, offers.namespaces),
    }));
  } finally {
    user?.release();
    for (const each of [outside, folder]) await removeFolder(each);
  }
}
