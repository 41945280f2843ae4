// What a finished or interrupted piece of work leaves behind in a file, so that the same work goes on from there.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pathError } from '../../core/errors/file-errors.ts';
import { renameFile } from '../../core/files/rename-file.ts';
import type { JsonObject } from '../../core/json.ts';
import type { FinishedPart } from '../../core/progress/finished-parts.ts';

/** What is known of it: its result, or the parts that need not be done again. */
export interface Checkpoint {
  readonly parts: readonly FinishedPart[];
  /** null: it has not ended. */
  readonly result: JsonObject | null;
  add(part: FinishedPart): void;
  /** Resolves when everything so far is in the file, or could not be written. */
  written(): Promise<void>;
  /** Keeps the result; resolves when it is in the file. */
  finish(result: JsonObject): Promise<void>;
}

/**
 * Makes its folder, so that work that cannot keep it is refused before it begins.
 * @param path null: nothing is kept
 * @param hash of what is done: the parts of anything else are not taken
 * @throws EarshotError as `pathError`
 */
export async function openCheckpoint(path: string | null, hash: string): Promise<Checkpoint> {
  const parts: FinishedPart[] = [];
  let result: JsonObject | null = null;
  if (path !== null) {
    await mkdir(dirname(path), { recursive: true }).catch((thrown: unknown) => {
      throw pathError(thrown, path, 'output');
    });
    const kept = await readFile(path, 'utf8').then(
      (text) => known(text, hash),
      () => null,
    );
    parts.push(...(kept?.parts ?? []));
    result = kept?.result ?? null;
  }
  let writing: Promise<void> = Promise.resolve();
  const writeAfter = async (before: Promise<void>, file: string): Promise<void> => {
    await before.catch(() => undefined);
    const fresh = `${file}.new`;
    await writeFile(fresh, JSON.stringify({ job: hash, parts: result === null ? parts : [], result }));
    await renameFile(fresh, file);
  };
  const write = (): Promise<void> => {
    if (path === null) return Promise.resolve();
    writing = writeAfter(writing, path);
    return writing;
  };
  return {
    parts,
    get result() {
      return result;
    },
    add(part) {
      parts.push(part);
      // A part that is not kept is done again.
      write().catch(() => undefined);
    },
    written: () => writing.catch(() => undefined),
    async finish(done) {
      result = done;
      await write();
    },
  };
}

/** What the text of a checkpoint keeps of this work; null: it is of other work, or damaged. */
function known(text: string, hash: string): { parts: FinishedPart[]; result: JsonObject | null } | null {
  try {
    const { job, parts, result } = JSON.parse(text) as {
      job: string;
      parts: FinishedPart[];
      result: JsonObject | null;
    };
    return job === hash && Array.isArray(parts) ? { parts, result } : null;
  } catch {
    return null;
  }
}
