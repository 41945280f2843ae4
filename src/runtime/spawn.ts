import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { compileCacheFolder } from './compile-cache.ts';
import type { Duplex } from 'node:stream';
import { type Confinement, type JobBounds, launcher, launcherArguments } from './confine/confinement.ts';
import { jobEnvironment } from './confine/environment.ts';
import { openLineChannel } from './line-channel.ts';
import { longestLineBytes, readMessage } from './messages.ts';
import { workPartOf } from './work-folder.ts';
import { killTree } from './process-tree.ts';
import { channelFd, type FromJob, memoryReportFd, type ToJob } from './protocol.ts';
import { moduleUrl } from '../core/running-files.ts';
import { createThrottle } from './throttle.ts';

/** How much of a job process's output is kept to explain a crash. */
const tailCharacters = 4096;
/** In a tenth of a second; more waits in the process. */
const mostPrintedPerWindow = 256 * 2 ** 10;

/** A forked job process, running or waiting for its one job. */
export interface JobProcess {
  readonly child: ChildProcess;
  readonly pid: number | undefined;
  /** Has it ended, or did it never start? */
  readonly ended: boolean;
  /** The last 4096 characters it wrote to stderr. */
  stderrTail(): string;
  /** Resident bytes by its own report; null until one came. Only where there is no /proc. */
  reportedBytes(): number | null;
  send(message: ToJob): void;
  /** From now on, until the next call: who hears its messages. A word about what was no message ends the listening. */
  listen(listener: ((message: FromJob | { readonly type: 'garbage'; readonly why: string }) => void) | null): void;
  /** Takes it down with everything it started, without asking. */
  kill(): void;
  /** Resolves when it has ended, with what ended it. */
  readonly exit: Promise<JobExit>;
}

export interface JobExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it could not even start. */
  readonly cause?: Error;
}

/**
 * What glibc's allocator is told in a job process; others ignore it. Left alone it has up to eight heaps per core, and
 * keeps what is freed between two blocks in use: 10 MB in any job, 40 MB once encoders of pictures have come and gone.
 */
export const allocatorEnvironment = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '4194304',
  MALLOC_TRIM_THRESHOLD_: '33554432',
} as const;

/** How a job process is started. */
export interface JobSetting {
  /** Modules that it loads before its job comes; default: none. */
  readonly preloadUrls?: readonly string[];
  /** 0 to 19: how much it stands back where cores are short; default 0. */
  readonly niceness?: number;
  /** What it may reach; null: as much as its host. */
  readonly bounds: JobBounds | null;
  /** Default best; without bounds there is none. */
  readonly confinement?: Confinement;
}

/**
 * Starts a job process that waits for its job.
 * It holds nothing of the host's: no secrets of its environment, no flags of its node (an --inspect would fight for the
 * port), no terminal, no descriptors but its channels.
 * An idle one does not keep the host alive; `hold` it while it works.
 */
export function spawnJobProcess(setting: JobSetting): JobProcess {
  const { preloadUrls = [], niceness = 0, bounds, confinement = 'best' } = setting;
  const command = [
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    fileURLToPath(moduleUrl('runtime/job-process')),
  ];
  const cache = compileCacheFolder();
  const bars = confinement === 'off' || bounds === null ? null : launcher();
  if (bars !== null && bounds !== null && confinement !== 'off')
    command.unshift(bars, ...launcherArguments(confinement, bounds, memoryReportFd + 1));
  const [program = '', ...commandArguments] = command;
  const child: ChildProcess = spawn(program, commandArguments, {
    env: {
      ...allocatorEnvironment,
      ...(confinement === 'off' ? process.env : jobEnvironment()),
      ...(cache === null ? {} : { NODE_COMPILE_CACHE: cache }),
      ...(bars === null || bounds === null ? {} : { TMPDIR: workPartOf(bounds.folder) }),
      ORT_DISABLE_TELEMETRY: '1',
    },
    // A session of its own, see standBack.
    detached: niceness > 0,
    // What libraries print in a job is nobody's output, and the end of what they complain of is for whoever looks.
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  // At once: threads that it starts later inherit it.
  if (niceness > 0 && child.pid !== undefined) standBack(child.pid, niceness);
  let tail = '';
  let reported: number | null = null;
  const { stderr } = child;
  if (stderr !== null) {
    const spend = createThrottle(stderr, mostPrintedPerWindow);
    stderr.setEncoding('utf8').on('data', (text: string) => {
      tail = (tail + text).slice(-tailCharacters);
      spend(text.length);
    });
  }
  const reports = child.stdio[memoryReportFd];
  if (reports && 'setEncoding' in reports) {
    const spend = createThrottle(reports, mostPrintedPerWindow);
    reports.setEncoding('utf8').on('data', (text: string) => {
      reported = Number(text.slice(-100).trimEnd().split('\n').at(-1)) || reported;
      spend(text.length);
    });
  }
  for (const stream of child.stdio) stream?.on('error', () => undefined);
  let listener: Parameters<JobProcess['listen']>[0] = null;
  const channel = openLineChannel(child.stdio[channelFd] as Duplex, longestLineBytes, {
    onMessage(value, bytes) {
      listener?.(readMessage(value, bytes) ?? { type: 'garbage', why: 'a message of no known form' });
    },
    onGarbage: (why) => listener?.({ type: 'garbage', why }),
  });

  let ended = false;
  const exit = new Promise<JobExit>((resolve) => {
    child.once('error', (cause) => {
      // 'error' also reports a message that could not be sent; only a process without pid never started.
      if (child.pid !== undefined) return;
      ended = true;
      resolve({ exitCode: null, signal: null, cause });
    });
    child.once('exit', (exitCode, signal) => {
      ended = true;
      // Messages and stderr may still be in the pipes; a grandchild may keep those open for ever.
      const answer = (): void => {
        clearTimeout(grace);
        resolve({ exitCode, signal });
      };
      const grace = setTimeout(answer, 150);
      child.once('close', answer);
    });
  });
  child.on('error', () => undefined);

  const job: JobProcess = {
    child,
    pid: child.pid,
    get ended() {
      return ended;
    },
    stderrTail: () => tail,
    reportedBytes: () => reported,
    send(message) {
      // A failure to send means that the process is going; `exit` tells.
      channel.send(message);
    },
    listen(next) {
      listener = next;
    },
    kill() {
      if (child.pid !== undefined && !ended) killTree(child.pid);
    },
    exit,
  };
  if (preloadUrls.length > 0) job.send({ type: 'preload', moduleUrls: preloadUrls });
  return job;
}

/** Linux takes one such wish of an ordinary user in a tenth of a second. */
const autogroupRetryMs = 150;

/**
 * Linux shares the cores among sessions first where its autogroups are on (as on Debian and Ubuntu), and by niceness
 * only within one: so the process has a session of its own, and that stands back, too.
 */
function standBack(pid: number, niceness: number, tries = 5): void {
  try {
    setPriority(pid, niceness);
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch (error) {
    // Otherwise it has ended already, or the system knows no autogroups or does not allow it: then it runs as
    // everything else does.
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN' && tries > 1)
      setTimeout(() => standBack(pid, niceness, tries - 1), autogroupRetryMs).unref();
  }
}

/** Does a job process keep the host's event loop alive? Yes while it works, no while it waits. */
export function hold(job: JobProcess, held: boolean): void {
  const method = held ? 'ref' : 'unref';
  job.child[method]();
  // Pipes of a child are sockets, though typed as plain streams.
  for (const stream of job.child.stdio) (stream as { ref?(): void; unref?(): void } | null | undefined)?.[method]?.();
}
