/** Any JSON value; numbers are finite. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** A tool's result besides files: plain JSON, which crosses process borders and HTTP unchanged. */
export type JsonObject = { [key: string]: JsonValue };

/** Nesting limit of JSON input. Valid inputs have fewer than half as many levels; a stack overflows much later. */
export const mostLevels = 32;

/** Does a value have more than `mostLevels` levels of nested lists and objects? */
export const isTooDeep = (value: unknown, levels = mostLevels): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1)));
