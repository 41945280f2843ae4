import { Optional, type Static, type TSchema } from 'typebox/type';

/** The type of a tool's parsed options: defaults filled in, frozen. */
export type OptionsOf<Schema extends TSchema> = Readonly<Static<Schema>>;

/**
 * An option that may be left out because its schema has a default. Optional in the JSON Schema that callers see,
 * present in the parsed options that the tool sees: the static type says the latter.
 */
export function defaulted<Schema extends TSchema & { readonly default?: unknown }>(schema: Schema): Schema {
  if (!('default' in schema)) throw new TypeError('defaulted() needs a schema with a default');
  return Optional(schema);
}
