// Where runs happen: a process each, bound to a folder each, started for the run or kept ready.
import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FilesByField } from '../contract/tool-inputs.ts';
import { compileCacheFolder } from './compile-cache.ts';
import { linkCompiled, linkFolder, openCompiled } from './confine/compiled-for-users.ts';
import { type Confinement, launcher } from './confine/confinement.ts';
import { jobUserRange, takeUser } from './confine/job-users.ts';
import type { JobGroups } from './confine/job-groups.ts';
import { chooseConfinement } from './confine/choose.ts';
import { jobEnvironment } from './confine/environment.ts';
import { neededPaths, readablePaths } from './confine/readable.ts';
import type { ResolvedInput } from './inputs.ts';
import { createKeptProcesses } from './kept-processes.ts';
import { type LinkKind, linkInputs } from './named-inputs.ts';
import { besideProgram, type NodeProgram } from './node-program.ts';
import { inheritedByUsers, type JobProcess, spawnJobProcess } from './spawn.ts';
import {
  giveWorkFolder,
  inPartOf,
  makeWorkFolder,
  removeStaleWorkFolders,
  removeWorkFolder,
  workPartOf,
} from './work-folder.ts';

/** What a run gets. */
export interface Place {
  readonly process: JobProcess;
  /** The run's own. */
  readonly folder: string;
  /** Paths that the process can read. */
  readonly inputs: FilesByField<string>;
  /** May the process do another run after this one? */
  readonly mayStay: boolean;
  /**
   * Gives the place back.
   * @param well did the run end well, with its outputs where they belong? Otherwise the process ends, too
   */
  finish(well: boolean): Promise<void>;
}

/** Who asks for a place. */
export interface PlaceTaker {
  /** Runs of one owner may share processes; null: the process is for this run alone. */
  readonly owner: string | null;
  readonly toolId: string;
}

export interface PlaceOptions {
  /** Work folders of runs without a destination, and of processes that wait. */
  readonly tempDir: string;
  readonly modelsDir: string | undefined;
  readonly maxJobMemoryBytes: number;
  /** Threads that a run may keep busy at most. */
  readonly cores: number;
  /** Is a process kept ready? */
  readonly prefork: boolean;
  /** How many runs of one owner a process does; 1: one. */
  readonly runsPerProcess: number;
  /** How many that have done runs wait for more. */
  readonly concurrency: number;
  /** What processes run on. */
  readonly node: NodeProgram;
  readonly niceness: number;
  readonly confinement: Confinement;
  /** Control groups for processes; null: none. */
  readonly groups: JobGroups | null;
  /** Loaded ahead by a process that waits. */
  readonly preloadUrls: readonly string[];
  /** Of every tool: what a process must be able to load. */
  readonly runModuleUrls: readonly string[];
}

export interface Places {
  /**
   * @param parent the folder, which exists, in which the run's own folder lies: on the file system of its outputs, so
   *   that publishing is a rename
   * @throws EarshotError when no folder can be made in `parent`
   */
  take(parent: string, inputs: FilesByField<ResolvedInput>, taker: PlaceTaker): Promise<Place>;
  /** A run has ended: now there are cores to prepare a process. */
  refill(): void;
  close(): Promise<void>;
}

/** How long a run has the cores to itself before the next process is prepared. */
const refillDelayMilliseconds = 500;

interface Spare {
  readonly process: JobProcess;
  readonly folder: string;
}

const onSameDisk = async (one: string, other: string): Promise<boolean> =>
  (await stat(one)).dev === (await stat(other)).dev;

/** What lies in it goes; it stays, since a confined process is bound to it. */
async function emptyFolder(path: string, except?: string): Promise<void> {
  const names = await readdir(path);
  await Promise.all(
    names
      .filter((name) => name !== except)
      .map((name) => rm(join(path, name), { recursive: true, force: true, maxRetries: 3 })),
  );
}

export function createPlaces(options: PlaceOptions): Places {
  const { tempDir, niceness, confinement, preloadUrls, maxJobMemoryBytes } = options;
  const kept = createKeptProcesses({
    mostRuns: options.runsPerProcess,
    mostKept: options.concurrency,
    mostBytes: maxJobMemoryBytes / 2,
  });
  const isConfined = confinement !== 'off' && launcher() !== null;
  const cache = compileCacheFolder();
  const compiled = cache === null ? [] : [cache];
  const codeFolders = [...new Set(options.runModuleUrls.map((url) => dirname(fileURLToPath(url))))];
  let spare: Promise<Spare | null> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const besideNode = besideProgram(options.node);
  const needed = [...neededPaths(options.modelsDir, options.node.path), ...besideNode, ...codeFolders];
  const way = chooseConfinement(confinement, needed);
  // Whoever runs something is told.
  way.catch(() => undefined);
  /** How inputs get into the folder of a process that has no other path to them, and of one that may read them all. */
  const kinds = async (): Promise<{ readonly bound: LinkKind; readonly free: 'symbolic' | 'for-all' }> =>
    (await way) === 'uid'
      ? { bound: 'for-all', free: 'for-all' }
      : { bound: isConfined ? 'hard' : 'symbolic', free: 'symbolic' };

  const start = (...how: Parameters<typeof startBound>): Promise<JobProcess> =>
    startBound(...how).catch(async (thrown: unknown) => {
      await removeWorkFolder(how[0]);
      throw thrown;
    });

  async function startBound(folder: string, isSpare: boolean, inputs: readonly string[]): Promise<JobProcess> {
    const confinedBy = await way;
    const user = confinedBy === 'uid' ? takeUser(jobUserRange()) : null;
    const known = user === null || cache === null ? null : openCompiled(cache);
    if (user !== null)
      try {
        await giveWorkFolder(folder, user.id);
        if (known !== null) await linkCompiled(inPartOf(folder), known, user.id, inheritedByUsers.compiled);
      } catch (thrown) {
        user.release();
        throw thrown;
      }
    const started = spawnJobProcess({
      node: options.node,
      preloadUrls: isSpare ? preloadUrls : [],
      niceness,
      confinement: confinedBy,
      groups: options.groups,
      bounds: isConfined
        ? {
            folder,
            readable: [...readablePaths(options.modelsDir), ...besideNode, ...compiled, ...codeFolders, ...inputs],
            memoryBytes: maxJobMemoryBytes,
            threads: options.cores,
            ...(user === null ? {} : { user: user.id }),
            ...(known === null ? {} : { compiled: known }),
          }
        : null,
    });
    if (user !== null) void started.exit.then(user.release);
    return started;
  }

  async function makeSpare(): Promise<Spare | null> {
    try {
      const folder = await makeWorkFolder(tempDir);
      const made = { process: await start(folder, true, []), folder };
      made.process.setHeld(false);
      return made;
    } catch {
      // The run that comes says what is wrong with the folder.
      return null;
    }
  }
  const refill = (): void => {
    clearTimeout(timer);
    if (!options.prefork || isClosed) return;
    const before = spare;
    spare = (async () => {
      const waiting = await before;
      if (waiting && !waiting.process.ended) return waiting;
      if (waiting) await kept.drop(waiting);
      return isClosed ? null : makeSpare();
    })();
  };

  /** What becomes of process and folder after a run. */
  const placed = (
    { process, folder, inputs }: Spare & Pick<Place, 'inputs'>,
    { owner, toolId }: PlaceTaker,
    mayStay: boolean,
    runsBefore = 0,
  ): Place => ({
    process,
    folder,
    inputs,
    mayStay,
    async finish(well) {
      if (!well || !mayStay || owner === null) return kept.drop({ process, folder });
      try {
        if (isConfined) await Promise.all([emptyFolder(inPartOf(folder), linkFolder), emptyFolder(workPartOf(folder))]);
        else await removeWorkFolder(folder);
      } catch {
        return kept.drop({ process, folder });
      }
      kept.keep({
        process,
        folder: isConfined ? folder : null,
        owner,
        setting: setting(),
        runs: runsBefore + 1,
        toolId,
      });
    },
  });
  const setting = (): string => JSON.stringify(confinement === 'off' ? process.env : jobEnvironment());
  const maySharedBy = ({ owner }: PlaceTaker): boolean => owner !== null && options.runsPerProcess > 1;

  /** A process that has done runs of the same owner, if it can read the inputs and write where the outputs will be. */
  async function takeKept(
    parent: string,
    inputs: FilesByField<ResolvedInput>,
    taker: PlaceTaker,
  ): Promise<Place | null> {
    if (taker.owner === null || !maySharedBy(taker)) return null;
    const one = kept.take(taker.owner, setting(), taker.toolId);
    if (one === null) return null;
    one.process.setHeld(true);
    try {
      if (one.folder === null) {
        const folder = await makeWorkFolder(parent);
        return placed(
          { process: one.process, folder, inputs: await linkInputs(folder, inputs, 'symbolic') },
          taker,
          true,
          one.runs,
        );
      }
      const linked = (await onSameDisk(tempDir, parent))
        ? await linkInputs(one.folder, inputs, (await kinds()).bound)
        : null;
      if (linked !== null)
        return placed({ process: one.process, folder: one.folder, inputs: linked }, taker, true, one.runs);
    } catch (thrown) {
      await kept.drop(one);
      throw thrown;
    }
    await kept.drop(one);
    return null;
  }

  /** The process that waits, if it can read the inputs and write where the outputs will be. */
  async function takeSpare(
    parent: string,
    inputs: FilesByField<ResolvedInput>,
    taker: PlaceTaker,
  ): Promise<Place | null> {
    const taken = spare;
    spare = undefined;
    const waiting = await taken;
    if (!waiting) return null;
    const { process, folder } = waiting;
    if (!process.ended) {
      const linked = (await onSameDisk(tempDir, parent))
        ? await linkInputs(folder, inputs, (await kinds()).bound)
        : null;
      if (linked !== null) return placed({ process, folder, inputs: linked }, taker, maySharedBy(taker));
      await rm(inPartOf(folder), { recursive: true, force: true });
    }
    await kept.drop(waiting);
    return null;
  }

  /** What a host left that was killed: its job cannot remove the folder itself, only all that is in it. */
  const tidied = new Set([tempDir]);
  const tidy = (parent: string): void => {
    if (tidied.has(parent)) return;
    tidied.add(parent);
    void removeStaleWorkFolders(parent);
  };

  /** Bound to a folder that is nobody's output, so that it can wait there for its next run; null where it cannot. */
  async function startToStay(
    parent: string,
    inputs: FilesByField<ResolvedInput>,
    taker: PlaceTaker,
  ): Promise<Place | null> {
    if (!isConfined || !maySharedBy(taker) || !(await onSameDisk(tempDir, parent))) return null;
    const folder = await makeWorkFolder(tempDir);
    const linked = await linkInputs(folder, inputs, (await kinds()).bound);
    if (linked !== null)
      return placed({ process: await start(folder, false, []), folder, inputs: linked }, taker, true);
    await removeWorkFolder(folder);
    return null;
  }

  async function startHere(parent: string, inputs: FilesByField<ResolvedInput>, taker: PlaceTaker): Promise<Place> {
    tidy(parent);
    const folder = await makeWorkFolder(parent);
    const linked = await linkInputs(folder, inputs, (await kinds()).free);
    const paths = Object.values(inputs).flatMap((files) => files.map(({ path }) => path));
    return placed(
      { process: await start(folder, false, paths), folder, inputs: linked },
      taker,
      !isConfined && maySharedBy(taker),
    );
  }

  refill();
  return {
    async take(parent, inputs, taker) {
      const again = await takeKept(parent, inputs, taker);
      if (again) return again;
      const place =
        (await takeSpare(parent, inputs, taker)) ??
        (await startToStay(parent, inputs, taker)) ??
        (await startHere(parent, inputs, taker));
      place.process.setHeld(true);
      // Starting the next one takes a core for a while: a short run is over by then.
      clearTimeout(timer);
      timer = setTimeout(refill, refillDelayMilliseconds).unref();
      return place;
    },
    refill,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      const waiting = await spare;
      await Promise.all([waiting ? kept.drop(waiting) : undefined, kept.close()]);
    },
  };
}
