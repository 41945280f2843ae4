import { createRequire } from 'node:module';
import type { Options, ValidateFunction } from 'ajv';

/**
 * Compiles a JSON Schema with Ajv. Its 63 modules are loaded on first use: job processes and most commands never need
 * them. The schema is not checked by JSON Schema's own (50 ms of CPU at each start): `Options` of strict mode refuse
 * unknown keywords, and a test checks ours.
 */
export function compileSchema(schema: object, options: Options): ValidateFunction {
  const { Ajv } = createRequire(import.meta.url)('ajv') as typeof import('ajv');
  return new Ajv({ ...options, meta: false, validateSchema: false }).compile(schema);
}
