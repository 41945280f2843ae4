// Models outside the manifest: fetched from the hub, described by the record beside their files.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EarshotError } from '../core/errors/errors.ts';
import { type Model, type ModelFile, recordName } from './manifest.ts';
import { modelVariants, type ModelVariant, recogniserFamilies, type RecogniserFamily } from './recogniser-files.ts';

export interface AddedModel extends Model {
  readonly family: RecogniserFamily;
  readonly variant: ModelVariant;
  /** The commit of its files. */
  readonly revision: string;
}

const prefix = 'hf--';

/** owner/name as the name of a folder; on the hub neither may hold two hyphens in a row. */
export const addedId = (repository: string): string => `${prefix}${repository.replace('/', '--')}`;

/** Its display name: hf:owner/name. */
export const addedName = ({ title }: Pick<AddedModel, 'title'>): string => `hf:${title}`;

const isFile = (value: unknown): value is ModelFile => {
  const { name, bytes, sha256 } = (value ?? {}) as Record<string, unknown>;
  return (
    typeof name === 'string' &&
    /^(\w[\w.-]*\/)*\w[\w.-]*$/.test(name) &&
    Number.isSafeInteger(bytes) &&
    typeof sha256 === 'string'
  );
};

function isRecord(value: unknown, id: string): value is AddedModel {
  const record = (value ?? {}) as Record<string, unknown>;
  return (
    record['id'] === id &&
    ['title', 'purpose', 'licence', 'homepage', 'revision'].every((name) => typeof record[name] === 'string') &&
    Object.hasOwn(recogniserFamilies, String(record['family'])) &&
    modelVariants.includes(record['variant'] as ModelVariant) &&
    Array.isArray(record['files']) &&
    record['files'].every(isFile)
  );
}

/**
 * The added model with this id; null where there is none.
 * @throws EarshotError tool_unavailable for an unreadable record
 */
export async function addedModel(id: string, folder: string): Promise<AddedModel | null> {
  const path = join(folder, id, recordName);
  const text = await readFile(path, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR') return null;
    throw thrown;
  });
  if (text === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (isRecord(value, id)) return value;
  throw new EarshotError('tool_unavailable', `Expected the description of a model in ${path} but it is damaged`, {
    nextAction: 'Add the model again.',
    details: { model: id },
  });
}

/** All models added to a folder, by name. */
export async function addedModels(folder: string): Promise<AddedModel[]> {
  const names = await readdir(folder).catch((): string[] => []);
  const found = await Promise.all(
    names
      .filter((name) => name.startsWith(prefix))
      .sort()
      .map((name) => addedModel(name, folder)),
  );
  return found.filter((model) => model !== null);
}
