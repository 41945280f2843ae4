// How job processes are confined: see docs/confinement.md. The restrictions are set by native/confine, a launcher that
// then becomes Node.
import { nativeFile } from '../../core/native-files.ts';
import { badValue } from '../../core/schema.ts';

const choices = ['best', 'off', 'landlock', 'namespaces', 'uid'] as const;

/**
 * best: as much as the kernel offers; with nothing on offer, only a trimmed environment. off: an ordinary process.
 * landlock, namespaces, uid: this method of closing off files, with system call filters; a run fails where it is not
 * available. uid: a user that owns nothing; for root only.
 */
export type Confinement = (typeof choices)[number];

let found: { readonly path: string | null } | undefined;

/** The launcher, or null where there is none: on systems other than Linux. */
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

/** What one job process may access and use. */
export interface JobBounds {
  /** The run's folder: `in` is read, `run` is written. */
  readonly folder: string;
  /** More that it may read: absolute paths, with everything below them. */
  readonly readable: readonly string[];
  /** Memory that it may use, in bytes. */
  readonly memoryBytes: number;
  /** JavaScript threads that it may start, at least 1. */
  readonly threads: number;
  /** With uid: the number of the user and group that it switches to, the owner of `run`. */
  readonly user?: number;
  /** With uid: our compiled code, linked from `in`; default: none. */
  readonly compiled?: string;
}

/** Where a process finds the parts of its run's folder. */
export interface RunPaths {
  readonly in: string;
  readonly run: string;
  readonly compiled: string;
}

/**
 * A user of its own has no path into the folder, which lies in its host's closed work folder. It inherits `in` and
 * `run` as descriptors, the first of which is `kept`, and perhaps the compile cache.
 */
export const inheritedPaths = (kept: number): RunPaths => ({
  in: `/proc/self/fd/${kept}`,
  run: `/proc/self/fd/${kept + 1}`,
  compiled: `/proc/self/fd/${kept + 2}`,
});

/**
 * The outer limit (RLIMIT_DATA), which no honest run reaches. It counts reserved memory, most of which is never
 * touched: V8 reserves 510 MB for the code of each thread unless told otherwise, and FFmpeg, networks and allocators
 * reserve more. Used memory is held against `memoryBytes` from outside (memory-watch.ts).
 */
const reservedBytes = ({ memoryBytes, threads }: Pick<JobBounds, 'memoryBytes' | 'threads'>): number =>
  Math.ceil(2 * memoryBytes) + 4 * 2 ** 30 + (threads + 1) * 640 * 2 ** 20;

const openFiles = 4096;

/** The command line that goes before the program and its arguments. */
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
