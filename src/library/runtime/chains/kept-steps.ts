// What the steps of a chain made, kept in a folder until the chain has ended, so that after a kill the same chain goes
// on at the step that was interrupted.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathError } from '../../core/errors/file-errors.ts';
import { removeFolder } from '../../core/files/remove-folder.ts';
import { renameFile } from '../../core/files/rename-file.ts';
import type { JsonObject } from '../../core/json.ts';
import { ownerOf, ownerPrefix } from '../../core/machine/owner-names.ts';
import type { FinishedPart } from '../../core/progress/finished-parts.ts';
import type { Warning } from '../../core/progress/progress.ts';
import { packageVersion } from '../../core/start/package-version.ts';
import type { OutputFile } from '../files/work-folder.ts';
import { openCheckpoint } from './checkpoint.ts';

/** What a run of a step did. */
export interface StepRun {
  /** How many runs its step has. */
  readonly of: number;
  readonly outputs: readonly OutputFile[];
  readonly result: JsonObject;
  readonly processedSeconds: number;
  readonly warnings: readonly Warning[];
}

/** The folder of a chain that goes on after a kill. */
export interface KeptSteps {
  readonly folder: string;
  /** What a run of a step did before; null: it was not finished. */
  done(step: string, run: number): StepRun | null;
  /** All runs of a step; null: not all were finished. */
  all(step: string): readonly StepRun[] | null;
  /** Are its files there, and whole? */
  hasFiles(run: StepRun): Promise<boolean>;
  /** Resolves when it is kept. */
  add(step: string, run: number, did: StepRun): Promise<void>;
  /** Parts of a run that was interrupted. */
  parts(step: string, run: number): readonly FinishedPart[];
  addPart(step: string, run: number, part: FinishedPart): void;
  /** Keeps everything for the next run... */
  leave(): Promise<void>;
  /** ...or nothing. */
  remove(): Promise<void>;
}

const kind = 'at-work';

/** Tells a chain over these files from others, also when a file has changed. */
export async function identityOf(chain: object, files: readonly string[], form: object): Promise<string> {
  const looks = await Promise.all(
    files.map(async (path) => {
      const facts = await stat(path).catch(() => null);
      return [resolve(path), facts?.size, facts?.mtimeMs];
    }),
  );
  return createHash('sha256')
    .update(JSON.stringify([packageVersion(), chain, looks, form]))
    .digest('hex');
}

/**
 * Opens the folder, and makes it where it is missing. What another chain left there is removed.
 * @param silentMs waited for a sign of another machine that left a mark in the folder
 * @returns null: a run that has not ended works in it
 * @throws EarshotError as `pathError`
 */
export async function openKeptSteps(
  path: string,
  identity: string,
  silentMs = usualSilentMs,
): Promise<KeptSteps | null> {
  const folder = resolve(path);
  if (!(await take(folder, silentMs))) return null;
  const beating = beat(join(folder, ownMark()), silentMs / 4);
  const state = await openCheckpoint(join(folder, 'state.json'), identity);
  const isKnown = state.parts.length > 0;
  for (const entry of await readdir(folder))
    if (!isKnown && entry !== 'state.json' && ownerOf(entry, kind) === null) await removeFolder(join(folder, entry));
  const runKey = (step: string, run: number): string => `run ${step} ${run}`;
  const partPrefix = (step: string, run: number): string => `part ${step} ${run} `;
  const done = (step: string, run: number): StepRun | null => {
    const part = state.parts.findLast(({ key }) => key === runKey(step, run));
    if (part === undefined) return null;
    const did = part.value as unknown as StepRun;
    return { ...did, outputs: did.outputs.map((each) => ({ ...each, path: join(folder, each.path) })) };
  };
  return {
    folder,
    done,
    all(step) {
      const first = done(step, 0);
      const runs = Array.from({ length: first?.of ?? 0 }, (_, run) => done(step, run));
      const finished = runs.filter((run) => run !== null);
      return first === null || finished.length < first.of ? null : finished;
    },
    async hasFiles({ outputs }) {
      const sizes = await Promise.all(outputs.map((each) => stat(each.path).catch(() => null)));
      return sizes.every((facts, at) => facts?.size === outputs[at]?.sizeBytes);
    },
    async add(step, run, did) {
      const outputs = did.outputs.map((each) => ({ ...each, path: each.path.slice(folder.length + 1) }));
      state.add({ key: runKey(step, run), value: JSON.parse(JSON.stringify({ ...did, outputs })) as JsonObject });
      await state.written();
    },
    parts: (step, run) =>
      state.parts
        .filter(({ key }) => key.startsWith(partPrefix(step, run)))
        .map(({ key, value }) => ({ key: key.slice(partPrefix(step, run).length), value })),
    addPart: (step, run, { key, value }) => state.add({ key: partPrefix(step, run) + key, value }),
    async leave() {
      clearInterval(beating);
      await state.written();
      if (state.parts.length === 0) return await removeFolder(folder);
      for (const entry of await readdir(folder))
        if (ownerOf(entry, kind)?.pid === process.pid) await rm(join(folder, entry), { recursive: true });
    },
    async remove() {
      clearInterval(beating);
      await state.written();
      await removeFolder(folder);
    },
  };
}

/** Another machine that has not written for so long in a folder that both see has ended. */
const usualSilentMs = 12_000;
const beatFile = 'beat';
const ownMark = (): string => `${ownerPrefix(kind)}it`;

/** Shows other machines that this one works on. By contents: the times of a file are kept by who looks, for a while. */
function beat(mark: string, everyMs: number): NodeJS.Timeout {
  let count = 0;
  const write = (): void => {
    count += 1;
    // Where it cannot be written nothing else can, and the work says so.
    writeFile(join(mark, beatFile), String(count)).catch(() => undefined);
  };
  write();
  return setInterval(write, everyMs).unref();
}

/** Does its process run? Of another machine that is seen by waiting. */
async function isAtWork(folder: string, mark: string, silentMs: number): Promise<boolean> {
  const running = ownerOf(mark, kind)?.running ?? null;
  if (running !== null) return running;
  const look = (): Promise<string | null> => readFile(join(folder, mark, beatFile), 'utf8').catch(() => null);
  const first = await look();
  for (let waited = 0; waited < silentMs; waited += silentMs / 12) {
    await sleep(silentMs / 12);
    if ((await look()) !== first) return true;
  }
  return false;
}

/** Marks the folder as this process's. false: another one works in it. */
async function take(folder: string, silentMs: number): Promise<boolean> {
  const own = join(folder, ownMark());
  await mkdir(folder, { recursive: true }).catch((thrown: unknown) => {
    throw pathError(thrown, folder, 'output');
  });
  const marksIn = async (): Promise<string[]> =>
    (await readdir(folder)).filter((entry) => ownerOf(entry, kind) !== null);
  const marks = await marksIn();
  const atWork = await Promise.all(marks.map((mark) => isAtWork(folder, mark, silentMs)));
  if (atWork.includes(true)) return false;
  const [left] = marks;
  // One of several takes it.
  if (left !== undefined)
    return await renameFile(join(folder, left), own).then(
      () => true,
      () => false,
    );
  try {
    await mkdir(own);
  } catch (thrown) {
    // Another run of this process, or the end of one that removes the folder.
    if (['EEXIST', 'ENOENT'].includes((thrown as NodeJS.ErrnoException).code ?? '')) return false;
    throw pathError(thrown, folder, 'output');
  }
  // Of two that began at the same time each may have looked before the other's mark was there: neither goes on.
  if ((await marksIn()).length === 1) return true;
  await removeFolder(own);
  return false;
}
