import { de } from './lists/de.ts';
import { en } from './lists/en.ts';
import { es } from './lists/es.ts';
import type { FillerList } from './lists/filler-list.ts';
import { fr } from './lists/fr.ts';
import { it } from './lists/it.ts';
import { ja } from './lists/ja.ts';
import { ko } from './lists/ko.ts';
import { nl } from './lists/nl.ts';
import { pl } from './lists/pl.ts';
import { pt } from './lists/pt.ts';
import { fillerLanguages, type FillerLanguage } from '../../contract/filler-languages.ts';

const lists: Readonly<Record<FillerLanguage, FillerList>> = { en, de, fr, es, it, nl, pt, pl, ja, ko };

/** How one language hesitates, ready to be asked. */
export interface Fillers {
  /** The word is a filler wherever it stands. */
  isAlways(word: string): boolean;
  /** The word is one where it is set apart. */
  isWhenSetApart(word: string): boolean;
  /** For those it is enough that a comma or a pause follows. */
  readonly apartAfter: boolean;
  readonly notBefore: ReadonlySet<string>;
  readonly doubled: ReadonlySet<string>;
  readonly joining: ReadonlySet<string>;
}

const isListed = (language: string): language is FillerLanguage =>
  (fillerLanguages as readonly string[]).includes(language);

const made = new Map<string, Fillers>();

/** @returns null for a language without a list */
export function fillersOf(language: string): Fillers | null {
  const known = made.get(language);
  if (known) return known;
  if (!isListed(language)) return null;
  const list = lists[language];
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
