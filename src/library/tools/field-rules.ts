// The rules between the fields of a request that a tool declares: as sentences for people and models, and as JSON
// Schema.
import type { AnyTool } from './declare/define.ts';
import type { OptionRule } from './declare/refusals.ts';

type Conditions = { readonly [keyword: string]: unknown };

/** An option that requires certain values of another one. */
function optionConditions({ options }: AnyTool, option: string, { field, values, required }: OptionRule): Conditions {
  const usual = options.properties?.[field]?.default;
  // A missing field matches `properties`, so it is required unless its default is one of the values.
  const asked = typeof usual === 'string' && values.includes(usual) ? {} : { required: [field] };
  const given = { required: [option] };
  const within = { properties: { [field]: { enum: values } }, ...asked };
  return required
    ? { oneOf: [{ allOf: [within, given] }, { not: { anyOf: [within, given] } }] }
    : { anyOf: [within, { not: given }] };
}

/** The rules as keywords for the root of a schema; {} without rules. */
export function ruleConditions(tool: AnyTool): Conditions {
  const { exactlyOne = [], needs = {} } = tool.fieldRules;
  const rules = [
    ...exactlyOne.map((fields) => ({ oneOf: fields.map((field) => ({ required: [field] })) })),
    ...Object.entries(needs).map(([field, other]) => ({
      anyOf: [{ not: { required: [field] } }, { required: [other] }],
    })),
    ...Object.entries(tool.optionRules).map(([option, rule]) => optionConditions(tool, option, rule)),
  ];
  const [first = {}, ...others] = rules;
  return others.length === 0 ? first : { allOf: rules };
}

/** The rules, a sentence each. */
export function ruleSentences(tool: AnyTool): readonly string[] {
  const { fieldRules: rules, optionRules, inputs, options } = tool;
  const known = new Set([...Object.keys(inputs), ...Object.keys(options.properties ?? {})]);
  const { exactlyOne = [], needs = {} } = rules;
  return [
    ...exactlyOne.map((fields) => `Give exactly one of ${fields.join(' and ')}.`),
    ...Object.entries(needs).map(([field, other]) => `${field} needs ${other}.`),
    ...Object.entries(optionRules)
      .filter(([option]) => known.has(option))
      .map(([option, { field, values, required }]) =>
        required
          ? `${option} is needed with ${field} ${values.join(', ')}, and only then.`
          : `${option} only with ${field} ${values.join(', ')}.`,
      ),
  ];
}
