import { writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { EarshotError } from '../../core/errors/errors.ts';
import { compileCacheFolder } from './compile-cache.ts';
import {
  type Confinement,
  inheritedPaths,
  type JobBounds,
  launcher,
  launcherArguments,
  type RunPaths,
  wantedSystemCalls,
} from '../confine/confinement.ts';
import { compiledPath } from '../confine/compiled-for-users.ts';
import type { JobGroup, JobGroups } from '../confine/job-groups.ts';
import { environmentOfOtherUser, jobEnvironment } from '../confine/environment.ts';
import { type PathNames, pathNames } from './inherited-paths.ts';
import { type LineChannel, openLineChannel } from '../channel/line-channel.ts';
import { longestLineBytes, readMessage } from '../channel/messages.ts';
import { workPartOf } from '../files/work-folder.ts';
import { killTree } from './process-tree.ts';
import { type Greeting, type NodeProgram, nodeProgram, notANode } from './node-program.ts';
import { packageHooks } from '../../core/start/plug-n-play.ts';
import { addsFilter, type FromJob, jobMark, memoryReportFd, type ToJob } from '../channel/protocol.ts';
import { moduleUrl } from '../../core/running-files.ts';
import { type ProcessEnd, type StartedProcess, startProcess } from './start-process.ts';
import { createThrottle } from '../channel/throttle.ts';

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
  /** 0 to 19, as in nice(1): how much more than this process it gives way to other programs; default 0. */
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
export const spawnJobProcess = (setting: JobSetting): JobProcess => new SpawnedJob(setting);

function startFor(setting: JobSetting, node: NodeProgram, inherited: RunPaths | null): StartedProcess {
  const { niceness = 0, bounds, confinement = 'best' } = setting;
  const inheritedEnvironment = confinement === 'off' ? process.env : jobEnvironment();
  const command = [
    node.path,
    '--disable-warning=ExperimentalWarning',
    ...packageHooks(inheritedEnvironment),
    fileURLToPath(moduleUrl('library/runtime/job/job-process')),
  ];
  const cache = compileCacheFolder();
  const bars = confinement === 'off' || bounds === null ? null : launcher();
  if (bars !== null && bounds !== null && confinement !== 'off')
    command.unshift(bars, ...launcherArguments(confinement, bounds, keptDescriptors));
  // What is let through and logged stays so.
  if (bars !== null && wantedSystemCalls() === 'refuse') command.push(addsFilter);
  return startProcess({
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
}

function readText(stream: Duplex | undefined, take: (text: string) => void): void {
  if (stream === undefined) return;
  const spend = createThrottle(stream, mostPrintedPerWindow);
  stream.setEncoding('utf8').on('data', (text: string) => {
    take(text);
    spend(text.length);
  });
}

class SpawnedJob implements JobProcess {
  readonly pid: number | undefined;
  readonly exit: Promise<ProcessEnd>;
  private readonly node: NodeProgram;
  private readonly started: StartedProcess;
  private readonly names: PathNames;
  private readonly group: JobGroup | null;
  private readonly channel: LineChannel | null;
  private listener: Parameters<JobProcess['listen']>[0] = null;
  private greeting: Greeting | null = null;
  private hasEnded = false;
  private ranOut = false;
  private tail = '';
  private reported: number | null = null;
  private isHeld = true;

  constructor(setting: JobSetting) {
    const { preloadUrls = [], niceness = 0, bounds, groups = null, node = nodeProgram() } = setting;
    const inherited = bounds?.user === undefined ? null : inheritedByUsers;
    this.node = node;
    this.names = pathNames(bounds?.folder ?? '', inherited);
    this.started = startFor(setting, node, inherited);
    const { pid, pipes } = this.started;
    this.pid = pid;
    // At once: threads that start later inherit it.
    // A service that gives way itself (systemd's Nice=) has job processes that give way more.
    if (niceness > 0 && pid !== undefined) lowerPriority(pid, Math.min(19, getPriority() + niceness));
    this.group = pid === undefined || bounds === null ? null : (groups?.add(pid, bounds.memoryBytes) ?? null);
    const [stderr, link, reports] = pipes;
    readText(stderr, (text) => (this.tail = (this.tail + text).slice(-tailCharacters)));
    readText(
      reports,
      (text) => (this.reported = Number(text.slice(-100).trimEnd().split('\n').at(-1)) || this.reported),
    );
    for (const pipe of pipes) pipe.on('error', () => undefined);
    this.channel = link === undefined ? null : this.openChannel(link);
    this.exit = this.untilEnd();
    if (preloadUrls.length > 0) this.send({ type: 'preload', moduleUrls: preloadUrls });
  }

  private openChannel(link: Duplex): LineChannel {
    return openLineChannel(link, longestLineBytes, {
      onMessage: (value, bytes) => {
        const message = readMessage(value, bytes);
        if (message?.type === 'ready') this.greeting = message;
        this.listener?.(
          message === null ? { type: 'garbage', why: 'a message in an unknown format' } : this.names.fromJob(message),
        );
      },
      onGarbage: (why) => this.listener?.({ type: 'garbage', why }),
    });
  }

  private untilEnd(): Promise<ProcessEnd> {
    const { pipes } = this.started;
    const closed = Promise.all(pipes.map((pipe) => new Promise((resolve) => pipe.once('close', resolve))));
    return new Promise<ProcessEnd>((resolve) => {
      this.started.onEnd((end) => {
        this.hasEnded = true;
        this.ranOut = this.group?.ranOut() ?? false;
        this.group?.remove();
        // Messages and stderr may still be in the pipes; a grandchild may keep those open forever.
        const answer = (): void => {
          clearTimeout(grace);
          resolve(end);
        };
        const grace = setTimeout(answer, 150);
        void closed.then(answer);
      });
    });
  }

  get ended(): boolean {
    return this.hasEnded;
  }

  stderrTail(): string {
    return this.tail;
  }

  reportedBytes(): number | null {
    return this.reported;
  }

  send(message: ToJob): void {
    // Sending fails only when the process is ending; `exit` reports that.
    this.channel?.send(this.names.toJob(message));
  }

  listen(listener: Parameters<JobProcess['listen']>[0]): void {
    this.listener = listener;
  }

  misfit(end: ProcessEnd | 'silent' | null): EarshotError | null {
    return notANode(this.node, this.greeting, end, this.tail);
  }

  ranOutOfMemory(): boolean {
    return this.ranOut;
  }

  kill(): void {
    if (this.pid !== undefined && !this.hasEnded) killTree(this.pid);
  }

  setHeld(held: boolean): void {
    // Bun counts ref and unref calls.
    if (held === this.isHeld) return;
    this.isHeld = held;
    this.started.setHeld(held);
    // Typed as Duplex, but each is a socket.
    for (const pipe of this.started.pipes as readonly (Duplex & { ref?(): void; unref?(): void })[])
      if (held) pipe.ref?.();
      else pipe.unref?.();
  }
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
