import { languageOf } from '../languages/language-of.ts';
import type { Hesitation } from '../languages/spoken-language.ts';

/** One language's fillers, compiled. */
export interface Fillers {
  /** Is the word a filler in any position? */
  isAlways(word: string): boolean;
  /** Is the word a filler when set apart? */
  isWhenSetApart(word: string): boolean;
  /** For those, a following comma or pause is enough. */
  readonly apartAfter: boolean;
  readonly notBefore: ReadonlySet<string>;
  readonly doubled: ReadonlySet<string>;
  readonly joining: ReadonlySet<string>;
}

/** @returns null for a language without one */
export const hesitationOf = (language: string): Hesitation | null => languageOf(language)?.fillers?.hesitation ?? null;

const made = new Map<string, Fillers>();

/** @returns null for a language without a list */
export function fillersOf(language: string): Fillers | null {
  const known = made.get(language);
  if (known) return known;
  const list = languageOf(language)?.fillers;
  if (!list) return null;
  const pattern = (parts: readonly string[]): RegExp => new RegExp(`^(?:${parts.join('|')})$`, 'u');
  const always = pattern(list.always);
  const setApart = pattern(list.setApart);
  const fillers: Fillers = {
    isAlways: (word) => always.test(word),
    isWhenSetApart: (word) => setApart.test(word),
    apartAfter: list.apartAfter ?? false,
    notBefore: new Set(list.notBefore),
    doubled: new Set(list.doubled),
    joining: new Set(list.joining),
  };
  made.set(language, fillers);
  return fillers;
}
