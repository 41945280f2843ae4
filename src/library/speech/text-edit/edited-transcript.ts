// The transcript of an edited recording: words as they are written now, at their new times, in new sentences.
import type { Transcript, TranscriptEvent, TranscriptWord } from '../../contract/transcript.ts';
import { dropWords } from '../fillers/drop-words.ts';
import { splitSentences } from '../transcript/sentences/split.ts';
import { isIn } from '../word-edit/spans.ts';
import type { WordEdit } from '../word-edit/word-edit.ts';

/** Maps a time of the recording to the output. */
export type NewTime = (seconds: number) => number;

/** A transcript as the editor has it. */
export interface WordSource {
  readonly language: string;
  readonly words: readonly TranscriptWord[];
  readonly events: readonly TranscriptEvent[];
  /** By number of a word: the number of its sentence. */
  readonly sentenceOf: ArrayLike<number>;
}

/** @param newTime for a word in a cut: the seam's */
export function editedTranscript(
  { language, words, events, sentenceOf }: WordSource,
  { cut, texts, said }: Pick<WordEdit, 'cut' | 'texts' | 'said'>,
  newTime: NewTime,
  durationSeconds: number,
): Transcript {
  const written = words.map((word, at): TranscriptWord => {
    const speaker = said[sentenceOf[at] ?? -1] ?? word.speaker;
    return { ...word, text: texts[at] ?? word.text, ...(speaker === undefined ? {} : { speaker }) };
  });
  const moved: TranscriptWord[] = [];
  for (const word of dropWords(written, (at) => isIn(cut, at))) {
    const span = { startSeconds: newTime(word.startSeconds), endSeconds: newTime(word.endSeconds) };
    // Cut as a stretch of time.
    if (span.endSeconds <= span.startSeconds && word.endSeconds > word.startSeconds) continue;
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
    durationSeconds,
    speakerCount: words.some(({ speaker }) => speaker !== undefined) ? speakers.size : null,
    ...(events.length === 0 ? {} : { events: movedEvents(events, newTime) }),
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

/** Without those that are cut out whole. */
const movedEvents = (events: readonly TranscriptEvent[], newTime: NewTime): TranscriptEvent[] =>
  events
    .map((event) => ({
      ...event,
      startSeconds: newTime(event.startSeconds),
      endSeconds: newTime(event.endSeconds),
    }))
    .filter(({ startSeconds, endSeconds }) => endSeconds > startSeconds);
