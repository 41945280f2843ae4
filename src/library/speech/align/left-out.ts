// For a script that is far longer than its recording: which words were not searched for.
import type { WordRange } from './anchors/sayable.ts';
import type { FoundWord } from './pieces.ts';
import type { ScriptWord } from './script/script-words.ts';

/**
 * @param words of the script that have sound
 * @param found results for the words in the ranges, one range after the other
 * @returns the time of each word; null where it was not found, undefined where it was left out. Sentences at the ends
 *   of a range without any found word are left out, too: they were only tried.
 */
export function withLeftOut(
  words: readonly Pick<ScriptWord, 'mark' | 'part'>[],
  ranges: readonly WordRange[],
  found: readonly (FoundWord | null)[],
): (FoundWord | null | undefined)[] {
  const all: (FoundWord | null | undefined)[] = words.map(() => undefined);
  let at = 0;
  for (const { from, to } of ranges) {
    for (let index = from; index < to; index += 1) all[index] = found[at++] ?? null;
    const first = all.findIndex((place, index) => index >= from && place);
    if (first < 0 || first >= to) {
      all.fill(undefined, from, to);
      continue;
    }
    let last = to - 1;
    while (!all[last]) last -= 1;
    let begin = first;
    while (begin > from && !endsSentence(words, begin - 1)) begin -= 1;
    let end = last + 1;
    while (end < to && !endsSentence(words, end - 1)) end += 1;
    all.fill(undefined, from, begin);
    all.fill(undefined, end, to);
  }
  return all;
}

const endsSentence = (words: readonly Pick<ScriptWord, 'mark' | 'part'>[], index: number): boolean =>
  words[index]?.mark === '.' || words[index]?.part !== words[index + 1]?.part;
