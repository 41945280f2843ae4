// Gives each run a job process and a work folder: a warm process that fits, or a new one.
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FilesByField, InputFile } from '../../contract/tool-inputs.ts';
import { linkFolder } from '../confine/compiled-for-users.ts';
import { JobLauncher, type LauncherOptions } from './job-launcher.ts';
import { linkInputs } from '../files/named-inputs.ts';
import type { JobProcess } from './spawn.ts';
import { WarmPool, type WarmProcess } from './warm-pool.ts';
import {
  inPartOf,
  makeWorkFolder,
  removeStaleWorkFolders,
  removeWorkFolder,
  workPartOf,
} from '../files/work-folder.ts';

/** What a run asks for. */
export interface LeaseRequest {
  /**
   * An existing folder in which the run's own folder is made: on the file system of its outputs, so that publishing is
   * a rename.
   */
  readonly parent: string;
  readonly inputs: FilesByField<InputFile>;
  /** Runs of one owner may share processes; null: the process is for this run alone. */
  readonly owner: string | null;
  readonly toolId: string;
}

/** A process and a folder, for one run. */
export interface Lease {
  readonly process: JobProcess;
  readonly folder: string;
  /** With paths that the process can read. */
  readonly inputs: FilesByField<InputFile>;
  /** May the process do another run after this one? */
  readonly reusable: boolean;
  /**
   * Gives process and folder back.
   * @param succeeded false: the process ends, whatever it may be good for
   */
  release(succeeded: boolean): Promise<void>;
}

export interface ProcessPoolOptions extends LauncherOptions {
  /** For work folders of runs without a destination, and of idle processes. */
  readonly tempDir: string;
  /** Keep an unused process ready? */
  readonly prefork: boolean;
  /** Most runs of one owner that a process does; 1: none is reused. */
  readonly runsPerProcess: number;
  /** Most used processes that wait for more runs. */
  readonly concurrency: number;
}

/** A run has the cores to itself for this long before the next process is started ahead. */
const prepareDelayMilliseconds = 500;

const onSameDisk = async (one: string, other: string): Promise<boolean> =>
  (await stat(one)).dev === (await stat(other)).dev;

/** Keeps the folder itself: a confined process is bound to it. */
async function emptyFolder(path: string, except?: string): Promise<void> {
  const names = await readdir(path);
  await Promise.all(
    names
      .filter((name) => name !== except)
      .map((name) => rm(join(path, name), { recursive: true, force: true, maxRetries: 3 })),
  );
}

export class ProcessPool {
  private readonly options: ProcessPoolOptions;
  private readonly launcher: JobLauncher;
  private readonly warm: WarmPool;
  /** Folders whose stale work folders have been removed. */
  private readonly swept: Set<string>;
  private preparing: Promise<void> | null = null;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(options: ProcessPoolOptions) {
    this.options = options;
    this.launcher = new JobLauncher(options);
    this.warm = new WarmPool({
      maxRuns: options.runsPerProcess,
      maxIdle: options.concurrency,
      maxBytes: options.maxJobMemoryBytes / 2,
    });
    this.swept = new Set([options.tempDir]);
    this.prepare();
  }

  /** @throws EarshotError when no folder can be made in `parent` */
  async acquire(request: LeaseRequest): Promise<Lease> {
    const lease = (await this.reuse(request)) ?? (await this.startFor(request));
    lease.process.setHeld(true);
    // Starting the next one takes a core for a while: a short run is over by then.
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.prepare(), prepareDelayMilliseconds).unref();
    return lease;
  }

  /**
   * Starts an unused process ahead, if one is wanted and none waits. Called when a run has ended and cores are free.
   */
  prepare(): void {
    clearTimeout(this.timer);
    const environment = this.launcher.environment();
    if (!this.options.prefork || this.isClosed || this.preparing || this.warm.hasUnused(environment)) return;
    this.preparing = this.startUnused(environment)
      // The next run reports what is wrong with the folder.
      .catch(() => undefined)
      .finally(() => (this.preparing = null));
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.preparing;
    await this.warm.close();
  }

  private async startUnused(environment: string): Promise<void> {
    const folder = await makeWorkFolder(this.options.tempDir);
    const process = await this.launcher.start(folder, [], true);
    this.warm.keep({ process, folder, environment, served: null });
  }

  /** A warm process, if it can read the inputs and write where the outputs will be. */
  private async reuse(request: LeaseRequest): Promise<Lease | null> {
    await this.preparing;
    const { parent, inputs, owner, toolId } = request;
    const one = this.warm.take(this.isShared(request) ? owner : null, this.launcher.environment(), toolId);
    if (one === null) return null;
    one.process.setHeld(true);
    try {
      const linked = await this.linkFor(one, parent, inputs);
      if (linked !== null) return this.lease(request, { ...one, ...linked }, this.isShared(request));
    } catch (thrown) {
      await this.warm.end(one);
      throw thrown;
    }
    await this.warm.end(one);
    return null;
  }

  private async linkFor(
    { folder: own }: WarmProcess,
    parent: string,
    inputs: FilesByField<InputFile>,
  ): Promise<Pick<Lease, 'folder' | 'inputs'> | null> {
    if (own === null) {
      const folder = await makeWorkFolder(parent);
      return { folder, inputs: await linkInputs(folder, inputs, 'symbolic') };
    }
    if (!(await onSameDisk(this.options.tempDir, parent))) return null;
    const linked = await linkInputs(own, inputs, await this.launcher.linkIntoFolder());
    return linked === null ? null : { folder: own, inputs: linked };
  }

  /** A new process: where it may wait for more runs afterwards, confined to a folder that is not among its outputs. */
  private async startFor(request: LeaseRequest): Promise<Lease> {
    const { parent, inputs } = request;
    const { tempDir } = this.options;
    const environment = this.launcher.environment();
    const isShared = this.isShared(request);
    if (this.launcher.isConfined && isShared && (await onSameDisk(tempDir, parent))) {
      const folder = await makeWorkFolder(tempDir);
      const linked = await linkInputs(folder, inputs, await this.launcher.linkIntoFolder());
      if (linked !== null) {
        const process = await this.launcher.start(folder, [], false);
        return this.lease(request, { process, folder, inputs: linked, environment, served: null }, true);
      }
      await removeWorkFolder(folder);
    }
    this.sweep(parent);
    const folder = await makeWorkFolder(parent);
    const linked = await linkInputs(folder, inputs, await this.launcher.linkReadable());
    const paths = Object.values(inputs).flatMap((files) => files.map(({ path }) => path));
    const process = await this.launcher.start(folder, paths, false);
    const reusable = isShared && !this.launcher.isConfined;
    return this.lease(request, { process, folder, inputs: linked, environment, served: null }, reusable);
  }

  private isShared({ owner }: LeaseRequest): boolean {
    return owner !== null && this.options.runsPerProcess > 1;
  }

  private lease(
    { owner, toolId }: LeaseRequest,
    { process, folder, inputs, environment, served }: Omit<WarmProcess, 'folder'> & Pick<Lease, 'folder' | 'inputs'>,
    reusable: boolean,
  ): Lease {
    return {
      process,
      folder,
      inputs,
      reusable,
      release: async (succeeded) => {
        if (!succeeded || !reusable || owner === null) return this.warm.end({ process, folder });
        const { isConfined } = this.launcher;
        try {
          if (isConfined)
            await Promise.all([emptyFolder(inPartOf(folder), linkFolder), emptyFolder(workPartOf(folder))]);
          else await removeWorkFolder(folder);
        } catch {
          return this.warm.end({ process, folder });
        }
        this.warm.keep({
          process,
          folder: isConfined ? folder : null,
          environment,
          served: { owner, toolId, runs: (served?.runs ?? 0) + 1 },
        });
      },
    };
  }

  /** Removes what killed hosts left: their jobs empty their folders but cannot remove them. */
  private sweep(parent: string): void {
    if (this.swept.has(parent)) return;
    this.swept.add(parent);
    void removeStaleWorkFolders(parent);
  }
}
