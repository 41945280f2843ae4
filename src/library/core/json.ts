/** Anything that JSON can say; numbers are finite. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** What a tool answers besides files: plain JSON, so that it crosses process borders and HTTP unchanged. */
export type JsonObject = { [key: string]: JsonValue };

/**
 * Nothing that we take has half as many levels. What recurses through a value, and JSON itself, would run out of stack
 * long after.
 */
export const mostLevels = 32;

/** Does a value have more than `mostLevels` lists and objects in each other? */
export const isTooDeep = (value: unknown, levels = mostLevels): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1)));
