// Schemas of the document as the tests hold answers against them.

/** A schema whose references lead into the document. */
export const prefixed = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components')) as object;

/** Objects take no other properties than those that are named, unless they say so. */
export function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, closed(item)]));
  const isObject = [inner['type']].flat().includes('object') && typeof inner['properties'] === 'object';
  return isObject && !('additionalProperties' in inner) ? { ...inner, additionalProperties: false } : inner;
}
