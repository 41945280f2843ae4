// What is taken out of a recording and all that goes with it: words, and what has the form of a number or an address.
import type { PatternKind, Sought } from '../../contract/sought.ts';
import { netAddresses, postalAddresses } from './addresses.ts';
import { numbersIn } from './number-kinds.ts';
import { numberRuns } from './number-runs.ts';
import { openWordFinder, type WordRun } from './sought-words.ts';
import { spokenDigits } from './spoken-digits.ts';
import { plainLetters, type Said } from './tokens.ts';

/** Something that was sought, in a text. */
export interface Hit extends WordRun {
  readonly kind: 'word' | PatternKind;
  /** false: a number whose check digit does not hold; null: it has none. */
  readonly checked: boolean | null;
}

export interface Finder {
  /** In the order of the text, not overlapping: what overlaps is one, of the kind that begins first. */
  find(words: readonly Said[]): Hit[];
}

/** @param language ISO 639 code of the texts */
export async function openFinder({ words, match, patterns }: Sought, language: string): Promise<Finder> {
  const finder = await openWordFinder(words, language, match);
  const spoken = spokenDigits(language);
  const wanted: ReadonlySet<string> = new Set(patterns);
  const isNumber = (word: string): boolean => /^\d+$/.test(spoken.digitsOf(plainLetters(word)) ?? '');
  return {
    find(said) {
      const found: Hit[] = finder.find(said).map((run) => ({ ...run, kind: 'word', checked: null }));
      if (wanted.has('email') || wanted.has('web')) found.push(...netAddresses(said).map(unchecked));
      if (wanted.has('address')) found.push(...postalAddresses(said, isNumber).map(unchecked));
      if (patterns.some((kind) => kind === 'card' || kind === 'iban' || kind === 'phone' || kind === 'number'))
        found.push(
          ...numberRuns(said, spoken)
            .flatMap((run) => numbersIn(run, wanted))
            .map(asWanted(wanted)),
        );
      return withoutOverlaps(found.filter(({ kind }) => kind === 'word' || wanted.has(kind)));
    },
  };
}

const unchecked = <Found extends object>(found: Found): Found & { readonly checked: null } => ({
  ...found,
  checked: null,
});

/** Every number of a card is a number: where only numbers are wanted, it is one. */
const asWanted =
  (wanted: ReadonlySet<string>) =>
  (found: Hit): Hit =>
    wanted.has(found.kind) || !wanted.has('number') ? found : { ...found, kind: 'number' };

function withoutOverlaps(hits: readonly Hit[]): Hit[] {
  const apart: Hit[] = [];
  for (const hit of hits.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const last = apart.at(-1);
    if (last === undefined || hit.from >= last.to) apart.push(hit);
    else if (hit.to > last.to) apart[apart.length - 1] = { ...last, to: hit.to };
  }
  return apart;
}
