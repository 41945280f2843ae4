// What somebody made of a transcript: which words are cut, which are written differently, who speaks. A value that
// never changes; each act makes a new one.
import { difference, type Span, union, withoutSpan, withSpan } from './spans.ts';

export interface WordEdit {
  /** Words that are cut, by number: ascending spans [from, to). */
  readonly cut: readonly Span[];
  /** Stretches of time that are cut besides, seconds of the recording: ascending spans. */
  readonly times: readonly Span[];
  /**
   * By number of a word: what is written in its place. Several words share its time; an empty text adds its time to the
   * word before.
   */
  readonly texts: Readonly<Record<number, string>>;
  /** By number of a speaker: the name. */
  readonly names: Readonly<Record<number, string>>;
  /** By number of a sentence: who says it, where that is another than the transcript has. */
  readonly said: Readonly<Record<number, number>>;
  /** By number of a sentence: its place among the others, whose places are their numbers. See `sentenceOrder`. */
  readonly moves: Readonly<Record<number, number>>;
  /** Suggestions that were looked at and stay, by their ids, sorted. */
  readonly kept: readonly string[];
  /** By number of a word: 1 where a caption begins with it by hand, 0 where one goes on. */
  readonly breaks: Readonly<Record<number, 0 | 1>>;
  /** By number of the first word of a caption: so many seconds later it begins and ends. */
  readonly shifts: Readonly<Record<number, readonly [start: number, end: number]>>;
}

export const nothingEdited: WordEdit = {
  cut: [],
  times: [],
  texts: {},
  names: {},
  said: {},
  moves: {},
  kept: [],
  breaks: {},
  shifts: {},
};

export const cutWords = (edit: WordEdit, words: Span): WordEdit => change(edit, { cut: withSpan(edit.cut, words) });
export const restoreWords = (edit: WordEdit, words: Span): WordEdit =>
  change(edit, { cut: withoutSpan(edit.cut, words) });
export const cutTime = (edit: WordEdit, seconds: Span): WordEdit =>
  change(edit, { times: withSpan(edit.times, seconds) });
export const restoreTime = (edit: WordEdit, seconds: Span): WordEdit =>
  change(edit, { times: withoutSpan(edit.times, seconds) });

/** @param text null: as the transcript has it */
export const writeWord = (edit: WordEdit, word: number, text: string | null): WordEdit =>
  change(edit, { texts: withEntry(edit.texts, word, text) });
/** @param name null or empty: none */
export const nameSpeaker = (edit: WordEdit, speaker: number, name: string | null): WordEdit =>
  change(edit, { names: withEntry(edit.names, speaker, name?.trim() || null) });
/** @param speaker null: as the transcript has it */
export const giveSentence = (edit: WordEdit, sentence: number, speaker: number | null): WordEdit =>
  change(edit, { said: withEntry(edit.said, sentence, speaker) });
/** @param breaks by number of a word: 1: a caption begins with it; 0: it goes on */
export const breakCaptions = (edit: WordEdit, breaks: WordEdit['breaks']): WordEdit =>
  change(edit, { breaks: { ...edit.breaks, ...breaks } });
/** @param word with which the caption begins. @param shift null: as the words are said */
export const shiftCaption = (edit: WordEdit, word: number, shift: readonly [number, number] | null): WordEdit =>
  change(edit, { shifts: withEntry(edit.shifts, word, shift) });
export const keepSuggestion = (edit: WordEdit, id: string): WordEdit =>
  edit.kept.includes(id) ? edit : change(edit, { kept: [...edit.kept, id].toSorted() });
export const askAgain = (edit: WordEdit, id: string): WordEdit =>
  edit.kept.includes(id) ? change(edit, { kept: edit.kept.filter((each) => each !== id) }) : edit;

/** The same edit where nothing changes, so that it is no step. */
function change(edit: WordEdit, changes: Partial<WordEdit>): WordEdit {
  const isSame = Object.entries(changes).every(([key, value]) => equal(edit[key as keyof WordEdit], value));
  return isSame ? edit : { ...edit, ...changes };
}

const equal = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

function withEntry<Value>(
  entries: Readonly<Record<number, Value>>,
  key: number,
  value: Value | null,
): Readonly<Record<number, Value>> {
  if (value !== null) return { ...entries, [key]: value };
  const { [key]: _gone, ...rest } = entries;
  return rest;
}

/**
 * Joins two edits that began with the same one: what either has added is there, what either has taken back is not. Of
 * two texts for one word ours stays.
 */
export function mergeEdits(base: WordEdit, ours: WordEdit, theirs: WordEdit): WordEdit {
  const spans = (key: 'cut' | 'times'): readonly Span[] =>
    union(difference(theirs[key], difference(base[key], ours[key])), difference(ours[key], base[key]));
  const entries = <Value>(
    key: 'texts' | 'names' | 'said' | 'moves' | 'breaks' | 'shifts',
  ): Readonly<Record<number, Value>> => {
    const [b, o, t] = [base, ours, theirs].map((edit) => edit[key] as Readonly<Record<number, Value>>) as [
      Readonly<Record<number, Value>>,
      Readonly<Record<number, Value>>,
      Readonly<Record<number, Value>>,
    ];
    const merged: Record<number, Value> = { ...t };
    for (const id of new Set([...Object.keys(b), ...Object.keys(o)].map(Number))) {
      if (equal(b[id], o[id])) continue;
      const own = o[id];
      if (own === undefined) delete merged[id];
      else merged[id] = own;
    }
    return merged;
  };
  const dropped = new Set(base.kept.filter((id) => !ours.kept.includes(id)));
  const kept = [...new Set([...theirs.kept, ...ours.kept.filter((id) => !base.kept.includes(id))])];
  return {
    cut: spans('cut'),
    times: spans('times'),
    texts: entries('texts'),
    names: entries('names'),
    said: entries('said'),
    moves: entries('moves'),
    breaks: entries('breaks'),
    shifts: entries('shifts'),
    kept: kept.filter((id) => !dropped.has(id)).toSorted(),
  };
}
