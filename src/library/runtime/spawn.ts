import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { EarshotError } from '../core/errors.ts';
import { compileCacheFolder } from './compile-cache.ts';
import {
  type Confinement,
  inheritedPaths,
  type JobBounds,
  launcher,
  launcherArguments,
  type RunPaths,
} from './confine/confinement.ts';
import { compiledPath } from './confine/compiled-for-users.ts';
import type { JobGroups } from './confine/job-groups.ts';
import { environmentOfOtherUser, jobEnvironment } from './confine/environment.ts';
import { pathNames } from './inherited-paths.ts';
import { openLineChannel } from './line-channel.ts';
import { longestLineBytes, readMessage } from './messages.ts';
import { workPartOf } from './work-folder.ts';
import { killTree } from './process-tree.ts';
import { type Greeting, type NodeProgram, nodeProgram, notANode } from './node-program.ts';
import { packageHooks } from '../core/plug-n-play.ts';
import { type FromJob, jobMark, memoryReportFd, type ToJob } from './protocol.ts';
import { moduleUrl } from '../core/running-files.ts';
import { type ProcessEnd, startProcess } from './start-process.ts';
import { createThrottle } from './throttle.ts';

/** How much of a job process's stderr is kept to explain a crash. */
const tailCharacters = 4096;
/** Output read in a tenth of a second; more waits in the process. */
const mostPrintedPerWindow = 256 * 2 ** 10;

/** A job process, running or waiting for a job. */
export interface JobProcess {
  readonly pid: number | undefined;
  /** Has it ended, or failed to start? */
  readonly ended: boolean;
  /** The last 4096 characters it wrote to stderr. */
  stderrTail(): string;
  /** Resident bytes by its own report; null until one came. Only without /proc. */
  reportedBytes(): number | null;
  send(message: ToJob): void;
  /** Sets the listener for its messages. An invalid message is reported once, as garbage; later ones are ignored. */
  listen(listener: ((message: FromJob | { readonly type: 'garbage'; readonly why: string }) => void) | null): void;
  /** Why the program is not a Node, as far as is known: see `notANode`. */
  misfit(end: ProcessEnd | 'silent' | null): EarshotError | null;
  /** Has the kernel killed it for its memory, in its own control group? */
  ranOutOfMemory(): boolean;
  /** Kills it and everything it started. */
  kill(): void;
  /** Resolves when it has ended, with the cause. */
  readonly exit: Promise<ProcessEnd>;
  /** Does it keep the host's event loop alive? true while it works, false while it waits. */
  setHeld(held: boolean): void;
}

/**
 * Settings for glibc's allocator in a job process; other allocators ignore them. By default it has up to eight heaps
 * per core, and keeps memory that is freed between two blocks in use: 10 MB in any job, 40 MB after picture encoders,
 * and 35 MB in each thread that runs Whisper's encoder, whose layers pass on 3 MB.
 */
export const allocatorEnvironment = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '1048576',
  MALLOC_TRIM_THRESHOLD_: '33554432',
} as const;

const keptDescriptors = memoryReportFd + 1;

/** Descriptors that a process with a user of its own inherits besides its channels. */
export const inheritedByUsers: RunPaths = inheritedPaths(keptDescriptors);

/** The cache belongs to its host alone; another user gets a link to its contents. */
function compileCache(
  cache: string | null,
  bounds: JobBounds | null,
  inherited: RunPaths | null,
): { NODE_COMPILE_CACHE?: string } {
  if (inherited === null) return cache === null ? {} : { NODE_COMPILE_CACHE: cache };
  return bounds?.compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiledPath(inherited.in) };
}

/** How a job process is started. */
export interface JobSetting {
  /** The program it runs on; default: see `nodeProgram`. */
  readonly node?: NodeProgram;
  /** Modules that it loads before its job arrives; default: none. */
  readonly preloadUrls?: readonly string[];
  /** 0 to 19, as in nice(1): how far it gives way to other programs; default 0. */
  readonly niceness?: number;
  /** What it may access; null: as much as its host. */
  readonly bounds: JobBounds | null;
  /** Where it gets its own control group; default: none. */
  readonly groups?: JobGroups | null;
  /** Default best; without bounds there is none. */
  readonly confinement?: Confinement;
}

/**
 * Starts a job process that waits for its job. It inherits nothing from the host: no secrets of its environment, no
 * flags of its node (an --inspect would compete for the port), no terminal, no descriptors but its channels. While idle
 * it does not keep the host alive, see `setHeld`.
 */
export function spawnJobProcess(setting: JobSetting): JobProcess {
  const { preloadUrls = [], niceness = 0, bounds, confinement = 'best', groups = null } = setting;
  const { node = nodeProgram() } = setting;
  const inheritedEnvironment = confinement === 'off' ? process.env : jobEnvironment();
  const command = [
    node.path,
    '--disable-warning=ExperimentalWarning',
    ...packageHooks(inheritedEnvironment),
    fileURLToPath(moduleUrl('library/runtime/job-process')),
  ];
  const cache = compileCacheFolder();
  const bars = confinement === 'off' || bounds === null ? null : launcher();
  if (bars !== null && bounds !== null && confinement !== 'off')
    command.unshift(bars, ...launcherArguments(confinement, bounds, keptDescriptors));
  const inherited = bounds?.user === undefined ? null : inheritedByUsers;
  const names = pathNames(bounds?.folder ?? '', inherited);
  const started = startProcess({
    command,
    environment: {
      ...allocatorEnvironment,
      ...inheritedEnvironment,
      ...(inherited === null ? {} : environmentOfOtherUser(inherited.run)),
      ...compileCache(cache, bounds, inherited),
      ...(bars === null || bounds === null ? {} : { TMPDIR: inherited?.run ?? workPartOf(bounds.folder) }),
      ORT_DISABLE_TELEMETRY: '1',
      ...jobMark,
      ...node.environment,
    },
    // stdout of libraries in a job is discarded; the end of stderr is kept for crash reports.
    pipes: memoryReportFd - 1,
    session: niceness > 0,
  });
  const { pid, pipes } = started;
  // At once: threads that start later inherit it.
  if (niceness > 0 && pid !== undefined) lowerPriority(pid, niceness);
  const group = pid === undefined || bounds === null ? null : (groups?.add(pid, bounds.memoryBytes) ?? null);
  let ranOut = false;
  let tail = '';
  let reported: number | null = null;
  const read = (stream: Duplex | undefined, take: (text: string) => void): void => {
    if (stream === undefined) return;
    const spend = createThrottle(stream, mostPrintedPerWindow);
    stream.setEncoding('utf8').on('data', (text: string) => {
      take(text);
      spend(text.length);
    });
  };
  const [stderr, link, reports] = pipes;
  read(stderr, (text) => (tail = (tail + text).slice(-tailCharacters)));
  read(reports, (text) => (reported = Number(text.slice(-100).trimEnd().split('\n').at(-1)) || reported));
  for (const pipe of pipes) pipe.on('error', () => undefined);
  let listener: Parameters<JobProcess['listen']>[0] = null;
  let heard: Greeting | null = null;
  let isHeld = true;
  const channel =
    link === undefined
      ? null
      : openLineChannel(link, longestLineBytes, {
          onMessage(value, bytes) {
            const message = readMessage(value, bytes);
            if (message?.type === 'ready') heard = message;
            listener?.(
              message === null ? { type: 'garbage', why: 'a message in an unknown format' } : names.fromJob(message),
            );
          },
          onGarbage: (why) => listener?.({ type: 'garbage', why }),
        });

  let ended = false;
  const closed = Promise.all(pipes.map((pipe) => new Promise((resolve) => pipe.once('close', resolve))));
  const exit = new Promise<ProcessEnd>((resolve) => {
    started.onEnd((end) => {
      ended = true;
      ranOut = group?.ranOut() ?? false;
      group?.remove();
      // Messages and stderr may still be in the pipes; a grandchild may keep those open forever.
      const answer = (): void => {
        clearTimeout(grace);
        resolve(end);
      };
      const grace = setTimeout(answer, 150);
      void closed.then(answer);
    });
  });

  const job: JobProcess = {
    pid,
    get ended() {
      return ended;
    },
    stderrTail: () => tail,
    reportedBytes: () => reported,
    send(message) {
      // Sending fails only when the process is ending; `exit` reports that.
      channel?.send(names.toJob(message));
    },
    listen(next) {
      listener = next;
    },
    misfit: (how) => notANode(node, heard, how, tail),
    ranOutOfMemory: () => ranOut,
    kill() {
      if (pid !== undefined && !ended) killTree(pid);
    },
    exit,
    setHeld(held) {
      // Bun counts ref and unref calls.
      if (held === isHeld) return;
      isHeld = held;
      started.setHeld(held);
      // Typed as Duplex, but each is a socket.
      for (const pipe of pipes as readonly (Duplex & { ref?(): void; unref?(): void })[])
        if (held) pipe.ref?.();
        else pipe.unref?.();
    },
  };
  if (preloadUrls.length > 0) job.send({ type: 'preload', moduleUrls: preloadUrls });
  return job;
}

/** Linux accepts one such change by an ordinary user in a tenth of a second. */
const autogroupRetryMs = 150;

/**
 * With autogroups (as on Debian and Ubuntu) Linux shares the cores among sessions first, and by niceness only within
 * one.
 * So the process gets its own session, and the session gets the niceness, too.
 */
function lowerPriority(pid: number, niceness: number, tries = 5): void {
  try {
    setPriority(pid, niceness);
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch (error) {
    // Other errors: the process has ended, or the system has no autogroups or forbids the change. The process then runs
    // at normal priority.
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN' && tries > 1)
      setTimeout(() => lowerPriority(pid, niceness, tries - 1), autogroupRetryMs).unref();
  }
}
