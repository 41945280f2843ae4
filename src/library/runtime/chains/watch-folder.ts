// Folders that recordings fall into and results go into. A recording is claimed by a rename, and its results are
// committed by one. After a kill, committed results are put in place, and other recordings are done again.
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, realpath, stat, writeFile } from 'node:fs/promises';
import { basename, extname, join, resolve, sep } from 'node:path';
import {
  type Aside,
  type Claim,
  freeName,
  type Inbox,
  isRecordingName,
  isUnfinished,
  type Results,
} from '../../contract/watched-places.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { pathError } from '../../core/errors/file-errors.ts';
import { removeFolder } from '../../core/files/remove-folder.ts';
import { renameFile } from '../../core/files/rename-file.ts';
import { ownerOf, ownerPrefix } from '../../core/machine/owner-names.ts';
import type { Engine } from '../engine/engine-types.ts';
import { move } from '../files/work-folder.ts';
import { watch, type WatchCounts, type WatchWork } from './watch.ts';

/** Where recordings come from, what is done with them, and where results go. */
export interface WatchOptions extends WatchWork {
  /** Folder that recordings fall into; a folder in it with several files is one of several tracks. */
  readonly inbox: string;
  /** Folder for results; made where it is missing. */
  readonly finished: string;
}

/** Of folders of claimed recordings. */
const kind = '.earshot-claim';

/**
 * Watches a folder: takes what has stopped growing, runs the chain, puts results into `finished` and the recording into
 * `done` in the inbox, or into `failed` with the reason in a text file beside it. What a killed watcher had begun is
 * taken over.
 * @param engine which runs the chains
 * @throws EarshotError bad_request, not_found for folders that cannot be used; what the machine lacks (a model, room on
 *   the disk), which ends it with the recording back in the inbox; AbortError
 */
export async function watchFolder(engine: Engine, options: WatchOptions): Promise<WatchCounts> {
  const { inbox, finished } = options;
  await refuseWithin(inbox, finished);
  return watch(engine, folderInbox(inbox), folderResults(finished), options);
}

/** Results would be taken for recordings. @throws EarshotError bad_request */
async function refuseWithin(inbox: string, finished: string): Promise<void> {
  const real = (path: string): Promise<string> => realpath(path).catch(() => resolve(path));
  const [from, to] = await Promise.all([real(inbox), real(finished)]);
  if (to === from || to.startsWith(from + sep))
    throw new EarshotError('bad_request', `Expected a folder for results outside of the inbox but received ${to}`, {
      details: { field: 'finished', expected: 'a folder outside of the inbox', received: to },
    });
}

const makeFolder = (path: string): Promise<unknown> =>
  mkdir(path, { recursive: true }).catch((thrown: unknown) => {
    throw pathError(thrown, path, 'output');
  });

/** A folder that recordings fall into; `done` and `failed` are made in it. */
export function folderInbox(path: string): Inbox {
  const inbox = resolve(path);
  const claimOf = (id: string, name: string, isSettled: boolean): Claim => {
    const folder = join(inbox, `${ownerPrefix(kind)}${id}`);
    const put = async (to: string): Promise<void> => renameFile(join(folder, name), await freePlace(to, name));
    return {
      id,
      name,
      isSettled,
      lost: null,
      files: () => filesOf(join(folder, name)),
      async settle(aside: Aside, reason) {
        const place = await freePlace(join(inbox, aside), name);
        if (reason !== undefined) await writeFile(`${place}.txt`, reason);
        await renameFile(join(folder, name), place);
      },
      async giveBack() {
        await put(inbox);
        await removeFolder(folder);
      },
      end: () => removeFolder(folder),
    };
  };
  return {
    pauseSeconds: 2,
    unsure: 0,
    async open() {
      await readdir(inbox).catch((thrown: unknown) => {
        throw pathError(thrown, inbox, 'input');
      });
      for (const aside of ['done', 'failed']) await makeFolder(join(inbox, aside));
    },
    async looks() {
      const names = (await readdir(inbox)).filter(isRecordingName);
      const looks = await Promise.all(names.map(async (name) => [name, await lookAt(join(inbox, name))] as const));
      // Others are gone meanwhile, or empty folders.
      return new Map(looks.filter((each): each is readonly [string, string] => each[1] !== null));
    },
    async claim(name) {
      const id = randomBytes(6).toString('hex');
      const folder = join(inbox, `${ownerPrefix(kind)}${id}`);
      await mkdir(folder);
      try {
        await renameFile(join(inbox, name), join(folder, name));
        return claimOf(id, name, false);
      } catch (thrown) {
        await removeFolder(folder);
        if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw pathError(thrown, join(inbox, name), 'input');
      }
    },
    async *abandoned() {
      for (const entry of await readdir(inbox)) {
        if (ownerOf(entry, kind)?.running !== false) continue;
        const id = entry.slice(entry.lastIndexOf('-') + 1);
        const [name] = await readdir(join(inbox, entry)).catch(() => []);
        // One of several watchers renames it.
        const isOurs = await renameFile(join(inbox, entry), join(inbox, `${ownerPrefix(kind)}${id}`)).then(
          () => true,
          () => false,
        );
        if (isOurs) yield claimOf(id, name ?? '', name === undefined);
      }
    },
  };
}

/** A folder for results; made where it is missing. */
export function folderResults(path: string): Results {
  const finished = resolve(path);
  const making = (id: string): string => join(finished, `.earshot-${id}`);
  const committed = (id: string): string => `${making(id)}-done`;
  return {
    open: async () => void (await makeFolder(finished)),
    async begin(id, usual) {
      const folder = making(id);
      await removeFolder(folder);
      await mkdir(folder);
      const taken = await readdir(finished);
      const isFree = (base: string): boolean => !taken.some((name) => name.startsWith(`${base}.`));
      return { folder, baseName: await freeName(usual, '', isFree) };
    },
    commit: (id) => renameFile(making(id), committed(id)),
    isCommitted: (id) => isThere(committed(id)),
    async putInPlace(id) {
      const placed: string[] = [];
      for (const name of (await readdir(committed(id))).toSorted())
        placed.push(await moveToFree(join(committed(id), name), finished, name));
      return placed;
    },
    drop: (id) => removeFolder(making(id)),
    forget: async (id) => void (await Promise.all([removeFolder(making(id)), removeFolder(committed(id))])),
  };
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** The files of a recording, in the order of their names. */
async function filesOf(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => !name.startsWith('.') && !isUnfinished(name));
  return names.toSorted().map((name) => join(path, name));
}

/** How a recording looks: changes while it is written. null: it is not there, or empty. */
async function lookAt(path: string): Promise<string | null> {
  try {
    const facts = await stat(path);
    if (!facts.isDirectory()) return facts.isFile() ? `${facts.size} ${facts.mtimeMs}` : null;
    const names = await readdir(path);
    if (names.some(isUnfinished)) return `${performance.now()}`;
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
  const isFree = async (each: string): Promise<boolean> => !(await isThere(join(folder, each)));
  return join(folder, await freeName(basename(name, extension), extension, isFree));
}
