import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { JsonObject } from '../../../library/core/json.ts';
import { shownName, unknownName } from '../../../library/core/checks/names.ts';
import { badInput, badValue, mostBytesOf, type OptionSchema } from '../../../library/core/checks/schema.ts';
import { describeCount, type FilesByField } from '../../../library/contract/tool-inputs.ts';
import type { BroughtFile } from '../../rules/free-runs/free-run-use-cases.ts';
import type { FileField, ToolForm } from '../interface/tool-form.ts';
import { refuseFields } from '../../../library/tools/declare/refusals.ts';

/** 4,000 characters, each of up to four bytes. */
const mostLinkBytes = 16_000;

/** Fields that need an API key. */
const keyedFields = ['free', 'max_credits'] as const;

/** All fields of a form, in the order of messages. */
const fieldNames = ({ files, options, formats }: ToolForm): readonly string[] => [
  ...files.map(({ name }) => name),
  ...options,
  ...(formats.length > 0 ? ['format'] : []),
  ...keyedFields,
];

/** A completely read request. */
export interface ReadForm {
  readonly inputs: FilesByField<BroughtFile>;
  readonly options: JsonObject;
  readonly format: string | null;
  readonly free: boolean | undefined;
  readonly maxCredits: number | null;
}

/** Collects a request's fields and files in any order. */
export interface FormReader {
  /**
   * Most bytes of a value of this field.
   * @throws EarshotError bad_request for an unknown name
   */
  mostBytes(name: string): number;
  /** Does this field take links? */
  takesLinks(name: string): boolean;
  /**
   * The file field of this name.
   * @throws EarshotError bad_request when it is not a file field, or cannot take another file
   */
  fileField(name: string, link: boolean): FileField;
  /** Adds a file to its input. */
  addFile(field: FileField, file: BroughtFile): void;
  /** @throws EarshotError bad_request for an unknown or repeated name */
  addValue(name: string, value: unknown): void;
  /** @throws EarshotError bad_request, text_too_long with the field, the expected and the received value */
  finish(): ReadForm;
}

/**
 * @param source 'text' for forms, in which all values are text; 'json' for typed values
 * @param keyed has the request an API key?
 */
export function createFormReader(form: ToolForm, source: 'text' | 'json', keyed: boolean): FormReader {
  const { tool, files, options, formats } = form;
  const brought = new Map<string, BroughtFile[]>();
  const values = new Map<string, unknown>();
  const names = fieldNames(form);

  const refuseUnknown = (name: string): EarshotError => {
    if (name === 'idempotency_key' || /(?:^|_)file_ids?$/.test(name))
      return new EarshotError(
        'bad_request',
        `Expected no ${shownName(name)} for ${tool.slug}: ` +
          (name === 'idempotency_key' ? 'use the header Idempotency-Key' : 'files are sent with the request itself'),
        {
          details: { field: shownName(name) },
          nextAction:
            name === 'idempotency_key'
              ? 'Send the header Idempotency-Key instead.'
              : `Send the file as ${files.map((field) => field.name).join(' or ')}.`,
        },
      );
    return unknownName(name, tool.slug, names, 'field');
  };

  const { properties = {} } = tool.options as { readonly properties?: Readonly<Record<string, OptionSchema>> };
  return {
    mostBytes(name) {
      if (!names.includes(name)) throw refuseUnknown(name);
      return files.some((each) => each.name === name) ? mostLinkBytes : mostBytesOf(properties[name]);
    },
    takesLinks: (name) => files.some((each) => each.name === name && each.link),
    fileField(name, link) {
      const field = files.find((each) => each.name === name);
      if (field === undefined)
        throw names.includes(name) ? badInput(name, 'text', 'a file', `${name} of ${tool.slug}`) : refuseUnknown(name);
      if (field.link !== link)
        throw badInput(
          name,
          field.link ? 'public https link' : 'file',
          link ? 'text' : 'a file',
          `${name} of ${tool.slug}`,
        );
      const count = brought.get(field.input)?.length ?? 0;
      if (count >= field.role.max)
        throw badInput(name, describeCount(field.role), `more than ${count}`, `${name} of ${tool.slug}`);
      return field;
    },
    addFile({ input }, file) {
      brought.set(input, [...(brought.get(input) ?? []), file]);
    },
    addValue(name, value) {
      if (!names.includes(name)) throw refuseUnknown(name);
      const field = files.find((each) => each.name === name);
      if (field !== undefined)
        throw badValue(name, field.link ? 'public https link' : 'file', value, `${name} of ${tool.slug}`);
      if ((keyedFields as readonly string[]).includes(name) && !keyed)
        throw new EarshotError('bad_request', `Expected an API key together with ${name} but received none`, {
          details: { field: name },
          nextAction: 'Send Authorization: Bearer <API key>, or leave the field out.',
        });
      if (values.has(name)) throw badInput(name, 'one value', 'several', `${name} of ${tool.slug}`);
      values.set(name, value);
    },
    finish() {
      for (const [input, role] of Object.entries(tool.inputs)) {
        const count = brought.get(input)?.length ?? 0;
        const least = count === 0 ? role.min : role.minGiven;
        if (count >= least) continue;
        const own = files.filter((each) => each.input === input).map(({ name }) => name);
        throw badInput(own[0] ?? input, describeCount(role), count === 0 ? 'nothing' : String(count), own.join(' or '));
      }
      const given = new Set([...brought.keys(), ...values.keys()]);
      const [refusal] = refuseFields(tool.fieldRules, given);
      if (refusal) throw new EarshotError(refusal.code, inFormNames(refusal.message, form));
      const own = Object.fromEntries(options.flatMap((name) => (values.has(name) ? [[name, values.get(name)]] : [])));
      return {
        inputs: Object.fromEntries(brought),
        options: tool.parseOptions(own, source) as JsonObject,
        format: formats.length === 0 ? null : readFormat(values.get('format') ?? formats[0], formats),
        free: readBoolean(values.get('free'), source),
        maxCredits: readCredits(values.get('max_credits'), source),
      };
    },
  };
}

/** Replaces input names (file_id) by field names (file) in messages of the declaration. */
const inFormNames = (message: string, { files }: ToolForm): string =>
  files
    .filter(({ link }) => !link)
    .reduce((text, { input, name }) => text.replaceAll(new RegExp(`\\b${input}\\b`, 'g'), name), message);

function readFormat(value: unknown, formats: readonly string[]): string {
  if (typeof value === 'string' && formats.includes(value)) return value;
  throw badValue('format', `one of ${formats.join(', ')}`, value);
}

function readBoolean(value: unknown, source: 'text' | 'json'): boolean | undefined {
  if (value === undefined) return undefined;
  const read = source === 'text' ? (value === 'true' ? true : value === 'false' ? false : value) : value;
  if (typeof read === 'boolean') return read;
  throw badValue('free', 'true or false', value);
}

function readCredits(value: unknown, source: 'text' | 'json'): number | null {
  if (value === undefined) return null;
  const read = source === 'text' && typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  if (typeof read === 'number' && Number.isSafeInteger(read) && read > 0) return read;
  throw badValue('max_credits', 'integer above 0', value);
}

/** @throws EarshotError bad_request for what cannot be a link at all */
export function requireLink(name: string, value: unknown): string {
  if (typeof value === 'string' && value.length > 0 && value.length <= 4000) return value;
  throw badValue(name, 'public https link of 1 to 4000 characters', value);
}
