import { extname } from 'node:path';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { ToolRunRequest } from '../../../library/contract/media-work.ts';
import type { FilesByField, InputFile } from '../../../library/contract/tool-inputs.ts';
import type { FileStore } from '../files/file-store.ts';
import type { ObjectStore } from '../files/object-store.ts';
import type { StoredFile } from '../files/stored-file.ts';
import type { StoredJob } from '../jobs/stored-job.ts';

/** A job's input files as local paths, until they are released. */
export interface RunInputs {
  readonly byField: FilesByField<InputFile>;
  /** Their records. */
  readonly files: readonly StoredFile[];
  /** The file whose form the outputs take, which is no input; null: none. */
  readonly model: InputFile | null;
  /** The text with the files' names instead of their paths, and without the run's folders. */
  withoutPaths(text: string, runFolder: string): string;
  /** The error for a deleted input; null when all exist. */
  missing(): Promise<EarshotError | null>;
  release(): Promise<void>;
}

/** Of the file whose form a chain's result takes: no tool has a field of this name. */
export const modelField = '';

/** A job's input files, and last the file whose form its outputs take. */
export function filesToOpen({
  inputs,
  writes = null,
}: Pick<StoredJob, 'inputs' | 'writes'>): { readonly field: string; readonly id: string }[] {
  const named = Object.entries(inputs).flatMap(([field, ids]) => ids.map((id) => ({ field, id })));
  const form = writes?.form ?? null;
  return typeof form === 'object' && form !== null ? [...named, { field: modelField, id: form.like }] : named;
}

/** The name by which the job's tool knows a file: files between the steps of a chain may have the recording's. */
export function nameIn({ writes = null }: Pick<StoredJob, 'writes'>, file: StoredFile): string {
  const stem = writes?.inputsAs ?? null;
  return stem === null || file.accountId !== null ? file.filename : `${stem}${extname(file.filename)}`;
}

/** How a step's outputs are written. @param model the file whose form they take */
export function writingOf(
  { writes = null }: Pick<StoredJob, 'writes'>,
  model: InputFile | null,
): Pick<ToolRunRequest, 'form' | 'formats'> {
  if (writes === null) return {};
  const { form, formats } = writes;
  return {
    ...(formats === null ? {} : { formats }),
    ...(form === 'working' ? { form } : {}),
    ...(typeof form === 'object' && form !== null && model !== null
      ? { form: { like: model, format: form.format } }
      : {}),
  };
}

/** @throws EarshotError file_expired when an input was deleted since the job was created */
export async function openInputs(
  files: Pick<FileStore, 'getMany'>,
  objects: Pick<ObjectStore, 'checkOut'>,
  job: StoredJob,
): Promise<RunInputs> {
  const named = filesToOpen(job);
  const found = await files.getMany(named.map(({ id }) => id));
  const opened: (InputFile & { readonly field: string; release(): Promise<void> })[] = [];
  const release = async (): Promise<void> => {
    for (const each of opened) await each.release();
  };
  try {
    for (const [index, { field, id }] of named.entries()) {
      const file = found[index] ?? null;
      if (file === null || file.status !== 'ready' || file.objectKey === null) throw gone(field, id);
      const local = await objects.checkOut(file.objectKey, file.sha256).catch((thrown: unknown) => {
        throw thrown instanceof EarshotError && thrown.code === 'not_found' ? gone(field, id) : thrown;
      });
      opened.push({ field, path: local.path, name: nameIn(job, file), release: () => local.release() });
    }
  } catch (thrown) {
    await release();
    throw thrown;
  }
  return {
    byField: Object.fromEntries(
      Object.keys(job.inputs).map((field) => [
        field,
        opened.filter((each) => each.field === field).map(({ path, name }) => ({ path, name })),
      ]),
    ),
    files: found.flatMap((file, index) => (file === null || named[index]?.field === modelField ? [] : [file])),
    model: opened.find(({ field }) => field === modelField) ?? null,
    withoutPaths: (text, runFolder) => withoutPaths(text, opened, runFolder),
    missing: async () => {
      const now = await files.getMany(named.map(({ id }) => id));
      const lost = named.find((_name, index) => now[index]?.status !== 'ready');
      return lost === undefined ? null : gone(lost.field, lost.id);
    },
    release,
  };
}

/** The text with the files' names instead of their paths, and without the run's folders. */
export function withoutPaths(text: string, files: readonly InputFile[], runFolder: string): string {
  const named = files.reduce((shown, { path, name }) => shown.replaceAll(path, name), text);
  if (runFolder === '') return named;
  // Subfolders of the run's folder have no spaces in their names.
  return named
    .split(`${runFolder}/`)
    .map((piece, index) => (index === 0 ? piece : piece.replace(/^(?:[^/\s]+\/)*/, '')))
    .join('');
}

/** The error for a file that has gone since the job was created. */
export function gone(field: string, id: string): EarshotError {
  const named = field === modelField ? `${id}, whose format the result takes,` : `${id} (${field})`;
  return new EarshotError('file_expired', `The file ${named} was deleted or has expired before the job ran`, {
    details: field === modelField ? { id } : { field, id },
  });
}
