// A tool's options as a Standard Schema (standardschema.dev), which forms, routers and model libraries take.
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { EarshotError } from '../core/errors/errors.ts';
import type { ToolIdOf, ToolName } from '../contract/tool-ids.ts';
import type { ToolOptionsById } from './option-types.ts';
import { requireTool } from './registry.ts';

/**
 * The options of a tool as a Standard Schema: validation at the edge of a program of one's own, by the rules that
 * `Engine.run` has, with the types of the options. What it answers has the defaults filled in. `tool.options` of
 * `tools` is the same as JSON Schema.
 * @param tool public id ("adjust_loudness") or slug ("loudness")
 * @throws EarshotError not_found for a name that is no tool's
 * @example
 *   const result = await optionsSchema('loudness')['~standard'].validate({ target: 'podcast' });
 */
export function optionsSchema<Name extends ToolName>(tool: Name): StandardSchemaV1<ToolOptionsById[ToolIdOf<Name>]> {
  type Options = ToolOptionsById[ToolIdOf<Name>];
  const chosen = requireTool(tool);
  return {
    '~standard': {
      version: 1,
      vendor: 'earshot',
      validate(given): StandardSchemaV1.Result<Options> {
        try {
          // The declaration proves that these are its options.
          return { value: chosen.parseOptions(given) };
        } catch (thrown) {
          if (!(thrown instanceof EarshotError) || thrown.code === 'internal_error') throw thrown;
          const field = thrown.details?.['field'];
          const isOption = typeof field === 'string' && field in (chosen.options.properties ?? {});
          return { issues: [{ message: thrown.message, ...(isOption ? { path: [field] } : {}) }] };
        }
      },
    },
  };
}
