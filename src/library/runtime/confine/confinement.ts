// How job processes are confined: see docs/confinement.md. The restrictions are set by native/confine, a launcher that
// then becomes Node.
import { nativeFile } from '../../core/native-files.ts';
import { moduleUrl } from '../../core/running-files.ts';
import { badValue } from '../../core/checks/schema.ts';

const choices = ['best', 'off', 'landlock', 'namespaces', 'uid'] as const;

/**
 * best: as much as the kernel offers, Landlock and namespaces together; with nothing on offer, only a trimmed
 * environment. off: an ordinary process. landlock, namespaces, uid: this method alone of closing off files, with system
 * call filters; a run fails where it is not available. uid: a user that owns nothing; for root only.
 */
export type Confinement = (typeof choices)[number];

const systemCallWays = ['refuse', 'log'] as const;

/**
 * refuse: system calls that no job needs are refused. log: they are let through and written into the kernel's log, to
 * find out which of them a tool makes.
 */
export type SystemCalls = (typeof systemCallWays)[number];

let found: { readonly path: string | null } | undefined;

/** The launcher, or null where there is none: on systems other than Linux. */
export function launcher(): string | null {
  found ??= { path: process.platform === 'linux' ? nativeFile('earshot-confine') : null };
  return found.path;
}

function wordOf<Word extends string>(name: string, words: readonly Word[], byDefault: Word): Word {
  const given = process.env[name] || byDefault;
  const known = words.find((word) => word === given);
  if (known === undefined) throw badValue(name, `one of ${words.join(', ')}`, given);
  return known;
}

/**
 * EARSHOT_CONFINEMENT, or best.
 * @throws EarshotError bad_request for another word
 */
export const wantedConfinement = (): Confinement => wordOf('EARSHOT_CONFINEMENT', choices, 'best');

/**
 * EARSHOT_SYSTEM_CALLS, or refuse.
 * @throws EarshotError bad_request for another word
 */
export const wantedSystemCalls = (): SystemCalls => wordOf('EARSHOT_SYSTEM_CALLS', systemCallWays, 'refuse');

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
  /** Does its program reserve more addresses than an ordinary Node? As Electron does. Default false. */
  readonly reservesMore?: boolean;
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

const gibibyte = 2 ** 30;
/** For each memory of WebAssembly V8 reserves some 10 GiB; a thread has one, with TypeScript's own another. */
const memoriesPerThread = moduleUrl('library/runtime/job/job-process').endsWith('.ts') ? 2 : 1;

/**
 * The outer limit of addresses (RLIMIT_AS), which no honest run reaches either: what is reserved for reading alone is
 * in no other limit, and its page tables are memory (one byte in 512 of what is touched).
 */
const addressBytes = ({ threads }: Pick<JobBounds, 'threads'>): number =>
  Math.max(64, 16 + 10 * memoriesPerThread * (threads + 1)) * gibibyte;

/**
 * Descriptors: Node needs some eight for each thread. Not more, since a user's pipes and watches (epoll) are counted
 * together: with n descriptors a process makes n/2 pipes, and n²/4 watches.
 */
const openFiles = ({ threads }: Pick<JobBounds, 'threads'>): number => 512 + 16 * (threads + 1);

/** The command line that goes before the program and its arguments. */
export function launcherArguments(
  confinement: Exclude<Confinement, 'off'>,
  bounds: JobBounds,
  keptDescriptors: number,
  calls: SystemCalls = wantedSystemCalls(),
): string[] {
  const { folder, readable, user, compiled, reservesMore = false } = bounds;
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
    ...(reservesMore ? [] : ['--address-bytes', String(addressBytes(bounds))]),
    ...(calls === 'log' ? ['--calls', 'log'] : []),
    '--open-files',
    String(openFiles(bounds)),
    '--keep',
    String(keptDescriptors),
    '--',
  ];
}
