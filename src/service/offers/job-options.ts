import { createOptionsParser, type OptionSchema } from '../../library/core/checks/schema.ts';
import type { AnyTool } from '../../library/tools/declare/define.ts';

/** What jobs may ask for beyond a tool's own options: by option, keywords of the schema that are wider. */
const wider: Readonly<Record<string, Readonly<Record<string, OptionSchema>>>> = {
  // The older API allows values down to 1, almost no reduction.
  remove_noise: { noise_reduction: { minimum: 1 } },
};

/**
 * `tool.parseOptions` for jobs and for the older API, which allows more than the other interfaces.
 * @throws EarshotError bad_request with details {field, expected, received}
 */
export function parseJobOptions(tool: AnyTool, options: unknown): Readonly<Record<string, unknown>> {
  const bounds = wider[tool.id];
  if (bounds === undefined) return tool.parseOptions(options);
  const properties = Object.fromEntries(
    Object.entries(tool.options.properties ?? {}).map(([name, one]) => [name, { ...one, ...bounds[name] }]),
  );
  const parse = createOptionsParser<Readonly<Record<string, unknown>>>(tool.id, { ...tool.options, properties });
  const parsed = parse(options, 'json');
  tool.check?.(parsed);
  return parsed;
}
