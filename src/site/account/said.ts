// What the service refuses, in the words of the page's language.
import type { Problem } from './requests.ts';

/** By code. */
export type ErrorTexts = Readonly<Record<string, string>>;

/** The service's own words where this language has none for the code. */
export const saidIn = (texts: ErrorTexts, { code, message }: Pick<Problem, 'code' | 'message'>): string =>
  texts[code] ?? message;

/** What to do, from the service; undefined where the text says it. */
export const helpIn = (texts: ErrorTexts, { code, nextAction }: Problem): string | undefined =>
  texts[code] === undefined ? (nextAction ?? undefined) : undefined;
