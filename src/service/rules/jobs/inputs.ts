import { EarshotError } from '../../../library/core/errors/errors.ts';
import { badInput, badValue } from '../../../library/core/checks/schema.ts';
import { expired, isPictureFile, isTextFile, requireReady } from '../files/guards.ts';
import {
  type FilesByField,
  findWrongCount,
  type InputFacts,
  type InputRole,
} from '../../../library/contract/tool-inputs.ts';
import type { ToolFacts } from '../../../library/contract/tool-facts.ts';
import type { FileStore } from '../files/file-store.ts';
import type { StoredFile } from '../files/stored-file.ts';

/** The owner of a job: an account, or a visitor without one. */
export interface Owner {
  /** null: a visitor, who can only use the files of the same request. */
  readonly accountId: string | null;
  /** The owner of the free uses: the account's id, or the keyed hash of the address. */
  readonly visitor: string;
}

/** The files of a job or a quote, in the order of the tool's input fields. */
export type InputFiles = FilesByField<StoredFile>;

/** A file id of a request, with its field. */
interface NamedFile {
  readonly field: string;
  readonly id: string;
}

/**
 * Files that exist, belong to the account and are ready, in the order given.
 * @throws EarshotError not_found, file_not_ready, file_expired, file_invalid, with the field and the id in its details
 */
export async function loadReadyFiles(
  files: FileStore,
  account: Pick<Owner, 'accountId'>,
  named: readonly NamedFile[],
  now: Date,
): Promise<readonly StoredFile[]> {
  const found = await files.getMany(named.map(({ id }) => id));
  return named.map((name, index) => requireUsable(found[index] ?? null, account, name, now));
}

function requireUsable(
  file: StoredFile | null,
  { accountId }: Pick<Owner, 'accountId'>,
  { field, id }: NamedFile,
  now: Date,
): StoredFile {
  // Another account's file is reported as missing, so that ids cannot be probed.
  if (file === null || file.accountId !== accountId)
    throw new EarshotError('not_found', `There is no file ${id} (${field})`, { details: { field, id } });
  if (file.status !== 'deleted' && file.expiresAt <= now) throw expired(file, field);
  return requireReady(file, field);
}

/** Loads a job's files and checks that each fits its field. @throws also bad_request, wrong_file_type, text_too_long */
export async function loadInputs(
  files: FileStore,
  account: Pick<Owner, 'accountId'>,
  tool: ToolFacts,
  inputs: FilesByField<string>,
  now: Date,
): Promise<InputFiles> {
  checkCounts(tool, inputs);
  const fields = Object.keys(tool.inputs);
  const named = fields.flatMap((field) => (inputs[field] ?? []).map((id) => ({ field, id })));
  const loaded = await loadReadyFiles(files, account, named, now);
  const byField = Object.fromEntries(
    fields.map((field) => [field, loaded.filter((_file, index) => named[index]?.field === field)]),
  );
  for (const [field, role] of Object.entries(tool.inputs))
    for (const file of byField[field] ?? []) requireFitting(file, field, role);
  return byField;
}

function checkCounts(tool: ToolFacts, inputs: FilesByField<string>): void {
  for (const field of Object.keys(inputs)) {
    if (!(field in tool.inputs))
      throw badValue(field, `one of ${Object.keys(tool.inputs).join(', ')}`, field, `the inputs of ${tool.id}`);
  }
  const wrong = findWrongCount(tool.inputs, inputs);
  if (wrong !== null) throw badInput(wrong.field, wrong.expected, wrong.count === 0 ? 'nothing' : String(wrong.count));
}

/** @throws EarshotError wrong_file_type, text_too_long */
export function requireFitting(file: StoredFile, field: string, role: InputRole): void {
  const details = { field, id: file.id };
  if (role.kind === 'media') {
    if (isTextFile(file))
      throw new EarshotError(
        'wrong_file_type',
        `Expected an audio or video file for ${field} but ${file.id} is ${file.format ?? 'text'}`,
        { details },
      );
    return;
  }
  const extension = file.filename.slice(file.filename.lastIndexOf('.') + 1).toLowerCase();
  const isPicture = role.kind === 'picture';
  const fits =
    isTextFile(file) &&
    isPicture === isPictureFile(file) &&
    (isPicture || [extension, file.format ?? ''].some((name) => role.extensions.includes(name)));
  if (!fits)
    throw new EarshotError(
      'wrong_file_type',
      `Expected a ${isPicture ? 'picture' : 'text file'} (${role.extensions.join(', ')}) for ${field} but ${file.id} is ${file.format ?? extension}`,
      { details },
    );
  if (role.maxBytes !== null && (file.sizeBytes ?? 0) > role.maxBytes) {
    throw new EarshotError(
      'text_too_long',
      `Expected at most ${role.maxBytes} bytes for ${field} but ${file.id} has ${file.sizeBytes}`,
      { details: { ...details, limit: role.maxBytes, received: file.sizeBytes } },
    );
  }
}

/**
 * The media files' lengths in the order of the fields.
 * @throws EarshotError file_too_long for one or all of them, file_invalid
 */
export function mediaDurations(tool: ToolFacts, inputs: InputFiles, maxSeconds: number): readonly number[] {
  const media = Object.entries(tool.inputs).flatMap(([field, role]) =>
    role.kind === 'media' ? (inputs[field] ?? []).map((file) => ({ field, file })) : [],
  );
  return media.map(({ field, file }) => requireDuration(file, field, maxSeconds));
}

export function requireDuration(file: StoredFile, field: string, maxSeconds: number): number {
  const details = { field, id: file.id };
  const { durationSeconds } = file;
  if (durationSeconds === null)
    throw new EarshotError('file_invalid', `The length of ${file.id} (${field}) is unknown`, { details });
  if (durationSeconds > maxSeconds) throw tooLong(maxSeconds, durationSeconds, `${file.id} (${field})`, details);
  return durationSeconds;
}

/** @throws EarshotError tool_unavailable, naming what is missing in this installation */
export async function requireAvailable(tool: ToolFacts): Promise<void> {
  const reason = await tool.unavailable();
  if (reason !== null)
    throw new EarshotError('tool_unavailable', reason.message, {
      nextAction: reason.nextAction,
      details: { tool: tool.id },
    });
}

/**
 * Checks the length of the inputs together: the output must not be longer than an input may be.
 * @throws EarshotError file_too_long
 */
export function requireTotalLength(tool: ToolFacts, seconds: number, maxSeconds: number): void {
  if (seconds > maxSeconds) throw tooLong(maxSeconds, seconds, `the files of ${tool.id} together`, {});
}

function tooLong(maxSeconds: number, seconds: number, what: string, details: object): EarshotError {
  return new EarshotError('file_too_long', `Expected at most ${maxSeconds} s for ${what} but received ${seconds} s`, {
    details: { ...details, limit: maxSeconds, received: seconds },
  });
}

export function planFacts(inputs: InputFiles): FilesByField<InputFacts> {
  return Object.fromEntries(
    Object.entries(inputs).map(([field, files]) => [
      field,
      files.map(({ format, durationSeconds, hasAudio, hasVideo }) => ({
        format: format ?? 'unknown',
        durationSeconds,
        hasAudio,
        hasVideo,
      })),
    ]),
  );
}
