// In place of typebox/type: the functions that declarations of tools call. A schema is plain JSON; whether a property
// may be left out is known by the schema's place in a set, so that no one sees it in the JSON.

type Schema = Readonly<Record<string, unknown>>;

const optional = new WeakSet<Schema>();

const plain =
  (type: string) =>
  (options: Schema = {}): Schema => ({ type, ...options });

export const String = plain('string');
export const Number = plain('number');
export const Integer = plain('integer');
export const Boolean = plain('boolean');
export const Null = plain('null');

/** A property that may be left out. */
export function Optional(schema: Schema): Schema {
  const copy = { ...schema };
  optional.add(copy);
  return copy;
}

export function Object(properties: Readonly<Record<string, Schema>>, options: Schema = {}): Schema {
  const required: string[] = [];
  for (const name in properties) if (!optional.has(properties[name] as Schema)) required.push(name);
  return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options };
}

const array = 'array';
export const Array = (items: Schema, options: Schema = {}): Schema => ({ type: array, items, ...options });
export const Tuple = (items: readonly Schema[], options: Schema = {}): Schema => ({
  type: array,
  additionalItems: false,
  items,
  minItems: items.length,
  ...options,
});
export const Enum = (values: readonly unknown[], options: Schema = {}): Schema => ({ enum: values, ...options });
export const Union = (anyOf: readonly Schema[], options: Schema = {}): Schema => ({ anyOf, ...options });
export const Literal = (value: unknown, options: Schema = {}): Schema => ({
  type: typeof value,
  const: value,
  ...options,
});
/** By texts. */
export const Record = (_keys: Schema, values: Schema, options: Schema = {}): Schema => ({
  type: 'object',
  patternProperties: { '^.*$': values },
  ...options,
});
