// Words with a full stop that does not end a sentence, by language.
import { en } from '../../languages/en.ts';
import { languageOf } from '../../languages/language-of.ts';
import type { Stops } from '../../languages/spoken-language.ts';

interface Lists {
  readonly before: ReadonlySet<string>;
  readonly beforeNumber: ReadonlySet<string>;
  readonly either: ReadonlySet<string>;
  readonly ordinals: boolean;
}

const english = en.stops as Stops;

const made = new Map<string, Lists>();

/** Those of a language; by default those of English, which are most widely used. */
export function abbreviationsOf(language: string): Lists {
  const known = made.get(language);
  if (known) return known;
  const { before, beforeNumber = '', either = '', ordinals = false } = languageOf(language)?.stops ?? english;
  const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));
  const lists = { before: set(before), beforeNumber: set(beforeNumber), either: set(either), ordinals };
  made.set(language, lists);
  return lists;
}
