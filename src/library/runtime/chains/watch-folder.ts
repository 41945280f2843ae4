// Takes recordings that fall into a folder, runs a chain over each, and puts what it makes into another.
// A recording is claimed by a rename, and its results are committed by one. After a kill, committed results are put in
// place, and other recordings are done again. So each is done once, also with several watchers.
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, realpath, stat, writeFile } from 'node:fs/promises';
import { basename, extname, join, resolve, sep } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isAbortError } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { machineLacks } from '../../core/errors/machine-lacks.ts';
import { pathError } from '../../core/errors/file-errors.ts';
import { removeFolder } from '../../core/files/remove-folder.ts';
import { renameFile } from '../../core/files/rename-file.ts';
import { ownerOf, ownerPrefix } from '../../core/machine/owner-names.ts';
import type { Progress, Warning } from '../../core/progress/progress.ts';
import type { Engine } from '../engine/engine-types.ts';
import { move } from '../files/work-folder.ts';
import type { Chain } from './chain.ts';
import { runChain } from './run-chain.ts';

/** What happens to a recording. */
export type WatchEvent = {
  /** The recording: a file or a folder in the inbox. */
  readonly name: string;
} & (
  | {
      /** It has been claimed. */
      readonly type: 'begun';
    }
  | {
      readonly type: 'progress';
      /** Of its chain. */
      readonly progress: Progress;
    }
  | {
      readonly type: 'warning';
      /** Of its chain. */
      readonly warning: Warning;
    }
  | {
      /** Its results are in place. */
      readonly type: 'done';
      /** Paths of its results. */
      readonly outputs: readonly string[];
    }
  | {
      /** It lies in `failed` with the reason beside it. */
      readonly type: 'failed';
      /** What ended its chain, with a code of the catalogue and the next step. */
      readonly error: EarshotError;
    }
);

/** Where recordings come from, what is done with them, and where results go. */
export interface WatchOptions {
  /** Folder that recordings fall into; a folder in it with several files is one of several tracks. */
  readonly inbox: string;
  /** Folder for results; made where it is missing. */
  readonly finished: string;
  /** The chain for so many files, 1 or more. */
  chainFor(files: number): Chain;
  /** Extension of resulting sound, as in `ChainOptions`. Default: as the first file. */
  readonly format?: string;
  /** A recording is taken when it has not changed for so many seconds, 0 or more. Default: 5. */
  readonly settleSeconds?: number;
  /** Ends when everything that is there now has been done. Default: false. */
  readonly once?: boolean;
  /** Ends the watching; the recording at work goes back into the inbox. Default: nothing does. */
  readonly signal?: AbortSignal;
  /** Told what happens. Default: nothing is. */
  onEvent?(event: WatchEvent): void;
}

/** How many recordings were done, and how many set aside. */
export interface WatchCounts {
  /** Count of those with results in `finished`. */
  readonly done: number;
  /** Count of those that lie in `failed` with their reasons. */
  readonly failed: number;
}

/** Of folders of claimed recordings. */
const kind = '.earshot-claim';
const places = { done: 'done', failed: 'failed' } as const;
/** What programs call files that they have not finished. */
const unfinished = /\.(?:part|partial|tmp|crdownload|download|!ut)$/i;
const longestWaitSeconds = 2;

/** A recording that this process works on. */
interface Claim {
  /** In the inbox; named after this process. */
  readonly folder: string;
  /** Of the recording, a file or a folder. */
  readonly name: string;
  /** Results are made here... */
  readonly making: string;
  /** ...which is renamed to this when they are whole. */
  readonly committed: string;
}

/**
 * Watches a folder: takes what has stopped growing, runs the chain, puts results into `finished` and the recording into
 * `done` in the inbox, or into `failed` with the reason in a text file beside it. What a killed watcher had begun is
 * taken over.
 * @param engine which runs the chains
 * @throws EarshotError bad_request, not_found for folders that cannot be used; what the machine lacks (a model, room on
 *   the disk), which ends it with the recording back in the inbox; AbortError
 */
export async function watchFolder(engine: Engine, options: WatchOptions): Promise<WatchCounts> {
  return new Watcher(engine, options).watch();
}

class Watcher {
  private readonly engine: Engine;
  private readonly options: WatchOptions;
  private readonly inbox: string;
  private readonly finished: string;
  private readonly settleMs: number;
  private readonly signal: AbortSignal;
  /** Of each recording: how it looked, and since when. */
  private readonly seen = new Map<string, { readonly look: string; readonly since: number }>();
  private done = 0;
  private failed = 0;

  constructor(engine: Engine, options: WatchOptions) {
    this.engine = engine;
    this.options = options;
    this.inbox = resolve(options.inbox);
    this.finished = resolve(options.finished);
    this.settleMs = (options.settleSeconds ?? 5) * 1000;
    this.signal = options.signal ?? new AbortController().signal;
  }

  async watch(): Promise<WatchCounts> {
    await readdir(this.inbox).catch((thrown: unknown) => {
      throw pathError(thrown, this.inbox, 'input');
    });
    for (const folder of [this.finished, join(this.inbox, places.done), join(this.inbox, places.failed)])
      await mkdir(folder, { recursive: true }).catch((thrown: unknown) => {
        throw pathError(thrown, folder, 'output');
      });
    const [inbox, finished] = await Promise.all([realpath(this.inbox), realpath(this.finished)]);
    // Results would be taken for recordings.
    if (finished === inbox || finished.startsWith(inbox + sep))
      throw new EarshotError(
        'bad_request',
        `Expected a folder for results outside of the inbox but received ${finished}`,
        {
          details: { field: 'finished', expected: 'a folder outside of the inbox', received: finished },
        },
      );
    for (;;) {
      this.signal.throwIfAborted();
      await this.takeOver();
      const { ready, waiting } = await this.look();
      for (const name of ready) {
        const claim = await this.claim(name);
        if (claim !== null) await this.work(claim);
      }
      if (ready.length > 0) continue;
      if (this.options.once === true && waiting === 0) return { done: this.done, failed: this.failed };
      const seconds = Math.min(longestWaitSeconds, Math.max(0.05, this.settleMs / 2000));
      await wait(1000 * seconds, undefined, { signal: this.signal });
    }
  }

  /** Recordings that have not changed for long enough, and how many are still changing. */
  private async look(): Promise<{ ready: string[]; waiting: number }> {
    const ready: string[] = [];
    let waiting = 0;
    const names = await readdir(this.inbox);
    for (const name of names.toSorted()) {
      if (name.startsWith('.') || unfinished.test(name) || name === places.done || name === places.failed) continue;
      const look = await lookAt(join(this.inbox, name));
      // Gone meanwhile, or an empty folder.
      if (look === null) continue;
      const before = this.seen.get(name);
      if (before?.look !== look) this.seen.set(name, { look, since: performance.now() });
      if (this.settleMs === 0 || (before?.look === look && performance.now() - before.since >= this.settleMs))
        ready.push(name);
      else waiting += 1;
    }
    return { ready, waiting };
  }

  private named(id: string, name: string): Claim {
    const folder = join(this.inbox, `${ownerPrefix(kind)}${id}`);
    const making = join(this.finished, `.earshot-${id}`);
    return { folder, name, making, committed: `${making}-done` };
  }

  /** null: another watcher was faster. */
  private async claim(name: string): Promise<Claim | null> {
    const claim = this.named(randomBytes(6).toString('hex'), name);
    await mkdir(claim.folder);
    try {
      await renameFile(join(this.inbox, name), join(claim.folder, name));
      this.seen.delete(name);
      return claim;
    } catch (thrown) {
      await removeFolder(claim.folder);
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw pathError(thrown, join(this.inbox, name), 'input');
    }
  }

  /** Goes on with what ended watchers had claimed. */
  private async takeOver(): Promise<void> {
    for (const entry of await readdir(this.inbox)) {
      if (ownerOf(entry, kind)?.running !== false) continue;
      const id = entry.slice(entry.lastIndexOf('-') + 1);
      const [name] = await readdir(join(this.inbox, entry)).catch(() => []);
      const claim = this.named(id, name ?? '');
      // One of several watchers renames it.
      const isOurs = await renameFile(join(this.inbox, entry), claim.folder).then(
        () => true,
        () => false,
      );
      if (!isOurs) continue;
      if (name === undefined) await this.forget(claim);
      else if (await isThere(claim.committed)) await this.settle(claim, await this.putInPlace(claim));
      else await this.work(claim);
    }
  }

  private async work(claim: Claim): Promise<void> {
    const { name, folder, making, committed } = claim;
    const { chainFor, format } = this.options;
    this.tell({ type: 'begun', name });
    try {
      await removeFolder(making);
      await mkdir(making);
      const files = await filesOf(join(folder, name));
      const chain = chainFor(files.length);
      const usual = `${basename(name, extname(name))}.${chain.name ?? 'chain'}`;
      await runChain(this.engine, chain, files, {
        outputDir: making,
        baseName: await this.freeName(usual),
        signal: this.signal,
        onProgress: (progress) => this.tell({ type: 'progress', name, progress }),
        onWarning: (warning) => this.tell({ type: 'warning', name, warning }),
        ...(format === undefined ? {} : { format }),
      });
      await renameFile(making, committed);
    } catch (thrown) {
      await removeFolder(making);
      // What the machine lacks is no fault of the recording, and every other one would fail alike.
      if (isAbortError(thrown) || this.signal.aborted || machineLacks(EarshotError.from(thrown)) !== null) {
        await renameFile(join(folder, name), await freePlace(this.inbox, name));
        await removeFolder(folder);
        throw thrown;
      }
      return this.setAside(claim, EarshotError.from(thrown));
    }
    await this.settle(claim, await this.putInPlace(claim));
  }

  /** A name that none of the results in `finished` begins with. */
  private async freeName(usual: string): Promise<string> {
    const taken = await readdir(this.finished);
    const isFree = (base: string): boolean => !taken.some((name) => name.startsWith(`${base}.`));
    for (let number = 1; ; number += 1) {
      const base = number === 1 ? usual : `${usual}-${number}`;
      if (isFree(base)) return base;
    }
  }

  private async putInPlace({ committed }: Claim): Promise<string[]> {
    const placed: string[] = [];
    for (const name of (await readdir(committed)).toSorted()) {
      placed.push(await moveToFree(join(committed, name), this.finished, name));
    }
    return placed;
  }

  /** The recording leaves its claim before what says that its results are in place. */
  private async settle(claim: Claim, outputs: readonly string[]): Promise<void> {
    const { folder, name } = claim;
    await renameFile(join(folder, name), await freePlace(join(this.inbox, places.done), name));
    await this.forget(claim);
    this.done += 1;
    this.tell({ type: 'done', name, outputs });
  }

  private async setAside(claim: Claim, error: EarshotError): Promise<void> {
    const place = await freePlace(join(this.inbox, places.failed), claim.name);
    await writeFile(`${place}.txt`, `${error.code}: ${error.message}\n${error.nextAction}\n`);
    await renameFile(join(claim.folder, claim.name), place);
    await this.forget(claim);
    this.failed += 1;
    this.tell({ type: 'failed', name: claim.name, error });
  }

  private async forget({ folder, making, committed }: Claim): Promise<void> {
    await Promise.all([removeFolder(making), removeFolder(committed)]);
    await removeFolder(folder);
  }

  private tell(event: WatchEvent): void {
    this.options.onEvent?.(event);
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** The files of a recording, in the order of their names. */
async function filesOf(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => !name.startsWith('.') && !unfinished.test(name));
  return names.toSorted().map((name) => join(path, name));
}

/** How a recording looks: changes while it is written. null: it is not there, or empty. */
async function lookAt(path: string): Promise<string | null> {
  try {
    const facts = await stat(path);
    if (!facts.isDirectory()) return facts.isFile() ? `${facts.size} ${facts.mtimeMs}` : null;
    const names = await readdir(path);
    if (names.some((name) => unfinished.test(name))) return `${performance.now()}`;
    const looks = await Promise.all(
      names.filter((name) => !name.startsWith('.')).map((name) => stat(join(path, name))),
    );
    return looks.length === 0 ? null : looks.map(({ size, mtimeMs }) => `${size} ${mtimeMs}`).join(', ');
  } catch {
    return null;
  }
}

/** Moves a file to a free place in a folder, which another watcher may take first. */
async function moveToFree(from: string, folder: string, name: string): Promise<string> {
  for (;;) {
    const place = await freePlace(folder, name);
    try {
      await move(from, place, false);
      return place;
    } catch (thrown) {
      if (EarshotError.from(thrown).code !== 'conflict') throw thrown;
    }
  }
}

/** A path in a folder that nothing is at: `talk.wav`, `talk-2.wav`. */
async function freePlace(folder: string, name: string): Promise<string> {
  const extension = extname(name);
  for (let number = 1; ; number += 1) {
    const place = join(folder, number === 1 ? name : `${basename(name, extension)}-${number}${extension}`);
    if (!(await isThere(place))) return place;
  }
}
