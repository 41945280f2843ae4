import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { EarshotError } from '../core/errors.ts';
import { addCommand, type Model, type ModelFile, requireModel } from './manifest.ts';

/** missing: nothing of it is there. broken: something is there, and not all of it is what the manifest says. */
export type ModelState = 'installed' | 'missing' | 'broken';

export interface ModelCheck {
  readonly state: ModelState;
  /** One line per file that is not as it should be. */
  readonly problems: readonly string[];
}

/** What puts a model right. */
export const installCommand = ({ id, own }: Pick<Model, 'id' | 'own'>): string =>
  own ? addCommand(id) : `earshot models install ${id}`;

const isMissing = (thrown: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((thrown as NodeJS.ErrnoException).code ?? '');

/** SHA-256 of a file, read in pieces. */
async function sha256OfFile(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, signal ? { signal } : {})) hash.update(piece as Buffer);
  return hash.digest('hex');
}

/** What is wrong with a file on disk, 'missing' where there is none; null when it is exactly the manifest's. */
export async function fileProblem(
  path: string,
  file: ModelFile,
  depth: 'size' | 'hash',
  signal?: AbortSignal,
): Promise<string | null> {
  let bytes: number;
  try {
    const found = await stat(path);
    if (!found.isFile()) return `${file.name} is no file`;
    bytes = found.size;
  } catch (thrown) {
    if (isMissing(thrown)) return 'missing';
    return `${file.name} cannot be read: ${(thrown as Error).message}`;
  }
  if (bytes !== file.bytes) return `${file.name} has ${bytes} bytes instead of ${file.bytes}`;
  if (depth === 'size') return null;
  const sha256 = await sha256OfFile(path, signal);
  return sha256 === file.sha256 ? null : `${file.name} has SHA-256 ${sha256} instead of ${file.sha256}`;
}

/** Looks at a model's files. 'size' is quick; 'hash' reads them. */
export async function checkModel(
  model: Model,
  folder: string,
  depth: 'size' | 'hash',
  signal?: AbortSignal,
): Promise<ModelCheck> {
  const found = await Promise.all(
    model.files.map((file) => fileProblem(join(folder, model.id, file.name), file, depth, signal)),
  );
  if (found.every((problem) => problem === 'missing')) return { state: 'missing', problems: [] };
  const problems = found.flatMap((problem, index) =>
    problem === null ? [] : [problem === 'missing' ? `${model.files[index]?.name} is missing` : problem],
  );
  return { state: problems.length === 0 ? 'installed' : 'broken', problems };
}

/** What to throw when a run needs a model that cannot be used. */
function unavailable(model: Model, folder: string, problems: readonly string[]): EarshotError {
  const what = problems.length === 0 ? 'it is not installed' : `its files are damaged: ${problems.join('; ')}`;
  return new EarshotError(
    'tool_unavailable',
    `Expected the model ${model.id} (${model.title}) in ${join(folder, model.id)} but ${what}`,
    {
      nextAction: `Run \`${installCommand(model)}\` and try again.`,
      details: { model: model.id, folder, problems },
    },
  );
}

/** A model whose every byte has been held against the manifest: what native code may load. */
export interface VerifiedModel {
  readonly model: Model;
  /** @throws TypeError for a name that the manifest does not have */
  file(name: string): Uint8Array<ArrayBuffer>;
}

/**
 * Reads a model into memory and checks size and SHA-256 of what was read, so that nothing can change between check and
 * use.
 * @returns null when nothing of it is installed
 * @throws EarshotError tool_unavailable naming the model when it is installed in part or its files are not the
 * manifest's
 */
export const readModel = (id: string, folder: string): Promise<VerifiedModel | null> =>
  readChecked(requireModel(id), folder);

/** As `readModel`, for a model that is described already. */
export async function readChecked(model: Model, folder: string): Promise<VerifiedModel | null> {
  const { state, problems } = await checkModel(model, folder, 'size');
  if (state === 'missing') return null;
  if (state === 'broken') throw unavailable(model, folder, problems);
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const file of model.files) {
    const bytes = await readFile(join(folder, model.id, file.name)).catch((thrown: Error) => {
      throw unavailable(model, folder, [`${file.name} cannot be read: ${thrown.message}`]);
    });
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    if (sha256 !== file.sha256)
      throw unavailable(model, folder, [`${file.name} has SHA-256 ${sha256} instead of ${file.sha256}`]);
    files.set(file.name, bytes);
  }
  return {
    model,
    file(name) {
      const bytes = files.get(name);
      if (!bytes) throw new TypeError(`Expected one of ${[...files.keys()].join(', ')} but received ${name}`);
      return bytes;
    },
  };
}

/**
 * As `readModel`, for a model that must be there.
 * @throws EarshotError tool_unavailable also when it is not installed
 */
export async function requireInstalled(id: string, folder: string): Promise<VerifiedModel> {
  const found = await readModel(id, folder);
  if (!found) throw unavailable(requireModel(id), folder, []);
  return found;
}
