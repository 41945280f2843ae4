// What an edited text makes of its recording: which words stay, in which order, and what cannot be done.
import type { Transcript, TranscriptWord } from '../../contract/transcript.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { comparable } from '../align/anchors/similarity.ts';
import type { KeptWords } from '../word-edit/keeps.ts';
import { compareWords } from './compare.ts';
import type { TextWord } from './edited-text.ts';
import type { Match } from './match.ts';

/** A word of the recording, in the order of its transcript. */
export interface SourceWord {
  readonly word: TranscriptWord;
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly text: string;
  readonly form: string;
}

/** A word of the edited text that is not in the recording as it is written. */
export interface ChangedWords {
  readonly from: string;
  readonly to: string;
  /** Of the first of them, seconds of the recording. */
  readonly startSeconds: number;
}

export interface TextEdit {
  readonly words: readonly SourceWord[];
  /** In the order of the edited text. */
  readonly kept: readonly KeptWords[];
  /** The words of `kept` as the edited text writes them, in its order. */
  readonly written: readonly TranscriptWord[];
  /** Number of words that the edited text no longer has. */
  readonly removed: number;
  /** Number of words that stay in another place, or in a second one. */
  readonly moved: number;
  readonly changed: readonly ChangedWords[];
  /** Passages that are not in the recording. */
  readonly added: readonly string[];
}

/** With fewer of its words in the transcript, a text is of another recording. */
const leastShare = 0.5;

/** The words in the order of the transcript, with the speakers of their sentences. */
function sourceWords({ sentences }: Transcript): SourceWord[] {
  return sentences.flatMap(({ words, speaker }) =>
    words.flatMap((word) => {
      const form = comparable(word.text);
      const { text, startSeconds, endSeconds } = word;
      const spoken = speaker === null ? word : { ...word, speaker: word.speaker ?? speaker };
      return form === '' ? [] : [{ word: spoken, text, startSeconds, endSeconds, form }];
    }),
  );
}

/** @throws EarshotError bad_request when the text is of another recording, or the transcript has no words */
export function compareTexts(transcript: Transcript, edited: readonly TextWord[]): TextEdit {
  const words = sourceWords(transcript);
  if (words.length === 0)
    throw new EarshotError('bad_request', 'Expected a transcript with the times of its words but it has no words', {
      nextAction: 'Transcribe the recording with earshot transcribe, and edit that text.',
    });
  const matches = matchesOf(words, edited);
  const isTaken = takenBy(matches, edited.length);
  const added = addedPassages(edited, isTaken);
  const wanted = edited.filter((word, at) => isTaken[at] === 1 || !word.isMark).length;
  const same = matches.reduce(
    (sum, { kind, editedFrom, editedTo }) => sum + (kind === 'same' ? editedTo - editedFrom : 0),
    0,
  );
  if (same < leastShare * wanted)
    throw new EarshotError(
      'bad_request',
      `Expected an edited copy of the transcript but only ${same} of ${wanted} words are in it`,
      { nextAction: 'Check that the text, the transcript and the recording belong together.' },
    );
  const kept: { from: number; to: number }[] = [];
  for (const { originalFrom: from, originalTo: to } of matches) {
    const last = kept.at(-1);
    if (last && last.to === from) last.to = to;
    else kept.push({ from, to });
  }
  const uses = new Uint8Array(words.length);
  let furthest = -1;
  let moved = 0;
  for (const { from, to } of kept) {
    if (from < furthest || uses.subarray(from, to).includes(1)) moved += to - from;
    uses.fill(1, from, to);
    furthest = Math.max(furthest, to);
  }
  return {
    words,
    kept,
    written: matches.flatMap((match) => writtenWords(match, words, edited)),
    removed: uses.reduce((sum, use) => sum + 1 - use, 0),
    moved,
    changed: matches.flatMap((match) => changeOf(match, words, edited)),
    added,
  };
}

/** Words that say their time are those of that time; the others are found by what they say. */
function matchesOf(words: readonly SourceWord[], edited: readonly TextWord[]): readonly Match[] {
  const byTime = new Map(words.map(({ form, startSeconds }, at) => [timeKey(form, startSeconds), at]));
  const sure = new Set<number>();
  const forms = edited.map(({ form, startSeconds }) => {
    const at = startSeconds === null ? undefined : byTime.get(timeKey(form, startSeconds));
    if (at === undefined) return form;
    sure.add(at);
    return sureForm(form, at);
  });
  const pauses = words.map(({ startSeconds }, at) =>
    at === 0 ? startSeconds : startSeconds - (words[at - 1] as SourceWord).endSeconds,
  );
  return compareWords(
    words.map(({ form }, at) => (sure.has(at) ? sureForm(form, at) : form)),
    forms,
    pauses,
  ).matches;
}

const timeKey = (form: string, seconds: number): string => `${Math.round(seconds * 1000)} ${form}`;
/** Like no other word, and long enough to be found alone. */
const sureForm = (form: string, at: number): string => `${form}@word${at}`;

function takenBy(matches: readonly Match[], words: number): Uint8Array {
  const taken = new Uint8Array(words);
  for (const { editedFrom, editedTo } of matches) taken.fill(1, editedFrom, editedTo);
  return taken;
}

function addedPassages(edited: readonly TextWord[], isTaken: Uint8Array): string[] {
  const passages: string[] = [];
  let isOpen = false;
  for (const [at, { text, isMark }] of edited.entries()) {
    const isNew = isTaken[at] === 0 && !isMark;
    if (isNew && isOpen) passages.push(`${passages.pop() ?? ''} ${text}`);
    else if (isNew) passages.push(text);
    isOpen = isNew;
  }
  return passages;
}

/** The words of a match with their sound's times: where their number differs, each has a share by its letters. */
function writtenWords(match: Match, words: readonly SourceWord[], edited: readonly TextWord[]): TranscriptWord[] {
  const { editedFrom, editedTo, originalFrom, originalTo } = match;
  const sounds = words.slice(originalFrom, originalTo);
  const texts = edited.slice(editedFrom, editedTo);
  if (sounds.length === texts.length)
    return sounds.map(({ word }, at) => ({ ...word, text: (texts[at] as TextWord).text }));
  const { word: first } = sounds[0] as SourceWord;
  const endSeconds = (sounds.at(-1) as SourceWord).endSeconds;
  const letters = texts.reduce((sum, { form }) => sum + form.length, 0);
  const secondsPerLetter = (endSeconds - first.startSeconds) / letters;
  let at = first.startSeconds;
  return texts.map(({ text, form }) => {
    const startSeconds = at;
    at += form.length * secondsPerLetter;
    return { ...first, text, startSeconds, endSeconds: at };
  });
}

function changeOf(match: Match, words: readonly SourceWord[], edited: readonly TextWord[]): ChangedWords[] {
  const { kind, editedFrom, editedTo, originalFrom, originalTo } = match;
  const before = words.slice(originalFrom, originalTo);
  const after = edited.slice(editedFrom, editedTo);
  const joined = (list: readonly { readonly form: string }[]): string => list.map(({ form }) => form).join('');
  // Divided in other places, as in text without spaces: the same words.
  if (kind === 'same' || joined(before) === joined(after)) return [];
  const text = (list: readonly { readonly text: string }[]): string => list.map((word) => word.text).join(' ');
  return [{ from: text(before), to: text(after), startSeconds: (before[0] as SourceWord).startSeconds }];
}
