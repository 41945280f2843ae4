// How job processes are confined: see docs/confinement.md. The bars themselves are native/confine, a launcher that
// becomes Node.
import { nativeFile } from '../../core/native-files.ts';
import { badValue } from '../../core/schema.ts';

const choices = ['best', 'off', 'landlock', 'namespaces', 'uid'] as const;

/**
 * best: what the kernel offers, and without any of it a trimmed environment alone. off: a process like any other.
 * landlock, namespaces, uid: that way of fencing files off, with filters of system calls; a run fails where it cannot be
 * had. uid: a user of its own, who owns nothing; for root alone.
 */
export type Confinement = (typeof choices)[number];

let found: { readonly path: string | null } | undefined;

/** The launcher, or null where there is none: systems other than Linux. */
export function launcher(): string | null {
  found ??= { path: process.platform === 'linux' ? nativeFile('earshot-confine') : null };
  return found.path;
}

/**
 * EARSHOT_CONFINEMENT, or best.
 * @throws EarshotError bad_request for another word
 */
export function wantedConfinement(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Confinement {
  const word = environment['EARSHOT_CONFINEMENT'] || 'best';
  const known = choices.find((choice) => choice === word);
  if (known === undefined) throw badValue('EARSHOT_CONFINEMENT', `one of ${choices.join(', ')}`, word);
  return known;
}

/** What one job process may reach and use. */
export interface JobBounds {
  /** Of the run: `in` is read, `run` is written. */
  readonly folder: string;
  /** More that is read: absolute paths, with everything below them. */
  readonly readable: readonly string[];
  /** Memory that it may use, in bytes. */
  readonly memoryBytes: number;
  /** Threads of JavaScript that it may start, at least 1. */
  readonly threads: number;
  /** With uid: the number of the user and the group that it becomes, who owns `run`. */
  readonly user?: number;
  /** With uid: what Node made of our sources, which `in` has a link to; default: nothing. */
  readonly compiled?: string;
}

/** Where a process finds the parts of its run's folder. */
export interface RunPaths {
  readonly in: string;
  readonly run: string;
  readonly compiled: string;
}

/**
 * To a user of its own no path leads into the folder, which lies where its host works: it inherits both parts as
 * descriptors, the first of which is `kept`, and perhaps what is compiled. What is above them stays closed.
 */
export const inheritedPaths = (kept: number): RunPaths => ({
  in: `/proc/self/fd/${kept}`,
  run: `/proc/self/fd/${kept + 1}`,
  compiled: `/proc/self/fd/${kept + 2}`,
});

/**
 * The far wall (RLIMIT_DATA), which no honest run meets: it counts what is reserved, and most of that is never touched. V8
 * reserves 510 MB for the code of each thread that is not told otherwise, and FFmpeg, networks and allocators have spare
 * room of their own. What is used is held against `memoryBytes` from outside (memory-watch.ts).
 */
const reservedBytes = ({ memoryBytes, threads }: Pick<JobBounds, 'memoryBytes' | 'threads'>): number =>
  Math.ceil(2 * memoryBytes) + 4 * 2 ** 30 + (threads + 1) * 640 * 2 ** 20;

const openFiles = 4096;

/** What is put before the program and its arguments. */
export function launcherArguments(
  confinement: Exclude<Confinement, 'off'>,
  bounds: JobBounds,
  keptDescriptors: number,
): string[] {
  const { folder, readable, user, compiled } = bounds;
  return [
    '--layers',
    confinement === 'best' ? 'best' : `${confinement},seccomp`,
    ...(user === undefined
      ? [
          ...[...readable, `${folder}/in`].flatMap((path) => ['--read', path]),
          '--write',
          `${folder}/run`,
          '--erase',
          folder,
        ]
      : [
          '--user',
          String(user),
          ...[`${folder}/in`, `${folder}/run`, ...(compiled === undefined ? [] : [compiled])].flatMap((path) => [
            '--inherit',
            path,
          ]),
        ]),
    '--data-bytes',
    String(reservedBytes(bounds)),
    '--open-files',
    String(openFiles),
    '--keep',
    String(keptDescriptors),
    '--',
  ];
}
