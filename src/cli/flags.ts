import { Option, type Command } from 'commander';
import { describeExpected, type OptionSchema } from '../core/schema.ts';
import { inputName, type AnyTool, type InputRole } from '../tools/define.ts';

/** noise_reduction -> noise-reduction */
const kebab = (name: string): string => name.replaceAll('_', '-');

/** Flags that every tool command has. */
const commonFlags: readonly string[] = ['output', 'overwrite', 'jobs', 'json', 'help', 'version'];

/** The flag of an option, without dashes. An option that is called like a common flag carries the tool's slug: --cut-output. */
export const flagName = (tool: AnyTool, option: string): string => kebab(commonFlags.includes(option) ? `${tool.slug}-${option}` : option);

/** Flags may be typed as the options are named in the API, too: --noise_reduction. Values are left alone. */
export function acceptSnakeCase(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  return args.map((arg, index) => {
    if (!arg.startsWith('--') || (end !== -1 && index >= end)) return arg;
    const equals = arg.indexOf('=');
    return equals === -1 ? kebab(arg) : kebab(arg.slice(0, equals)) + arg.slice(equals);
  });
}

/** Adds one flag per option of the tool, with range and default in the help. */
export function addToolFlags(command: Command, tool: AnyTool): void {
  for (const [name, schema] of schemaProperties(tool)) {
    const { default: preset } = schema;
    const described = schema.description ?? '';
    if (schema.type === 'boolean') {
      command.addOption(new Option(`--${flagName(tool, name)}`, helpText(described, schema, preset === true ? 'true' : 'false')));
      command.addOption(new Option(`--no-${flagName(tool, name)}`, `turns --${flagName(tool, name)} off`));
      continue;
    }
    command.addOption(new Option(`--${flagName(tool, name)} <value>`, helpText(described, schema, preset === undefined ? undefined : typeof preset === 'string' ? preset : JSON.stringify(preset))));
  }
  for (const [field, role] of flaggedInputs(tool)) {
    command.addOption(new Option(`--${kebab(inputName(field))} <${role.multiple ? 'files...' : 'file'}>`, role.title));
  }
}

function helpText(described: string, schema: OptionSchema, preset: string | undefined): string {
  const range = schema.type === 'boolean' ? '' : describeExpected(schema);
  const facts = [range, preset === undefined ? '' : `default: ${preset}`].filter((part) => part !== '').join('; ');
  return described === '' ? facts : `${described}${facts === '' ? '' : ` (${facts})`}`;
}

function schemaProperties(tool: AnyTool): [string, OptionSchema][] {
  return Object.entries((tool.options as object as OptionSchema).properties ?? {});
}

/** The options that were typed, under their own names and still as text; `parseOptions(..., 'text')` reads them. */
export function typedOptions(command: Command, tool: AnyTool): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const [name] of schemaProperties(tool)) {
    const attribute = attributeName(flagName(tool, name));
    // A --no-x flag alone makes commander assume true; only what the user typed counts.
    if (command.getOptionValueSource(attribute) === 'cli') given[name] = command.getOptionValue(attribute);
  }
  return given;
}

/** The inputs that came as flags. */
export function typedInputs(command: Command, tool: AnyTool): Record<string, string | readonly string[]> {
  const given: Record<string, string | readonly string[]> = {};
  for (const [field] of flaggedInputs(tool)) {
    const value: unknown = command.getOptionValue(attributeName(inputName(field)));
    if (value !== undefined) given[field] = value as string | readonly string[];
  }
  return given;
}

/** The name under which commander keeps a flag's value. */
const attributeName = (name: string): string => new Option(`--${kebab(name)} <value>`).attributeName();

/** Inputs that are the plain arguments: the required ones, or the first when none is required. */
export function positionalInputs(tool: AnyTool): [string, InputRole][] {
  const all = Object.entries(tool.inputs);
  const required = all.filter(([, role]) => role.min > 0);
  return required.length > 0 ? required : all.slice(0, 1);
}

function flaggedInputs(tool: AnyTool): [string, InputRole][] {
  const positional = new Set(positionalInputs(tool).map(([field]) => field));
  return Object.entries(tool.inputs).filter(([field]) => !positional.has(field));
}

/** A tool that takes one file is run once per argument; others take all arguments in one run. */
export function takesOneFile(tool: AnyTool): boolean {
  const positional = positionalInputs(tool);
  return positional.length === 1 && positional[0]?.[1].max === 1;
}
