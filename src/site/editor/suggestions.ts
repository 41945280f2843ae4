// What could be cut, by the rules of the tools: fillers, repeats, broken-off words, long pauses, sounds between words.
import { keptPauseSeconds, longPauseSeconds } from '../../library/contract/edit-defaults.ts';
import { joinWords } from '../../library/contract/join-words.ts';
import { type MarkKind, markWords } from '../../library/speech/fillers/mark-words.ts';
import type { Span } from '../../library/speech/word-edit/spans.ts';
import { soundLabel } from '../../library/speech/transcript/write/sound-labels.ts';
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

/** A sound that is not speech. */
export interface SoundSuggestion extends Common {
  readonly kind: 'sound';
  /** Its longest stretch that no word has, seconds. */
  readonly cut: Span;
}

/** A stretch of time, and no words. */
export type TimeSuggestion = PauseSuggestion | SoundSuggestion;
export type Suggestion = WordSuggestion | TimeSuggestion;

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

/** So far from words a sound is cut, and less of it is not. */
const besideWordsSeconds = 0.05;
const leastSoundSeconds = 0.2;

/** @param language of the page */
export function soundSuggestions({ words, events }: Doc, language: string): readonly SoundSuggestion[] {
  return events.flatMap(({ sound, startSeconds, endSeconds }, index) => {
    const inIt = words.filter((word) => word.startSeconds < endSeconds && word.endSeconds > startSeconds);
    let [from, longest]: [number, Span] = [startSeconds, [startSeconds, startSeconds]];
    const until = (to: number): void => {
      if (to - from > longest[1] - longest[0]) longest = [from, to];
    };
    for (const word of inIt) {
      until(word.startSeconds - besideWordsSeconds);
      from = Math.max(from, word.endSeconds + besideWordsSeconds);
    }
    until(endSeconds);
    if (longest[1] - longest[0] < leastSoundSeconds) return [];
    const text = soundLabel(sound, language).slice(1, -1);
    return [{ id: `s${index}`, kind: 'sound' as const, text, startSeconds, endSeconds, cut: longest }];
  });
}
