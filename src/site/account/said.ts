// What the service refuses, in the words of the page's language.
import type { Problem } from './requests.ts';

/** By code. */
export type ErrorTexts = Readonly<Record<string, string>>;

/** By code and reason, then by code alone, as on the server; undefined: this language has none. */
const textOf = (texts: ErrorTexts, { code, details }: Pick<Problem, 'code' | 'details'>): string | undefined =>
  texts[`${code}.${details?.reason}`] ?? texts[code];

/** The service's own words where this language has none for the code. */
export const saidIn = (texts: ErrorTexts, problem: Pick<Problem, 'code' | 'message' | 'details'>): string =>
  textOf(texts, problem) ?? problem.message;

/** What to do, from the service; undefined where the text says it. */
export const helpIn = (texts: ErrorTexts, problem: Problem): string | undefined =>
  textOf(texts, problem) === undefined ? (problem.nextAction ?? undefined) : undefined;
