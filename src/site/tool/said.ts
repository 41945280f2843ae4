// What the service refuses, in the words of the page's language.
import type { Problem } from '../account/requests.ts';
import { data } from './items.ts';

const texts: Readonly<Record<string, string | undefined>> = data.errors;

/** The service's own words where this language has none for the code. */
export const said = ({ code, message }: Problem): string => texts[code] ?? message;

/** What to do, from the service; undefined where the text says it. */
export const help = ({ code, nextAction }: Problem): string | undefined =>
  texts[code] === undefined ? nextAction : undefined;
