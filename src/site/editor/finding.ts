// Words that are looked for, and what is written in their place.
import { computed, signal } from '@preact/signals';
import { alignCorrection } from '../../library/speech/text-edit/correct.ts';
import type { Span } from '../../library/speech/word-edit/spans.ts';
import { label } from './labels.ts';
import { act, doc, edit, shownWord, withWord } from './state.ts';

export const finding = signal<string | null>(null);
export const hitAt = signal(0);
/** What hits are replaced by; null: they are only looked for. Then hits are whole words. */
export const replacing = signal<string | null>(null);

/** Words that have the text, and where the next one is. */
export const hits = computed((): readonly Span[] => {
  const text = finding.value?.trim().toLowerCase() ?? '';
  const own = doc.value;
  if (text === '' || own === null) return [];
  const wanted = text.split(/\s+/u).map(bare);
  const found: Span[] = [];
  for (let at = 0; at + wanted.length <= own.words.length; at++)
    if (
      wanted.every((word, index) => {
        const said = bare(shownWord(at + index).toLowerCase());
        // The last word may be on its way.
        return wanted.length === 1
          ? replacing.value === null
            ? said.includes(word)
            : said === word
          : index === wanted.length - 1 && replacing.value === null
            ? said.startsWith(word)
            : said === word;
      })
    )
      found.push([at, at + wanted.length]);
  return found;
});
const bare = (text: string): string => text.replaceAll(/[^\p{L}\p{N}\p{M}'\u2019-]/gu, '') || text;

/** What is written in the place of these words: marks at the ends stay, and a capital where there was one. */
function replaced([from, to]: Span, by: string): readonly string[] {
  const [first, last] = [shownWord(from), shownWord(to - 1)];
  const lead = /^[^\p{L}\p{N}]*/u.exec(first)?.[0] ?? '';
  const end = Math.max(
    -1,
    ...[...last.matchAll(/[\p{L}\p{N}\p{M}]/gu)].map(({ index, 0: sign }) => index + sign.length),
  );
  const trail = end === -1 ? last : last.slice(end);
  const isCapital = /^\p{Lu}/u.test(first.slice(lead.length)) && !/^\p{Lu}/u.test(finding.value?.trim() ?? '');
  const text = isCapital ? by.charAt(0).toUpperCase() + by.slice(1) : by;
  return alignCorrection(doc.value?.words.slice(from, to).map((word) => word.text) ?? [], lead + text + trail);
}

/** Replaces hits by what is typed, in one step. */
export function replaceHits(spans: readonly Span[]): void {
  const by = replacing.value?.trim() ?? '';
  if (by === '' || spans.length === 0) return;
  let now = edit.value;
  for (const span of spans)
    for (const [at, text] of replaced(span, by).entries()) now = withWord(now, span[0] + at, text);
  act(now, spans.length === 1 ? label('wrote', { text: `\u201C${by}\u201D` }) : label('replaced', { n: spans.length }));
}
