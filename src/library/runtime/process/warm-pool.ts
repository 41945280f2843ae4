// Idle job processes: those that have done runs and may do more of the same owner, and unused ones started ahead.
// Starting a process is most of what a short run costs, and model weights stay loaded.
import { usedBytes } from './process-tree.ts';
import type { JobProcess } from './spawn.ts';
import { removeWorkFolder } from '../files/work-folder.ts';

/** What a process has done so far. */
export interface Served {
  /** It does runs of this owner only: it has seen that owner's files. */
  readonly owner: string;
  /** The tool of the last run. */
  readonly toolId: string;
  readonly runs: number;
}

export interface WarmProcess {
  readonly process: JobProcess;
  /** The work folder it is confined to; null: it is not confined. */
  readonly folder: string | null;
  /** The environment it was started with, see `JobLauncher.environment`. */
  readonly environment: string;
  /** null: unused, fit for any owner. */
  readonly served: Served | null;
}

export interface WarmPoolOptions {
  /** A process ends after this many runs. */
  readonly maxRuns: number;
  /** Most used processes that wait at a time; the one that has waited longest ends. Unused ones do not count. */
  readonly maxIdle: number;
  /** A used process that is larger than this ends. */
  readonly maxBytes: number;
}

/** How long a used process waits for its next run. */
const idleMilliseconds = 30_000;

export class WarmPool {
  private readonly options: WarmPoolOptions;
  /** Those that have waited longest come first. */
  private readonly idle = new Map<WarmProcess, NodeJS.Timeout | undefined>();
  private isClosed = false;

  constructor(options: WarmPoolOptions) {
    this.options = options;
  }

  /**
   * Takes out the process that fits best: one that has run the same tool for this owner has its models loaded, then any
   * of this owner, then an unused one. A process with another environment never fits.
   */
  take(owner: string | null, environment: string, toolId: string): WarmProcess | null {
    const usable = [...this.idle.keys()].filter((one) => !one.process.ended && one.environment === environment);
    const own = usable.filter(({ served }) => served !== null && served.owner === owner);
    const best =
      own.find(({ served }) => served?.toolId === toolId) ??
      own.at(-1) ??
      usable.find(({ served }) => served === null) ??
      null;
    if (best) this.remove(best);
    return best;
  }

  /** Is an unused process waiting? Those with another environment end. */
  hasUnused(environment: string): boolean {
    const unused = [...this.idle.keys()].filter(({ served }) => served === null);
    for (const one of unused) if (one.environment !== environment) void this.retire(one);
    return unused.some((one) => one.environment === environment && !one.process.ended);
  }

  /** Keeps a process for a later run, or ends it. */
  keep(one: WarmProcess): void {
    const { process, served } = one;
    if (
      this.isClosed ||
      process.ended ||
      (served !== null && (served.runs >= this.options.maxRuns || this.isTooLarge(process)))
    ) {
      void this.end(one);
      return;
    }
    process.setHeld(false);
    this.idle.set(one, served === null ? undefined : setTimeout(() => void this.retire(one), idleMilliseconds).unref());
    // One that dies while it waits leaves its folder.
    void process.exit.then(() => (this.idle.has(one) ? this.retire(one) : undefined));
    const used = [...this.idle.keys()].filter((each) => each.served !== null);
    if (used.length > this.options.maxIdle && used[0]) void this.retire(used[0]);
  }

  /** Ends a process that is not waiting, and removes its folder. */
  async end({ process, folder }: Pick<WarmProcess, 'process' | 'folder'>): Promise<void> {
    // Held: a host with nothing else to do would exit during this wait.
    process.setHeld(true);
    process.kill();
    await process.exit;
    if (folder !== null) await removeWorkFolder(folder).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all([...this.idle.keys()].map((one) => this.retire(one)));
  }

  private remove(one: WarmProcess): void {
    clearTimeout(this.idle.get(one));
    this.idle.delete(one);
  }

  private retire(one: WarmProcess): Promise<void> {
    this.remove(one);
    return this.end(one);
  }

  private isTooLarge(process: JobProcess): boolean {
    const { pid } = process;
    return pid !== undefined && (usedBytes(pid) ?? process.reportedBytes() ?? 0) > this.options.maxBytes;
  }
}
