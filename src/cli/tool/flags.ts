import { extname } from 'node:path';
import { Option, type Command } from 'commander';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { describeExpected, type OptionSchema } from '../../library/core/checks/schema.ts';
import { inputName } from '../../library/tools/declare/inputs.ts';
import { fitsExtension } from '../../library/runtime/files/output-names.ts';
import type { AnyTool } from '../../library/tools/declare/define.ts';
import type { InputRole } from '../../library/contract/tool-inputs.ts';
import { kebab, optionFlag, shortOf } from '../terminal/flag-names.ts';
import { terminalWords } from '../terminal/wording.ts';
import { pairOfTimes } from '../../library/tools/said-values.ts';
import { readTyped } from './typed-values.ts';

/**
 * Accepts flags and commands as the interface spells them, too: adjust_loudness, --noise_reduction, --match-loudness
 * false.
 */
export function acceptApiForms(args: readonly string[], tools: readonly AnyTool[]): string[] {
  const switches = new Set(
    tools.flatMap((tool) =>
      schemaProperties(tool)
        .filter(([, { type }]) => type === 'boolean')
        .map(([name]) => optionFlag(name)),
    ),
  );
  const end = args.indexOf('--');
  const flags = end === -1 ? [...args] : args.slice(0, end);
  const accepted: string[] = [];
  const [first] = flags;
  const named = tools.find(({ id }) => id === first);
  if (named) flags[0] = named.slug;
  for (let index = 0; index < flags.length; index++) {
    const arg = flags[index] as string;
    const [typed = '', ...rest] = arg.split('=');
    const flag = arg.startsWith('--') ? kebab(typed) : arg;
    const value = rest.length > 0 ? rest.join('=') : flags[index + 1];
    if (switches.has(flag) && (value === 'true' || value === 'false')) {
      accepted.push(value === 'true' ? flag : flag.replace('--', '--no-'));
      if (rest.length === 0) index++;
    } else accepted.push(arg.startsWith('--') && rest.length > 0 ? `${flag}=${rest.join('=')}` : flag);
  }
  return [...accepted, ...args.slice(flags.length)];
}

/** Adds one flag per option of the tool, with range and default in the help. */
export function addToolFlags(command: Command, tool: AnyTool): void {
  for (const [name, schema] of schemaProperties(tool)) {
    const { default: preset } = schema;
    const described = terminalWords(schema.description ?? '');
    const flag = optionFlag(name);
    if (schema.type === 'boolean') {
      command.addOption(new Option(flag, helpText(described, schema, preset === true ? 'true' : 'false')));
      command.addOption(new Option(flag.replace('--', '--no-'), `turns ${flag} off`));
      continue;
    }
    const option = suggesting(
      schema.enum,
      `${shortOf(name)}${flag} <value>`,
      helpText(described, schema, textOf(preset)),
    );
    command.addOption(schema.type === 'array' ? option.argParser(onceFor(flag)) : option);
  }
  for (const [field, role] of flaggedInputs(tool)) {
    const flag = `--${kebab(inputName(field))}`;
    command.addOption(new Option(`${flag} <${role.multiple ? 'files...' : 'file'}>`, terminalWords(role.title)));
  }
}

/** Of a list that is typed twice the last alone would count, and a name to be taken out would stay in. */
const onceFor =
  (flag: string) =>
  (value: string, before: string | undefined): string => {
    if (before === undefined || before === value) return value;
    throw new EarshotError('bad_request', `Expected ${flag} once but received ${before} and ${value}`, {
      nextAction: 'Write one list, with commas between; what is to be done otherwise is another run.',
      details: { field: flag, received: value },
    });
  };

/** Values that a shell may offer after a flag. */
const suggestions = new WeakMap<Option, readonly string[]>();

function suggesting(values: OptionSchema['enum'], flags: string, description: string): Option {
  const option = new Option(flags, description);
  if (values !== undefined) suggestions.set(option, values.map(String));
  return option;
}

/** The known values of an option, for completion in shells. */
export const suggestedValues = (option: Option): readonly string[] => suggestions.get(option) ?? [];

function helpText(described: string, schema: OptionSchema, preset: string | undefined): string {
  const items = itemFields(schema);
  if (pairOfTimes(schema)) return `${described} (such as 0:10-0:20,61.5-63, or [[10,20],[61.5,63]])`;
  const range =
    schema.type === 'boolean' ? '' : describeExpected(items.length === 0 ? schema : { ...schema, items: {} });
  const facts = [range, preset === undefined ? '' : `default: ${preset}`].filter((part) => part !== '').join('; ');
  const whole =
    described === '' ? facts : `${described}${facts === '' ? '' : ` (${facts.replace(', each value', '')})`}`;
  const fields = items.map(([name, field]) => {
    const said = helpText(terminalWords(field.description ?? ''), field, textOf(field.default));
    return `${kebab(name)}: ${said}`;
  });
  return [whole, ...(fields.length === 0 ? [] : [`A JSON list of objects with ${fields.join('; ')}`])].join('. ');
}

const textOf = (preset: unknown): string | undefined =>
  preset === undefined || typeof preset === 'string' ? preset : JSON.stringify(preset);

/** The fields of the objects in a list. */
function itemFields({ items }: OptionSchema): [string, OptionSchema][] {
  return Array.isArray(items) ? [] : Object.entries((items as OptionSchema | undefined)?.properties ?? {});
}

export function schemaProperties(tool: AnyTool): [string, OptionSchema][] {
  return Object.entries(tool.options.properties ?? {});
}

/** The typed options under their own names, still as text; `parseOptions(..., 'text')` reads them. */
export function typedOptions(command: Command, tool: AnyTool): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const [name, schema] of schemaProperties(tool)) {
    const attribute = attributeName(optionFlag(name));
    // For a --no-x flag commander assumes true; only what the user typed counts.
    if (command.getOptionValueSource(attribute) !== 'cli') continue;
    const value: unknown = command.getOptionValue(attribute);
    given[name] = typeof value === 'string' && itemFields(schema).length > 0 ? parseList(value) : value;
  }
  return readTyped(given, tool.options.properties ?? {});
}

/** Field names in a list of objects as in the interface: volume-db becomes volume_db. */
export function withInterfaceNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withInterfaceNames);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name.replaceAll('-', '_'), inner]));
}

function parseList(json: string): unknown {
  try {
    return withInterfaceNames(JSON.parse(json));
  } catch {
    // Validation reports the problem.
    return json;
  }
}

/** The option that chooses the output format; undefined where there is no choice, or `formats` is used. */
export const formatOption = (tool: AnyTool): [string, OptionSchema] | undefined =>
  tool.formats === undefined
    ? schemaProperties(tool).find(([name]) => name === 'format' || name === 'output_format')
    : undefined;

/** Does the extension of -o choose the format? */
export const choosesFormat = (tool: AnyTool): boolean => formatOption(tool) !== undefined;

/**
 * The format of a name's extension, as the option for it, for tools with a choice of formats. Undefined when a flag
 * made the choice (then `typed` has it), the tool has no such format, or the input has the same extension.
 * @param output the file that -o names
 */
export function formatByName(
  tool: AnyTool,
  typed: Readonly<Record<string, unknown>>,
  input: string | undefined,
  output: string,
): Record<string, string> {
  const [name, schema] = formatOption(tool) ?? [];
  const extension = extname(output).slice(1).toLowerCase();
  if (name === undefined || typed[name] !== undefined) return {};
  const writable = (schema?.enum ?? []).map(String).filter((format) => format !== 'same');
  const format = writable.find((one) => one === extension) ?? writable.find((one) => fitsExtension(extension, one));
  if (format === undefined) return {};
  const keeps =
    schema?.default === 'same' &&
    fitsExtension(
      extname(input ?? '')
        .slice(1)
        .toLowerCase(),
      extension,
    );
  return keeps ? {} : { [name]: format };
}

/** The inputs given by flags. */
export function typedInputs(command: Command, tool: AnyTool): Record<string, string | readonly string[]> {
  const given: Record<string, string | readonly string[]> = {};
  for (const [field] of flaggedInputs(tool)) {
    const value: unknown = command.getOptionValue(attributeName(`--${kebab(inputName(field))}`));
    if (value !== undefined) given[field] = value as string | readonly string[];
  }
  return given;
}

/** Commander's name for a flag's value. */
const attributeName = (flag: string): string => new Option(`${flag} <value>`).attributeName();

/** Inputs given as plain arguments: the required ones, or the first if none is required. */
export function positionalInputs(tool: AnyTool): [string, InputRole][] {
  const all = Object.entries(tool.inputs);
  const required = all.filter(([, role]) => role.min > 0);
  return required.length > 0 ? required : all.slice(0, 1);
}

function flaggedInputs(tool: AnyTool): [string, InputRole][] {
  const positional = new Set(positionalInputs(tool).map(([field]) => field));
  return Object.entries(tool.inputs).filter(([field]) => !positional.has(field));
}

/** false: all files may be given by flags (level-speakers --tracks a b). */
export const needsPlainFiles = (tool: AnyTool): boolean => positionalInputs(tool).some(([, role]) => role.min > 0);

/** A tool with one file runs once per argument; others take all arguments in one run. */
export function takesOneFile(tool: AnyTool): boolean {
  const positional = positionalInputs(tool);
  return positional.length === 1 && positional[0]?.[1].max === 1;
}
