// In place of core/checks/compile-schema.ts: validators that the build has compiled, since a page's policy forbids to
// make functions of text.
import type { ValidateFunction } from 'ajv';

const known = new Map<object, ValidateFunction>();

export function useValidator(schema: object, validate: ValidateFunction): void {
  known.set(schema, validate);
}

export function compileSchema(schema: object): ValidateFunction {
  const validate = known.get(schema);
  if (!validate) throw new TypeError('Expected a validator from the build');
  return validate;
}
