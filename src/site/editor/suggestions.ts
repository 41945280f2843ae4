// What could be cut, by the rules of the tools: fillers, repeats, broken-off words and long pauses.
import { keptPauseSeconds, longPauseSeconds } from '../../library/contract/edit-defaults.ts';
import { joinWords } from '../../library/contract/join-words.ts';
import { type MarkKind, markWords } from '../../library/speech/fillers/mark-words.ts';
import type { Span } from '../../library/speech/word-edit/spans.ts';
import type { Doc } from './doc.ts';

interface Common {
  readonly id: string;
  /** As it is said; of a pause: ''. */
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

export interface WordSuggestion extends Common {
  readonly kind: MarkKind;
  readonly words: Span;
}

export interface PauseSuggestion extends Common {
  readonly kind: 'pause';
  /** The word that ends it. */
  readonly before: number;
  /** What is cut of it, seconds. */
  readonly cut: Span;
}

export type Suggestion = WordSuggestion | PauseSuggestion;

export function wordSuggestions({ words, language }: Doc): readonly WordSuggestion[] {
  const marks = markWords(words, language);
  const found: WordSuggestion[] = [];
  for (let at = 0; at < words.length; at++) {
    const kind = marks[at];
    if (kind === null || kind === undefined) continue;
    const from = at;
    while (marks[at + 1] === kind && isNear(words[at], words[at + 1])) at += 1;
    const own = words.slice(from, at + 1);
    found.push({
      id: `w${from}-${at + 1}`,
      kind,
      words: [from, at + 1],
      text: joinWords(own, language),
      startSeconds: own[0]?.startSeconds ?? 0,
      endSeconds: own.at(-1)?.endSeconds ?? 0,
    });
  }
  return found;
}

const isNear = (a: { readonly endSeconds: number } | undefined, b: { readonly startSeconds: number } | undefined) =>
  a !== undefined && b !== undefined && b.startSeconds - a.endSeconds < 0.5;

export function pauseSuggestions({ words }: Doc): readonly PauseSuggestion[] {
  const found: PauseSuggestion[] = [];
  let spokenTo = 0;
  for (const [before, { startSeconds, endSeconds }] of words.entries()) {
    if (startSeconds - spokenTo >= longPauseSeconds)
      found.push({
        id: `p${before}`,
        kind: 'pause',
        text: '',
        before,
        startSeconds: spokenTo,
        endSeconds: startSeconds,
        cut: [spokenTo + keptPauseSeconds / 2, startSeconds - keptPauseSeconds / 2],
      });
    spokenTo = Math.max(spokenTo, endSeconds);
  }
  return found;
}
