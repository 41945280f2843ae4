import { fillerLists } from './every-list.ts';
import { fillerLanguages, type FillerLanguage } from '../../contract/filler-languages.ts';
import type { Hesitation } from './lists/filler-list.ts';

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

const isListed = (language: string): language is FillerLanguage =>
  (fillerLanguages as readonly string[]).includes(language);

/** @returns null for a language without one */
export const hesitationOf = (language: string): Hesitation | null =>
  isListed(language) ? (fillerLists[language].hesitation ?? null) : null;

const made = new Map<string, Fillers>();

/** @returns null for a language without a list */
export function fillersOf(language: string): Fillers | null {
  const known = made.get(language);
  if (known) return known;
  if (!isListed(language)) return null;
  const list = fillerLists[language];
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
