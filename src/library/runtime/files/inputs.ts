import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { EarshotError } from '../../core/errors/errors.ts';
import { pathError } from '../../core/errors/file-errors.ts';
import { shownName } from '../../core/checks/names.ts';
import { inputName } from '../../tools/declare/inputs.ts';
import {
  findWrongCount,
  type InputFile,
  type InputRole,
  type InputRoles,
  type WrongCount,
} from '../../contract/tool-inputs.ts';
import { type ByteSource, isByteSource } from './byte-sources.ts';
import { fifoSource } from './fifo-source.ts';
import { safeFileName } from './named-inputs.ts';
import { isSound, type SoundInput, streamOf, type WaveBytes, waveBytesOf } from './sound-inputs.ts';

/** A path with the file name that users know: outputs are named after it, and its extension counts. */
export interface NamedFile {
  /** Absolute, or from the current folder. */
  readonly path: string;
  /** The file name, without folder. */
  readonly name: string;
}

/** Bytes or a stream with a file name: outputs are named after it, and its extension counts. */
export interface NamedBytes {
  /** Read once, before the run waits for its turn; destroyed if the run fails before that. */
  readonly data: ByteSource;
  /** The file name, without folder. */
  readonly name: string;
}

/**
 * A path, bytes, a stream, or samples. All but files are written to the engine's `tempDir` first, samples as WAV; do
 * not change bytes and samples during the run. Without a name they are called "input", or "input.txt" where text is
 * expected.
 */
export type RunInput = string | NamedFile | ByteSource | NamedBytes | SoundInput;

/** One file, several in order, or files by input field ("file_id", or the short name "file"). */
export type RunInputs = RunInput | readonly RunInput[] | Readonly<Record<string, RunInput | readonly RunInput[]>>;

/** A tool's declaration of its inputs. */
export interface InputTaker {
  readonly id: string;
  readonly inputs: InputRoles;
}

/** An input that is not a file yet. */
export interface PendingInput {
  readonly data: ByteSource | WaveBytes;
  /** It is safe. */
  readonly name: string;
  readonly field: string;
  /** The field's name in messages. */
  readonly what: string;
  /** null: the engine's limit. */
  readonly maxBytes: number | null;
}

export const isPending = (input: InputFile | PendingInput): input is PendingInput => 'data' in input;

/**
 * Sorts inputs by field and checks the files before any process starts.
 * @throws EarshotError bad_request, not_found, wrong_file_type or file_too_large
 */
export async function resolveInputs(
  tool: InputTaker,
  inputs: RunInputs,
): Promise<Record<string, readonly (InputFile | PendingInput)[]>> {
  const byField = inputsByField(tool, inputs);
  const resolved: Record<string, readonly (InputFile | PendingInput)[]> = {};
  for (const [field, role] of Object.entries(tool.inputs)) {
    const paths = byField.get(field) ?? [];
    resolved[field] = await Promise.all(paths.map((path) => checkInput(path, field, role)));
  }
  refuseTwice(Object.values(resolved).flat());
  return resolved;
}

/** @throws EarshotError bad_request for an unknown field, and for too few or too many files */
export function inputsByField(tool: InputTaker, inputs: RunInputs): ReadonlyMap<string, readonly RunInput[]> {
  const byField = assignFields(tool, inputs);
  const wrong = findWrongCount(tool.inputs, Object.fromEntries(byField));
  if (wrong !== null) throw wrongCount(tool, wrong);
  return byField;
}

function assignFields(tool: InputTaker, inputs: RunInputs): Map<string, readonly RunInput[]> {
  const fields = Object.keys(tool.inputs);
  if (Array.isArray(inputs)) return fillInOrder(tool, inputs as readonly RunInput[]);
  if (isOne(inputs)) return fillInOrder(tool, [inputs]);
  if (typeof inputs !== 'object' || inputs === null)
    throw badInputs(tool, `Expected a path for ${tool.id} but received ${String(inputs)}`, String(inputs));
  const byField = new Map<string, readonly RunInput[]>();
  for (const [name, value] of Object.entries(
    inputs as Readonly<Record<string, RunInput | readonly RunInput[] | undefined>>,
  )) {
    if (value === undefined) continue;
    const field = fields.find((each) => each === name || inputName(each) === name);
    if (field === undefined)
      throw badInputs(
        tool,
        `Unknown input ${shownName(name)} for ${tool.id}; expected ${fields.map(inputName).join(', ')}`,
        shownName(name),
      );
    byField.set(field, Array.isArray(value) ? (value as readonly RunInput[]) : [value as RunInput]);
  }
  return byField;
}

/** A plain list fills the fields in the order of their declaration, each up to its maximum: video first, then audio. */
function fillInOrder(tool: InputTaker, paths: readonly RunInput[]): Map<string, readonly RunInput[]> {
  const byField = new Map<string, readonly RunInput[]>();
  let rest = paths;
  for (const [field, role] of Object.entries(tool.inputs)) {
    byField.set(field, rest.slice(0, role.max));
    rest = rest.slice(role.max);
  }
  if (rest.length > 0) {
    const most = Object.values(tool.inputs).reduce((sum, role) => sum + role.max, 0);
    throw badInputs(
      tool,
      `Expected at most ${most} ${most === 1 ? 'file' : 'files'} for ${tool.id} but received ${paths.length}`,
      String(paths.length),
    );
  }
  return byField;
}

function wrongCount(tool: InputTaker, { field, expected, count }: WrongCount): EarshotError {
  const received = count === 0 ? 'none' : count;
  const message = `Expected ${expected} for ${inputName(field)} of ${tool.id} but received ${received}`;
  return badInputs(tool, message, String(count), field);
}

function badInputs(tool: InputTaker, message: string, received: string, field = 'inputs'): EarshotError {
  return new EarshotError('bad_request', message, {
    details: { field, expected: Object.keys(tool.inputs).join(', '), received },
  });
}

/** No input field is named `path`, `data`, `name`, `samples` or `raw`. */
const isOne = (inputs: RunInputs): inputs is RunInput =>
  typeof inputs === 'string' ||
  isByteSource(inputs) ||
  isSound(inputs) ||
  (typeof inputs === 'object' && inputs !== null && 'name' in inputs && ('path' in inputs || 'data' in inputs));

/** @throws EarshotError bad_request for a stream given twice: it can be read only once */
function refuseTwice(inputs: readonly (InputFile | PendingInput)[]): void {
  const streams = new Set<ByteSource>();
  for (const input of inputs) {
    const stream = isPending(input) ? streamOf(input.data) : null;
    if (!isPending(input) || stream === null) continue;
    if (streams.has(stream))
      throw new EarshotError('bad_request', `Expected a different stream for ${input.what} but received one twice`, {
        nextAction: 'A stream can be read only once. Read it into a Buffer, or pass a path.',
        details: { field: input.field },
      });
    streams.add(stream);
  }
}

async function checkInput(input: RunInput, field: string, role: InputRole): Promise<InputFile | PendingInput> {
  if (isByteSource(input)) {
    const [extension] = role.extensions;
    return pendingInput({ data: input, name: extension === undefined ? 'input' : `input.${extension}` }, field, role);
  }
  if (isSound(input)) return soundInput(input, field, role);
  if (typeof input === 'object' && input !== null && 'data' in input) return pendingInput(input, field, role);
  return checkFile(input, field, role);
}

/** @throws EarshotError bad_request, wrong_file_type */
function soundInput(sound: SoundInput, field: string, role: InputRole): PendingInput {
  const data = waveBytesOf(sound);
  checkExtension(data.name, 'samples', field, role);
  return { data, name: safeFileName(data.name), field, what: inputName(field), maxBytes: role.maxBytes };
}

/** @throws EarshotError bad_request, wrong_file_type */
function pendingInput({ data, name }: NamedBytes, field: string, role: InputRole): PendingInput {
  const what = inputName(field);
  if (!isByteSource(data) || typeof name !== 'string')
    throw new EarshotError('bad_request', `Expected bytes or a stream with a name for ${what}`, {
      details: { field, expected: 'data and name', received: `${typeof data} and ${typeof name}` },
    });
  checkExtension(name, name, field, role);
  return { data, name: safeFileName(name), field, what, maxBytes: role.maxBytes };
}

async function checkFile(input: string | NamedFile, field: string, role: InputRole): Promise<InputFile | PendingInput> {
  const { path: given, name } = typeof input === 'object' && input !== null ? input : { path: input, name: null };
  if (typeof given !== 'string' || given === '') {
    throw new EarshotError(
      'bad_request',
      `Expected a path for ${inputName(field)} but received ${given === '' ? 'an empty string' : typeof given}`,
      { details: { field, expected: 'path', received: typeof given } },
    );
  }
  const path = resolve(given);
  const details = { field, path };
  const facts = await stat(path).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR')
      throw new EarshotError('not_found', `There is no file ${given}`, { details });
    throw pathError(thrown, given, field);
  });
  if (facts.isFIFO()) return pendingInput({ data: fifoSource(path), name: name ?? basename(path) }, field, role);
  if (!facts.isFile())
    throw new EarshotError(
      'bad_request',
      `Expected a file for ${inputName(field)} but ${given} ` +
        `is ${facts.isDirectory() ? 'a folder' : 'not a regular file'}`,
      { details },
    );
  await access(path, constants.R_OK).catch((cause: unknown) => {
    throw new EarshotError('bad_request', `No permission to read ${given}`, { details, cause });
  });
  checkExtension(name ?? path, name ?? given, field, role);
  if (role.maxBytes !== null && facts.size > role.maxBytes) {
    throw new EarshotError(
      'file_too_large',
      `Expected at most ${role.maxBytes} bytes for ${inputName(field)} but ${name ?? given} has ${facts.size}`,
      { details },
    );
  }
  return { path, name: name === null ? basename(path) : safeFileName(name) };
}

/** @throws EarshotError wrong_file_type */
function checkExtension(name: string, shown: string, field: string, { kind, extensions }: InputRole): void {
  const extension = extname(name).slice(1).toLowerCase();
  // A picture's bytes say what it is, and links to pictures often have no extension.
  if (kind === 'picture' || extensions.length === 0 || extensions.includes(extension)) return;
  throw new EarshotError(
    'wrong_file_type',
    `Expected a file of type ${extensions.join(', ')} for ${inputName(field)} but received ${shown}`,
    { details: { field, path: shown } },
  );
}
