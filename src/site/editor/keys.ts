// What keys do. Letters act only while the waveform or the text has the focus (WCAG 2.1.4).
import type { TargetedKeyboardEvent } from 'preact';
import { spanAt } from '../../library/speech/word-edit/spans.ts';
import { joinWords } from '../../library/contract/join-words.ts';
import { fill } from '../ui.tsx';
import { wordAt } from './doc.ts';
import { formatTime } from '../time-ranges.ts';
import { moveChosen } from './moving.tsx';
import { t } from './page-data.ts';
import { pause, play, playAround, seek, toggle } from './playback.ts';
import { finding } from './finding.ts';
import {
  correcting,
  cutSelection,
  decide,
  decisionOf,
  doc,
  edit,
  giveSentence,
  listen,
  order,
  placeOf,
  sentenceOf,
  suggestionList,
  playing,
  position,
  rate,
  redoStep,
  restoreSelection,
  reveal,
  selectedWords,
  selection,
  show,
  shownWord,
  showsKeys,
  speakers,
  timeSelection,
  told,
  totalSeconds,
  undoStep,
  zoom,
} from './state.ts';
import type { Suggestion } from './suggestions.ts';

type KeyEvent = TargetedKeyboardEvent<HTMLElement>;

const slow = [0.5, 0.75, 1, 1.25, 1.5, 2, 3];

function speed(by: number): void {
  const at = slow.indexOf(rate.value);
  const next = slow[Math.min(slow.length - 1, Math.max(0, at + by))] ?? 1;
  const goesOn = playing.value;
  rate.value = goesOn || by < 0 ? next : rate.value;
  if (goesOn) pause();
  play();
  told.value = fill(t.speed, { n: rate.value });
}

/** The word that the next key moves from. */
const here = (): number =>
  selection.value?.focus ?? (doc.value === null ? -1 : Math.max(0, wordAt(doc.value, position.value)));

/** Goes to a word, and says it. */
export function goTo(word: number, extend = false): void {
  const words = doc.value?.words ?? [];
  const at = Math.min(words.length - 1, Math.max(0, word));
  const own = words[at];
  if (own === undefined) return;
  timeSelection.value = null;
  selection.value = { anchor: extend ? (selection.value?.anchor ?? here()) : at, focus: at };
  if (!extend) seek(own.startSeconds);
  else show(own.startSeconds);
  reveal.value = { sentence: sentenceOf(at) };
  told.value = fill(t.positionWord, { at: formatTime(own.startSeconds), word: shownWord(at) });
}

/** The next word as it is heard, or the one before. */
function wordBeside(word: number, by: number): number {
  const at = sentenceOf(word);
  const own = doc.value?.sentences[at];
  const to = word + by;
  if (own === undefined || (to >= own.from && to < own.to)) return to;
  const next = doc.value?.sentences[order.value[placeOf(at) + by] ?? -1];
  return next === undefined ? word : by > 0 ? next.from : next.to - 1;
}

/** Suggestions in the order of the recording. */
const inOrder = (): readonly Suggestion[] => suggestionList.value.toSorted((a, b) => a.startSeconds - b.startSeconds);

function nextSuggestion(by: 1 | -1): void {
  const open = inOrder().filter((each) => decisionOf(each) === 'open');
  const at = position.value;
  const next =
    by > 0
      ? open.find(({ startSeconds }) => startSeconds > at + 0.005)
      : open.findLast(({ startSeconds }) => startSeconds < at - 0.005);
  if (next !== undefined) goToSuggestion(next);
}

export function goToSuggestion(suggestion: Suggestion): void {
  if ('cut' in suggestion) {
    selection.value = null;
    timeSelection.value = suggestion.cut;
    seek(suggestion.startSeconds);
  } else {
    goTo(suggestion.words[0]);
    selection.value = { anchor: suggestion.words[0], focus: suggestion.words[1] - 1 };
  }
}

/** The suggestion that one is at. */
function current(): Suggestion | undefined {
  const at = position.value;
  return inOrder().find(({ startSeconds, endSeconds }) => startSeconds <= at + 0.005 && endSeconds > at - 0.005);
}

export function correctSelection(): void {
  const words = selectedWords.value;
  if (words !== null) {
    pause();
    correcting.value = words;
  }
}

/** In the text and at the waveforms alike. */
function common({ key, shiftKey }: KeyEvent): (() => void) | undefined {
  const acts: Readonly<Record<string, () => void>> = {
    ' ': toggle,
    j: () => speed(-1),
    k: () => {
      pause();
      rate.value = 1;
    },
    l: () => speed(1),
    PageDown: () => seek(position.value + 5),
    PageUp: () => seek(position.value - 5),
    '.': () => seek(position.value + 0.01),
    ',': () => seek(position.value - 0.01),
    '+': () => zoom(1 / 1.6),
    '=': () => zoom(1 / 1.6),
    '-': () => zoom(1.6),
    Delete: cutSelection,
    Backspace: cutSelection,
    r: restoreSelection,
    e: correctSelection,
    '[': () => nextSuggestion(-1),
    ']': () => nextSuggestion(1),
    a: () => {
      const suggestion = current();
      if (suggestion !== undefined) decide(suggestion, 'cut');
    },
    x: () => {
      const suggestion = current();
      if (suggestion !== undefined) decide(suggestion, 'kept');
    },
    b: () => {
      const goesOn = playing.value;
      if (goesOn) pause();
      listen.value = listen.value === 'edited' ? 'recorded' : 'edited';
      if (goesOn) play();
    },
    p: () => {
      const words = selectedWords.value;
      const [first, last] = [doc.value?.words[words?.[0] ?? -1], doc.value?.words[(words?.[1] ?? 0) - 1]];
      if (first !== undefined && last !== undefined) playAround(first.startSeconds, last.endSeconds);
    },
    '?': () => void (showsKeys.value = true),
    Escape: () => {
      selection.value = null;
      timeSelection.value = null;
    },
  };
  return acts[key] ?? (shiftKey ? undefined : acts[key.toLowerCase()]);
}

/** Keys of the text. */
export function textKeys(event: KeyEvent): void {
  if (event.ctrlKey || event.metaKey || event.target !== event.currentTarget) return;
  const at = here();
  if (event.altKey) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    return moveChosen(at, by);
  }
  const sentence = sentenceOf(at);
  const far = (by: 1 | -1): number => doc.value?.sentences[order.value[placeOf(sentence) + by] ?? -1]?.from ?? at;
  // In a sentence that runs from right to left the next word is on the left.
  const own = event.currentTarget.querySelector(`[data-sentence="${sentence}"] p[dir]`) ?? event.currentTarget;
  const onwards = getComputedStyle(own).direction === 'rtl' ? -1 : 1;
  const acts: Readonly<Record<string, () => void>> = {
    ArrowRight: () => goTo(wordBeside(at, onwards), event.shiftKey),
    ArrowLeft: () => goTo(wordBeside(at, -onwards), event.shiftKey),
    ArrowDown: () => goTo(far(1), event.shiftKey),
    ArrowUp: () => goTo(far(-1), event.shiftKey),
    Home: () => goTo(doc.value?.sentences[sentence]?.from ?? 0, event.shiftKey),
    End: () => goTo((doc.value?.sentences[sentence]?.to ?? 1) - 1, event.shiftKey),
    s: () => document.querySelector<HTMLElement>(`[data-sentence="${sentence}"] select`)?.focus(),
  };
  const digit = /^[1-8]$/.test(event.key) ? Number(event.key) : null;
  const act =
    acts[event.key] ??
    (digit !== null && speakers.value.includes(digit) ? () => giveSentence(sentence, digit) : common(event));
  if (act === undefined) return;
  event.preventDefault();
  act();
}

/** Keys of the waveforms. */
export function positionKeys(event: KeyEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const acts: Readonly<Record<string, () => void>> = {
    ArrowRight: () => goTo(here() + 1, event.shiftKey),
    ArrowLeft: () => goTo(here() - 1, event.shiftKey),
    ArrowUp: () => seek(position.value + 1),
    ArrowDown: () => seek(position.value - 1),
    Home: () => seek(0),
    End: () => seek(totalSeconds.value),
  };
  // Without words, arrows go by the second.
  const plain: Readonly<Record<string, () => void>> =
    doc.value === null || doc.value.words.length === 0
      ? { ...acts, ArrowRight: () => seek(position.value + 1), ArrowLeft: () => seek(position.value - 1) }
      : acts;
  const act = plain[event.key] ?? common(event);
  if (act === undefined) return;
  event.preventDefault();
  act();
}

/** Everywhere on the page. */
export function pageKeys(event: KeyboardEvent): void {
  const isText = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  const act =
    key === 'f'
      ? () => void (finding.value ??= '')
      : isText
        ? undefined
        : key === 'z'
          ? event.shiftKey
            ? redoStep
            : undoStep
          : key === 'y'
            ? redoStep
            : undefined;
  if (act === undefined) return;
  event.preventDefault();
  act();
}

/** The text of what is selected, for other programs. */
export function copyWords(event: ClipboardEvent): void {
  const words = selectedWords.value;
  const own = doc.value;
  if (words === null || own === null || (getSelection()?.toString() ?? '') !== '') return;
  const text = joinWords(
    own.words
      .slice(...words)
      .flatMap((_, at) => (spanAt(edit.value.cut, words[0] + at) === null ? [{ text: shownWord(words[0] + at) }] : [])),
    own.language,
  );
  event.clipboardData?.setData('text/plain', text);
  event.preventDefault();
}
