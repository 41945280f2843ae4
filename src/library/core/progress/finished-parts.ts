import type { JsonValue } from '../json.ts';

/** A part of a run that is finished: what it is, and what came out. */
export interface FinishedPart {
  /** Names the part and its settings, at most 300 characters. The engine adds its version. */
  readonly key: string;
  /** At most 1 MiB as JSON. */
  readonly value: JsonValue;
}

/** What an interrupted run had finished, so that the next run of the same order does not repeat it. */
export interface FinishedParts {
  /** undefined: not finished */
  get(key: string): JsonValue | undefined;
  add(part: FinishedPart): void;
}

/** Nothing was finished, and nothing is remembered. */
export const noFinishedParts: FinishedParts = { get: () => undefined, add: () => undefined };
