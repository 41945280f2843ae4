/** JSON Schema of what has the named fields and no others, in a few words: what result-schemas.ts is written in. */
type Schema = Readonly<Record<string, unknown>>;

export const text: Schema = { type: 'string' };
export const number: Schema = { type: 'number' };
export const truth: Schema = { type: 'boolean' };
export const none: Schema = { type: 'null' };

/** A field that may be missing. */
interface Maybe {
  readonly maybe: Schema;
}
export const maybe = (schema: Schema): Maybe => ({ maybe: schema });

export const list = (items: Schema): Schema => ({ type: 'array', items });

export const either = (...anyOf: readonly Schema[]): Schema =>
  anyOf.every((each) => Object.keys(each).join() === 'type') ? { type: anyOf.map(({ type }) => type) } : { anyOf };

export function object(fields: Readonly<Record<string, Schema | Maybe>>): Schema {
  const names = Object.keys(fields);
  return {
    type: 'object',
    required: names.filter((name) => !('maybe' in fields[name]!)),
    properties: Object.fromEntries(names.map((name) => [name, fields[name]!['maybe'] ?? fields[name]!])),
    additionalProperties: false,
  };
}
