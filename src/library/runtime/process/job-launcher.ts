// Starts job processes for an engine, confined as this system allows.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileCacheFolder } from './compile-cache.ts';
import { chooseConfinement } from '../confine/choose.ts';
import { linkCompiled, openCompiled } from '../confine/compiled-for-users.ts';
import { type Confinement, launcher } from '../confine/confinement.ts';
import { jobEnvironment } from '../confine/environment.ts';
import type { JobGroups } from '../confine/job-groups.ts';
import { jobUserRange, takeUser } from '../confine/job-users.ts';
import { neededPaths, readablePaths } from '../confine/readable.ts';
import type { LinkKind } from '../files/named-inputs.ts';
import { besideProgram, type NodeProgram } from './node-program.ts';
import { inheritedByUsers, type JobProcess, spawnJobProcess } from './spawn.ts';
import { giveWorkFolder, inPartOf, removeWorkFolder } from '../files/work-folder.ts';

export interface LauncherOptions {
  readonly modelsDir: string | undefined;
  readonly maxJobMemoryBytes: number;
  /** Most threads that a run may keep busy. */
  readonly cores: number;
  /** The Node that job processes run on. */
  readonly node: NodeProgram;
  readonly niceness: number;
  readonly confinement: Confinement;
  /** Control groups for job processes; null: none. */
  readonly groups: JobGroups | null;
  /** Modules that a process loads while it waits for its first run. */
  readonly preloadUrls: readonly string[];
  /** The modules of every tool: a process must be able to read them. */
  readonly runModuleUrls: readonly string[];
}

export class JobLauncher {
  /** Is a process confined to one folder and the files it was started with? */
  readonly isConfined: boolean;
  private readonly options: LauncherOptions;
  private readonly cache = compileCacheFolder();
  /** Readable by every job process, besides system libraries and models. */
  private readonly codePaths: readonly string[];
  private readonly method: Promise<Confinement>;

  constructor(options: LauncherOptions) {
    this.options = options;
    this.isConfined = options.confinement !== 'off' && launcher() !== null;
    this.codePaths = [
      ...besideProgram(options.node),
      ...new Set(options.runModuleUrls.map((url) => dirname(fileURLToPath(url)))),
    ];
    const needed = [...neededPaths(options.modelsDir, options.node.path), ...this.codePaths];
    this.method = chooseConfinement(options.confinement, needed);
    // Every run awaits it and reports the failure.
    this.method.catch(() => undefined);
  }

  /** The environment that a process started now would get, as one comparable text. */
  environment(): string {
    return JSON.stringify(this.options.confinement === 'off' ? process.env : jobEnvironment());
  }

  /** How inputs are linked for a process that can read nothing but its own folder. */
  async linkIntoFolder(): Promise<LinkKind> {
    if ((await this.method) === 'uid') return 'for-all';
    return this.isConfined ? 'hard' : 'symbolic';
  }

  /** How inputs are linked for a process that is started with their paths among those it may read. */
  async linkReadable(): Promise<'symbolic' | 'for-all'> {
    return (await this.method) === 'uid' ? 'for-all' : 'symbolic';
  }

  /**
   * Starts a process that may write to `folder` only, and read `inputs` besides. Removes the folder when that fails.
   * @param preload load the tools' common modules while it waits?
   */
  async start(folder: string, inputs: readonly string[], preload: boolean): Promise<JobProcess> {
    try {
      return await this.spawn(folder, inputs, preload);
    } catch (thrown) {
      await removeWorkFolder(folder);
      throw thrown;
    }
  }

  private async spawn(folder: string, inputs: readonly string[], preload: boolean): Promise<JobProcess> {
    const { modelsDir, node, niceness, groups, maxJobMemoryBytes, cores } = this.options;
    const cache = this.cache;
    const confinement = await this.method;
    const user = confinement === 'uid' ? takeUser(jobUserRange()) : null;
    const compiled = user === null || cache === null ? null : openCompiled(cache);
    if (user !== null)
      try {
        await giveWorkFolder(folder, user.id);
        if (compiled !== null) await linkCompiled(inPartOf(folder), compiled, user.id, inheritedByUsers.compiled);
      } catch (thrown) {
        user.release();
        throw thrown;
      }
    const started = spawnJobProcess({
      node,
      preloadUrls: preload ? this.options.preloadUrls : [],
      niceness,
      confinement,
      groups,
      bounds: this.isConfined
        ? {
            folder,
            readable: [...readablePaths(modelsDir), ...this.codePaths, ...(cache === null ? [] : [cache]), ...inputs],
            memoryBytes: maxJobMemoryBytes,
            threads: cores,
            reservesMore: besideProgram(node).length > 0,
            ...(user === null ? {} : { user: user.id }),
            ...(compiled === null ? {} : { compiled }),
          }
        : null,
    });
    if (user !== null) void started.exit.then(user.release);
    return started;
  }
}
