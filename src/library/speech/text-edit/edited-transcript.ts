// The transcript of an edited recording: words as they are written now, at their new times, in new sentences.
import type { TimeRange } from '../../core/time-range.ts';
import type { Transcript, TranscriptEvent, TranscriptWord } from '../../contract/transcript.ts';
import { dropWords } from '../fillers/drop-words.ts';
import { splitSentences } from '../transcript/sentences/split.ts';
import { isIn, type Span } from '../word-edit/spans.ts';
import type { WordEdit } from '../word-edit/word-edit.ts';

/** Where times of the recording are in the output: a map of an edit list. */
export interface NewTimes {
  readonly outputSeconds: number;
  toOutput(seconds: number): number;
  mapStretch(startSeconds: number, endSeconds: number): TimeRange | null;
  stretches(range: TimeRange): readonly TimeRange[];
}

/** A transcript as the editor has it. */
export interface WordSource {
  readonly language: string;
  readonly words: readonly TranscriptWord[];
  readonly events: readonly TranscriptEvent[];
  /** By number of a word: the number of its sentence. */
  readonly sentenceOf: ArrayLike<number>;
}

/** @param heard the words of sentences in the order in which they are heard. Default: as recorded */
export function editedTranscript(
  { language, words, events, sentenceOf }: WordSource,
  { cut, texts, said }: Pick<WordEdit, 'cut' | 'texts' | 'said'>,
  times: NewTimes,
  heard: readonly Span[] = [[0, words.length]],
): Transcript {
  const written = words.map((word, at): TranscriptWord => {
    const speaker = said[sentenceOf[at] ?? -1] ?? word.speaker;
    return { ...word, text: texts[at] ?? word.text, ...(speaker === undefined ? {} : { speaker }) };
  });
  const order = heard.flatMap(([from, to]) => Array.from({ length: to - from }, (_, at) => from + at));
  const inOrder = order.map((at) => written[at] as TranscriptWord);
  const moved: TranscriptWord[] = [];
  for (const word of dropWords(inOrder, (at) => isIn(cut, order[at] as number))) {
    const { startSeconds, endSeconds } = word;
    const at = times.toOutput(startSeconds);
    const span =
      endSeconds > startSeconds ? times.mapStretch(startSeconds, endSeconds) : { startSeconds: at, endSeconds: at };
    // Cut as a stretch of time.
    if (span === null) continue;
    const last = moved.at(-1);
    if (word.text === '' && last !== undefined) moved[moved.length - 1] = { ...last, endSeconds: span.endSeconds };
    else if (word.text !== '') moved.push(...divided({ ...word, ...span }));
  }
  const sentences = splitSentences(moved, language);
  const speakers = new Set(moved.flatMap(({ speaker }) => speaker ?? []));
  return {
    format: 'earshot-transcript',
    version: 1,
    language,
    durationSeconds: times.outputSeconds,
    speakerCount: words.some(({ speaker }) => speaker !== undefined) ? speakers.size : null,
    ...(events.length === 0 ? {} : { events: movedEvents(events, times) }),
    sentences: sentences.toSorted((a, b) => a.startSeconds - b.startSeconds),
  };
}

/** Several words in the place of one share its time by their letters. */
function divided(word: TranscriptWord): readonly TranscriptWord[] {
  const texts = word.text.split(' ');
  if (texts.length === 1) return [word];
  const letters = texts.reduce((sum, text) => sum + text.length, 0);
  const secondsPerLetter = (word.endSeconds - word.startSeconds) / letters;
  let at = word.startSeconds;
  return texts.map((text) => {
    const startSeconds = at;
    at += text.length * secondsPerLetter;
    return { ...word, text, startSeconds, endSeconds: at };
  });
}

/** What is left of sounds, in each passage that stays. */
const movedEvents = (events: readonly TranscriptEvent[], times: NewTimes): TranscriptEvent[] =>
  events
    .flatMap((event) => times.stretches(event).map((range) => ({ ...event, ...range })))
    .toSorted((a, b) => a.startSeconds - b.startSeconds);
