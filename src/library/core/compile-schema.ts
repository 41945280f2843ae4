import { createRequire } from 'node:module';
import type { Options, ValidateFunction } from 'ajv';

/**
 * Compiles a JSON Schema with Ajv, which is loaded here and not at the head of a file: its 63 modules are for whoever
 * checks something, and job processes and most commands never do.
 */
export function compileSchema(schema: object, options: Options): ValidateFunction {
  const { Ajv } = createRequire(import.meta.url)('ajv') as typeof import('ajv');
  return new Ajv(options).compile(schema);
}
