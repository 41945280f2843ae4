// What of a tool the service shows. The interface refuses fields that it does not name, so what the library and the
// command line have beyond it is taken away here, in one place.
import type { InputRole } from '../../contract/tool-inputs.ts';
import { createOptionsParser, type OptionSchema, type OptionsSource } from '../../core/schema.ts';
import type { AnyTool } from './define.ts';
import type { FieldRules } from './refusals.ts';

const known = new WeakMap<AnyTool, AnyTool>();

/**
 * The tool as the interface has it: without `localFields`, within `interfaceBounds`; a field that only local ones could
 * replace is required.
 */
export function interfaceTool(tool: AnyTool): AnyTool {
  if (tool.localFields.length === 0 && Object.keys(tool.interfaceBounds).length === 0) return tool;
  const before = known.get(tool);
  if (before !== undefined) return before;
  const shown = Object.freeze(withoutLocal(tool));
  known.set(tool, shown);
  known.set(shown, shown);
  return shown;
}

function withoutLocal(tool: AnyTool): AnyTool {
  const local = new Set(tool.localFields);
  const shownOf = <Value>(fields: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => !local.has(name)));
  const choices = (tool.fieldRules.exactlyOne ?? []).map((fields) => fields.filter((name) => !local.has(name)));
  const required = choices.flatMap(([only, ...others]) => (only !== undefined && others.length === 0 ? [only] : []));
  const inputs = Object.fromEntries(
    Object.entries(shownOf(tool.inputs)).map(([name, role]) => [name, required.includes(name) ? needed(role) : role]),
  );
  const shownIn = (schema: OptionSchema): OptionSchema => {
    const properties = Object.fromEntries(
      Object.entries(shownOf(schema.properties ?? {})).map(([name, one]) => [
        name,
        { ...one, ...tool.interfaceBounds[name] },
      ]),
    );
    const ofChoices = required.filter((name) => name in properties);
    return { ...schema, properties, required: [...(schema.required ?? []), ...ofChoices] };
  };
  const options = shownIn(tool.options);
  const jobOptions = tool.jobOptions === undefined ? undefined : shownIn(tool.jobOptions);
  const parse = createOptionsParser<Readonly<Record<string, unknown>>>(tool.id, options);
  const parseJob =
    jobOptions === undefined ? parse : createOptionsParser<Readonly<Record<string, unknown>>>(tool.id, jobOptions);
  return {
    ...tool,
    inputs,
    options,
    ...(jobOptions === undefined ? {} : { jobOptions }),
    fieldRules: rulesOf(tool.fieldRules, choices, local),
    localFields: [],
    interfaceBounds: {},
    parseOptions(given: unknown, source: OptionsSource | 'job' = 'json') {
      const parsed = source === 'job' ? parseJob(given, 'json') : parse(given, source);
      // For the rules between options.
      tool.parseOptions(parsed, source === 'job' ? 'job' : 'json');
      return parsed;
    },
  };
}

const needed = (role: InputRole): InputRole => ({ ...role, min: role.minGiven });

function rulesOf({ needs = {} }: FieldRules, choices: readonly (readonly string[])[], local: ReadonlySet<string>) {
  const several = choices.filter((fields) => fields.length > 1);
  const kept = Object.entries(needs).filter(([field, other]) => !local.has(field) && !local.has(other));
  return {
    ...(several.length === 0 ? {} : { exactlyOne: several }),
    ...(kept.length === 0 ? {} : { needs: Object.fromEntries(kept) }),
  };
}
