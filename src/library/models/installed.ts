import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { EarshotError } from '../core/errors/errors.ts';
import { addCommand, type Model, type ModelFile, requireModel } from './manifest.ts';
import { knownHash, readHashed, sha256OfFile } from './remembered-hashes.ts';

/** missing: no files. broken: files are incomplete or not as in the manifest. */
export type ModelState = 'installed' | 'missing' | 'broken';

export interface ModelCheck {
  readonly state: ModelState;
  /** One line per bad file. */
  readonly problems: readonly string[];
}

/** The command that installs or repairs a model. */
export const installCommand = ({ id, own, files }: Pick<Model, 'id' | 'own' | 'files'>): string => {
  if (own) return addCommand(id);
  return files.every(({ url }) => url !== undefined) ? `earshot models install ${id}` : 'npm install earshot-models';
};

const isMissing = (thrown: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((thrown as NodeJS.ErrnoException).code ?? '');

/** What is wrong with a file on disk, 'missing' where there is none; null when it matches the manifest. */
export async function fileProblem(
  path: string,
  file: ModelFile,
  depth: 'size' | 'hash',
  signal?: AbortSignal,
): Promise<string | null> {
  let bytes: number;
  try {
    const found = await stat(path);
    if (!found.isFile()) return `${file.name} is not a file`;
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

/** Checks a model's files. 'size' is quick; 'hash' reads them. */
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

/** As `checkModel`, in the first folder with any of its files, or else the first folder. */
export async function findModel(
  model: Model,
  folders: readonly string[],
  depth: 'size' | 'hash',
  signal?: AbortSignal,
): Promise<ModelCheck & { readonly folder: string }> {
  for (const folder of folders) {
    const check = await checkModel(model, folder, depth, signal);
    if (check.state !== 'missing') return { ...check, folder };
  }
  return { state: 'missing', problems: [], folder: folders[0] ?? '' };
}

/** The error when a run needs a model that cannot be used. */
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

/** A model whose every byte was checked against the manifest, and is safe for native code. */
export interface VerifiedModel {
  readonly model: Model;
  /** @throws TypeError for a name that is not in the manifest */
  file(name: string): Uint8Array<ArrayBuffer>;
}

/**
 * Reads a model into memory from the first folder that has it, and checks it against the manifest: a file by its
 * SHA-256 the first time, later by size and times while the disk reports the same file.
 * @param folders see `searchFolders`
 * @returns null when none of them has any of its files
 * @throws EarshotError tool_unavailable naming the model when files are missing or do not match the manifest
 */
export async function readModel(id: string, folders: readonly string[]): Promise<VerifiedModel | null> {
  const model = requireModel(id);
  for (const folder of folders) {
    const found = await readChecked(model, folder);
    if (found) return found;
  }
  return null;
}

/** As `readModel`, for a given description. */
export async function readChecked(model: Model, folder: string): Promise<VerifiedModel | null> {
  const { state, problems } = await checkModel(model, folder, 'size');
  if (state === 'missing') return null;
  if (state === 'broken') throw unavailable(model, folder, problems);
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const file of model.files) {
    const { bytes, sha256 } = await readHashed(join(folder, model.id, file.name)).catch((thrown: Error) => {
      throw unavailable(model, folder, [`${file.name} cannot be read: ${thrown.message}`]);
    });
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

/** The paths of a model's checked files. */
export interface ModelPaths {
  readonly model: Model;
  /**
   * Absolute.
   * @throws TypeError for a name that the model does not have
   */
  path(name: string): string;
}

/**
 * As `readChecked`, without loading: files are hashed in pieces, or recognised, and not kept in memory. For networks
 * that ONNX Runtime reads itself.
 * @returns null when there are no files
 * @throws EarshotError tool_unavailable
 */
export async function locateChecked(model: Model, folder: string, signal?: AbortSignal): Promise<ModelPaths | null> {
  const { state, problems } = await checkModel(model, folder, 'size');
  if (state === 'missing') return null;
  if (state === 'broken') throw unavailable(model, folder, problems);
  const paths = new Map<string, string>();
  for (const file of model.files) {
    const path = join(folder, model.id, file.name);
    const sha256 = await knownHash(path, signal);
    if (sha256 !== file.sha256)
      throw unavailable(model, folder, [`${file.name} has SHA-256 ${sha256} instead of ${file.sha256}`]);
    paths.set(file.name, path);
  }
  return {
    model,
    path(name) {
      const path = paths.get(name);
      if (path === undefined)
        throw new TypeError(`Expected one of ${[...paths.keys()].join(', ')} but received ${name}`);
      return path;
    },
  };
}

/**
 * As `readModel`, for a required model.
 * @throws EarshotError tool_unavailable also when it is not installed
 */
export async function requireInstalled(id: string, folders: readonly string[]): Promise<VerifiedModel> {
  const found = await readModel(id, folders);
  if (!found) throw unavailable(requireModel(id), folders.at(-1) ?? '', []);
  return found;
}
