// What the editor knows: the recording, its words, what was made of them, and where one is.
import { crossfadeMs } from '../../library/contract/edit-defaults.ts';
import { computed, effect, signal } from '@preact/signals';
import { joinWords } from '../../library/contract/join-words.ts';
import { complementRanges, isInOrder, timeMap } from '../../library/edit/edit-list.ts';
import { type EditedKeeps, keepsOfEdit } from '../../library/speech/word-edit/edited-keeps.ts';
import { beginWith, type History, redo, step, undo } from '../../library/speech/word-edit/history.ts';
import { runsOf, sentenceOrder } from '../../library/speech/word-edit/moved.ts';
import { quietSeams, seamByTimes } from '../../library/speech/word-edit/quiet-places.ts';
import type { SeamFinder } from '../../library/speech/word-edit/seam.ts';
import { isIn, type Span, spanAt } from '../../library/speech/word-edit/spans.ts';
import * as edits from '../../library/speech/word-edit/word-edit.ts';
import { fill } from '../ui.tsx';
import { type Doc, docOf, type GivenTranscript, wordAt } from './doc.ts';
import { label, labelText } from './labels.ts';
import { data, pageDirection, seconds, t } from './page-data.ts';
import type { PeakStore } from './peak-store.ts';
import type { Source } from './source.ts';
import { pauseSuggestions, soundSuggestions, type Suggestion, wordSuggestions } from './suggestions.ts';

export const source = signal<Source | null>(null);
export const doc = signal<Doc | null>(null);
export const peaks = signal<PeakStore | null>(null);
/** Have the peaks been looked for? */
export const peaksLooked = signal(false);
export const history = signal<History<string>>(beginWith(edits.nothingEdited));
export const edit = computed(() => history.value.now);

/** Where the selection began and where it ends, both words included; null: nothing is selected. */
export const selection = signal<{ readonly anchor: number; readonly focus: number } | null>(null);
/** A stretch of time that was drawn over the waveform. */
export const timeSelection = signal<Span | null>(null);
/** Of the play head, seconds of the recording. */
export const position = signal(0);
export const playing = signal(false);
export const rate = signal(1);
export const listen = signal<'edited' | 'recorded'>('edited');
/** What the waveform shows, seconds. */
export const view = signal<Span>([0, 30]);
export const follow = signal(true);
/** Told to screen readers. */
export const told = signal('');
/** Being corrected; null: nothing. */
export const correcting = signal<Span | null>(null);
/** Of the lists beside the text. */
export const allTabs = ['fillers', 'pauses', 'sounds', 'seams', 'speakers', 'captions'] as const;
export const tab = signal<(typeof allTabs)[number]>('fillers');
export const showsKeys = signal(false);
export const showsVersions = signal(false);
export const showsShares = signal(false);
/** A sentence to show in the text. */
export const reveal = signal<{ readonly sentence: number } | null>(null);

/** The word that is heard; -1: none. */
export const nowWord = computed(() => (doc.value === null ? -1 : wordAt(doc.value, position.value)));

export const totalSeconds = computed(() => (source.value === null ? 0 : source.value.frames / source.value.sampleRate));

const moves = computed(() => edit.value.moves);
/** The numbers of sentences as they are heard. */
export const order = computed(() => sentenceOrder(moves.value, doc.value?.sentences.length ?? 0));
const places = computed(() => {
  const made = new Int32Array(order.value.length);
  for (const [at, sentence] of order.value.entries()) made[sentence] = at;
  return made;
});
/** Where a sentence is in the order. */
export const placeOf = (sentence: number): number => places.value[sentence] ?? 0;
export const sentenceOf = (word: number): number => doc.value?.sentenceOf[word] ?? 0;
/** The words of sentences as they are heard; what is neither moved nor parted is one span. */
export const heard = computed((): readonly Span[] =>
  runsOf(order.value).map(([from, to]) => [
    doc.value?.sentences[from]?.from ?? 0,
    doc.value?.sentences[to - 1]?.to ?? 0,
  ]),
);

/** A selection is one stretch of what is heard. Words with another passage between them cannot be selected together. */
export const selectedWords = computed((): Span | null => {
  const chosen = selection.value;
  if (chosen === null) return null;
  const [from, to] = heard.value.find((span) => chosen.anchor >= span[0] && chosen.anchor < span[1]) ?? [0, 0];
  return [
    Math.max(from, Math.min(chosen.anchor, chosen.focus)),
    Math.min(to, Math.max(chosen.anchor, chosen.focus) + 1),
  ];
});

/** Seams once placed stay where they are; those whose peaks are not there yet are placed again. */
const placed = new Map<string, ReturnType<SeamFinder>>();
effect(() => {
  void doc.value;
  void peaks.value;
  placed.clear();
});

const seamFinder = computed((): SeamFinder => {
  const store = peaks.value;
  const finest = store?.finest() ?? null;
  if (store === null || finest === null) return seamByTimes;
  void store.come.value;
  let isKnown = true;
  const find = quietSeams({
    ...finest,
    levelAt(bin) {
      const level = finest.levelAt(bin);
      if (level === null) isKnown = false;
      return level;
    },
  });
  return (before, after, isMoved = false) => {
    const times = [before.stays, before.goes, after.stays, after.goes].map((range) =>
      range === null ? '' : `${range.startSeconds}-${range.endSeconds}`,
    );
    const mark = [...times, isMoved].join(' ');
    const known = placed.get(mark);
    if (known !== undefined) return known;
    isKnown = true;
    const seam = find(before, after, isMoved);
    if (isKnown) placed.set(mark, seam);
    return seam;
  };
});

const nothingKept: EditedKeeps = { keeps: [], overlapped: [] };

/** What stays, in frames. */
export const kept = computed((): EditedKeeps => {
  const own = source.value;
  if (own === null) return nothingKept;
  const { cut, times } = edit.value;
  return keepsOfEdit(
    doc.value?.words ?? [],
    { cut, times },
    { sampleRate: own.sampleRate, frames: own.frames, seamBetween: seamFinder.value, heard: heard.value },
  );
});

export const editList = computed(() => {
  const own = source.value;
  return {
    sampleRate: own?.sampleRate ?? 1,
    sourceFrames: own?.frames ?? 0,
    keeps: kept.value.keeps,
    crossfadeFrames: Math.round((crossfadeMs / 1000) * (own?.sampleRate ?? 1)),
  };
});
export const times = computed(() => timeMap(editList.value));
export const editedSeconds = computed(() => times.value.outputSeconds);

const inSeconds = (frames: readonly { readonly start: number; readonly end: number }[]): readonly Span[] =>
  frames.map(({ start, end }) => [start / editList.value.sampleRate, end / editList.value.sampleRate]);

/** What is removed, in seconds that are whole frames. */
export const removed = computed(() => inSeconds(complementRanges(editList.value.keeps, editList.value.sourceFrames)));

/** The edit as cut_audio takes it: what is removed, or what is kept where its order is another. */
export const ranges = computed(() =>
  isInOrder(editList.value.keeps)
    ? ({ mode: 'remove', order: 'recorded', ranges: removed.value } as const)
    : ({ mode: 'keep', order: 'given', ranges: inSeconds(editList.value.keeps) } as const),
);

export const wordList = computed(() => (doc.value === null ? [] : wordSuggestions(doc.value)));
export const pauseList = computed(() => (doc.value === null ? [] : pauseSuggestions(doc.value)));
export const soundList = computed(() => (doc.value === null ? [] : soundSuggestions(doc.value, data.language)));
/** All of them. */
export const suggestionList = computed((): readonly Suggestion[] => [
  ...wordList.value,
  ...pauseList.value,
  ...soundList.value,
]);
export type Decision = 'open' | 'cut' | 'kept';

export function decisionOf(suggestion: Suggestion, now = edit.value): Decision {
  const isCut =
    'cut' in suggestion
      ? isIn(now.times, (suggestion.cut[0] + suggestion.cut[1]) / 2) ||
        (suggestion.kind === 'pause' && isIn(now.cut, suggestion.before))
      : isIn(now.cut, suggestion.words[0]);
  if (isCut) return 'cut';
  return now.kept.includes(suggestion.id) ? 'kept' : 'open';
}

/** By word: the suggestion that is open there. */
export const asked = computed(() => {
  const open = new Map<number, Suggestion>();
  for (const suggestion of wordList.value)
    if (decisionOf(suggestion) === 'open')
      for (let word = suggestion.words[0]; word < suggestion.words[1]; word++) open.set(word, suggestion);
  return open;
});
export const pausesBefore = computed(() => new Map(pauseList.value.map((pause) => [pause.before, pause])));

/** Is it cut, as a word or with the stretch of time that it is in? */
export function isWordCut(word: number, { cut, times }: Pick<edits.WordEdit, 'cut' | 'times'> = edit.value): boolean {
  const said = doc.value?.words[word];
  return isIn(cut, word) || (said !== undefined && isIn(times, (said.startSeconds + said.endSeconds) / 2));
}

export const shownWord = (word: number): string => edit.value.texts[word] ?? doc.value?.words[word]?.text ?? '';

export function shownText([from, to]: Span, most = 40): string {
  const words = (doc.value?.words.slice(from, Math.min(to, from + 12)) ?? []).map((_, at) => ({
    text: shownWord(from + at),
  }));
  const text = joinWords(words, doc.value?.language ?? 'en');
  const shown = text.length > most ? `${text.slice(0, most)}\u2026` : text;
  // Isolated, so that an ellipsis is at the end of a text that runs the other way, wherever it is put.
  return `\u201C${doc.value?.direction === pageDirection ? shown : `\u2068${shown}\u2069`}\u201D`;
}

export const speakerName = (speaker: number): string => edit.value.names[speaker] ?? fill(t.speaker, { n: speaker });
export const speakerOf = (sentence: number): number | null =>
  edit.value.said[sentence] ?? doc.value?.sentences[sentence]?.speaker ?? null;
export const speakers = computed(() =>
  [...new Set(doc.value?.sentences.flatMap((_, at) => speakerOf(at) ?? []) ?? [])].toSorted((a, b) => a - b),
);

// ---- Acts

/** @param name as of `label` */
export function act(after: edits.WordEdit, name: string): void {
  const before = history.value;
  history.value = step(before, after, name);
  if (history.value !== before) told.value = labelText(name);
}

export function undoStep(): void {
  const { done } = history.value;
  if (done === null) return;
  history.value = undo(history.value);
  told.value = fill(t.undoStep, { step: labelText(done.label) });
}

export function redoStep(): void {
  const { undone } = history.value;
  if (undone === null) return;
  history.value = redo(history.value);
  told.value = fill(t.redoStep, { step: labelText(undone.label) });
}

const named = (words: Span): string =>
  words[1] - words[0] > 6
    ? label('cutMany', { n: words[1] - words[0] })
    : label('cutWords', { text: shownText(words) });

/** Cuts what is selected: words, or a stretch of time. */
export function cutSelection(): void {
  const [words, time] = [selectedWords.value, timeSelection.value];
  if (words !== null) act(edits.cutWords(edit.value, words), named(words));
  else if (time !== null) act(edits.cutTime(edit.value, time), label('cutTime', { time: time[1] - time[0] }));
  // The place stays: R there brings the words back.
  if (words !== null) position.value = doc.value?.words[words[0]]?.startSeconds ?? position.value;
  selection.value = null;
  timeSelection.value = null;
}

/** Of one word in a cut, the whole cut comes back. */
export function restoreSelection(): void {
  const [words, time] = [selectedWords.value, timeSelection.value];
  if (time !== null) {
    act(edits.restoreTime(edit.value, time), label('restoredTime', { time: time[1] - time[0] }));
    timeSelection.value = null;
  }
  const here = nowWord.value;
  const own: Span | null = words ?? (time === null && here >= 0 ? [here, here + 1] : null);
  if (own === null) return;
  const whole = own[1] - own[0] === 1 ? (spanAt(edit.value.cut, own[0]) ?? own) : own;
  const [first, last] = [doc.value?.words[whole[0]], doc.value?.words[whole[1] - 1]];
  const said: Span = [first?.startSeconds ?? 0, last?.endSeconds ?? 0];
  const now = edits.restoreTime(edits.restoreWords(edit.value, whole), said);
  act(now, label('restored', { text: shownText(whole) }));
}

/** What cutting them is called. */
const cutForms = { pause: 'cutPauses', sound: 'cutSounds' } as const;

export function decide(suggestion: Suggestion, decision: Decision): void {
  const { id } = suggestion;
  const now = edits.askAgain(edit.value, id);
  if (decision === 'kept') return act(edits.keepSuggestion(now, id), label('keptOne', { text: labelOf(suggestion) }));
  if ('cut' in suggestion) {
    const act1 = decision === 'cut' ? edits.cutTime : edits.restoreTime;
    act(
      act1(now, suggestion.cut),
      decision === 'cut'
        ? label(cutForms[suggestion.kind], { n: 1 })
        : label('restored', { text: ['why', suggestion.kind] }),
    );
  } else if (decision === 'cut') act(edits.cutWords(now, suggestion.words), named(suggestion.words));
  else act(edits.restoreWords(now, suggestion.words), label('restored', { text: shownText(suggestion.words) }));
}

export const labelOf = (suggestion: Suggestion): string =>
  suggestion.kind === 'pause'
    ? fill(t.pauseOf, { n: seconds(suggestion.endSeconds - suggestion.startSeconds) })
    : suggestion.text;

/** Cuts all that are open, in one step. */
export function cutOpen(list: readonly Suggestion[]): void {
  let now = edit.value;
  let number = 0;
  for (const suggestion of list) {
    if (decisionOf(suggestion, now) !== 'open') continue;
    now = 'cut' in suggestion ? edits.cutTime(now, suggestion.cut) : edits.cutWords(now, suggestion.words);
    number += 1;
  }
  const [first] = list;
  act(now, label(first !== undefined && 'cut' in first ? cutForms[first.kind] : 'cutFillers', { n: number }));
}

/** The edit with a word written so. */
export const withWord = (now: edits.WordEdit, word: number, text: string): edits.WordEdit =>
  edits.writeWord(now, word, text === doc.value?.words[word]?.text ? null : text);

/** @param texts for each word from `from` on */
export function correct([from]: Span, texts: readonly string[]): void {
  let now = edit.value;
  for (const [at, text] of texts.entries()) {
    now = withWord(now, from + at, text);
  }
  act(now, label('wrote', { text: `\u201C${texts.filter((text) => text !== '').join(' ')}\u201D` }));
}

export function nameSpeaker(speaker: number, name: string): void {
  act(
    edits.nameSpeaker(edit.value, speaker, name),
    label('named', { text: name.trim() || fill(t.speaker, { n: speaker }) }),
  );
}

/** Gives all that one speaker says to another. */
export function mergeSpeakers(speaker: number, into: number): void {
  const given = doc.value?.sentences ?? [];
  let now = edits.nameSpeaker(edit.value, speaker, null);
  for (const sentence of given.keys())
    if (speakerOf(sentence) === speaker)
      now = edits.giveSentence(now, sentence, given[sentence]?.speaker === into ? null : into);
  act(now, label('mergedSpeakers', { from: speakerName(speaker), to: speakerName(into) }));
}

export function giveSentence(sentence: number, speaker: number): void {
  const own = doc.value?.sentences[sentence]?.speaker ?? null;
  act(
    edits.giveSentence(edit.value, sentence, speaker === own ? null : speaker),
    label('gave', { text: speakerName(speaker) }),
  );
}

/** Takes a transcript; an edit of other words does not fit it. */
export function takeTranscript(given: GivenTranscript): void {
  doc.value = docOf(given);
  selection.value = null;
}

/** Shows a moment: in the waveform, and its word in the text. */
export function show(at: number): void {
  const [from, to] = view.value;
  const length = to - from;
  if (at < from || at > to - length * 0.1) showFrom(at - length * 0.2);
  const word = doc.value === null ? -1 : wordAt(doc.value, at);
  if (word >= 0) reveal.value = { sentence: sentenceOf(word) };
}

export function showFrom(from: number, length = view.value[1] - view.value[0]): void {
  const shown = Math.min(Math.max(length, 0.25), Math.max(totalSeconds.value, 0.25));
  const start = Math.min(Math.max(0, from), Math.max(0, totalSeconds.value - shown));
  view.value = [start, start + shown];
}

/** @param factor below 1: closer */
export function zoom(factor: number, around = position.value): void {
  const [from, to] = view.value;
  const centre = around < from || around > to ? (from + to) / 2 : around;
  const length = Math.min(Math.max((to - from) * factor, 0.25), totalSeconds.value);
  showFrom(centre - ((centre - from) / (to - from)) * length, length);
}
