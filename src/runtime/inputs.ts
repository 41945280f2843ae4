import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { EarshotError } from '../core/errors.ts';
import { pathError } from '../core/file-errors.ts';
import { inputName } from '../tools/declare/inputs.ts';
import type { InputRole, InputRoles } from '../contract/tool-inputs.ts';

/**
 * A path, or a path with the file name that its owner knows it by: outputs are named after that, and its extension
 * counts.
 */
export type RunInput =
  | string
  | {
      /** Absolute, or from the current folder. */
      readonly path: string;
      /** The file name, without folder. */
      readonly name: string;
    };

/** One file, several in order, or files by input field ("file_id", or the short name "file"). */
export type RunInputs = string | readonly RunInput[] | Readonly<Record<string, string | readonly RunInput[]>>;

/** What is asked of a tool about its inputs. */
export interface InputTaker {
  readonly id: string;
  readonly inputs: InputRoles;
}

export interface ResolvedInput {
  /** Absolute. */
  readonly path: string;
  /** The name to give it in the run; null: the path's own. */
  readonly name: string | null;
}

/**
 * Brings inputs into one form, lists by field, and checks the files before any process starts.
 * @throws EarshotError bad_request, not_found, wrong_file_type or file_too_large
 */
export async function resolveInputs(
  tool: InputTaker,
  inputs: RunInputs,
): Promise<Record<string, readonly ResolvedInput[]>> {
  const byField = assignFields(tool, inputs);
  const resolved: Record<string, readonly ResolvedInput[]> = {};
  for (const [field, role] of Object.entries(tool.inputs)) {
    const paths = byField.get(field) ?? [];
    if (paths.length < role.min || paths.length > role.max) throw wrongCount(tool, field, role, paths.length);
    resolved[field] = await Promise.all(paths.map((path) => checkFile(path, field, role)));
  }
  return resolved;
}

function assignFields(tool: InputTaker, inputs: RunInputs): Map<string, readonly RunInput[]> {
  const fields = Object.keys(tool.inputs);
  if (typeof inputs === 'string' || Array.isArray(inputs))
    return fillInOrder(tool, (typeof inputs === 'string' ? [inputs] : inputs) as readonly RunInput[]);
  if (typeof inputs !== 'object' || inputs === null)
    throw badInputs(tool, `Expected a path for ${tool.id} but received ${String(inputs)}`, String(inputs));
  const byField = new Map<string, readonly RunInput[]>();
  for (const [name, value] of Object.entries(
    inputs as Readonly<Record<string, string | readonly RunInput[] | undefined>>,
  )) {
    if (value === undefined) continue;
    const field = fields.find((each) => each === name || inputName(each) === name);
    if (field === undefined)
      throw badInputs(tool, `Unknown input ${name} for ${tool.id}; expected ${fields.map(inputName).join(', ')}`, name);
    byField.set(field, typeof value === 'string' ? [value] : value);
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

function wrongCount(tool: InputTaker, field: string, role: InputRole, count: number): EarshotError {
  const files =
    role.min === role.max ? (role.min === 1 ? 'one file' : `${role.min} files`) : `${role.min} to ${role.max} files`;
  return badInputs(
    tool,
    `Expected ${files} for ${inputName(field)} of ${tool.id} but received ${count === 0 ? 'none' : count}`,
    String(count),
    field,
  );
}

function badInputs(tool: InputTaker, message: string, received: string, field = 'inputs'): EarshotError {
  return new EarshotError('bad_request', message, {
    details: { field, expected: Object.keys(tool.inputs).join(', '), received },
  });
}

async function checkFile(input: RunInput, field: string, role: InputRole): Promise<ResolvedInput> {
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
  if (!facts.isFile())
    throw new EarshotError(
      'bad_request',
      `Expected a file for ${inputName(field)} but ${given} is ${facts.isDirectory() ? 'a folder' : 'no regular file'}`,
      { details },
    );
  await access(path, constants.R_OK).catch((cause: unknown) => {
    throw new EarshotError('bad_request', `No permission to read ${given}`, { details, cause });
  });
  const extension = extname(name ?? path)
    .slice(1)
    .toLowerCase();
  if (role.extensions.length > 0 && !role.extensions.includes(extension)) {
    throw new EarshotError(
      'wrong_file_type',
      `Expected a file of type ${role.extensions.join(', ')} for ${inputName(field)} but received ${name ?? given}`,
      { details },
    );
  }
  if (role.maxBytes !== null && facts.size > role.maxBytes) {
    throw new EarshotError(
      'file_too_large',
      `Expected at most ${role.maxBytes} bytes for ${inputName(field)} but ${name ?? given} has ${facts.size}`,
      { details },
    );
  }
  return { path, name };
}
