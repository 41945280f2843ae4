import type { TimeRange } from '../core/time-range.ts';
import type { Transcript, TranscriptSentence } from './transcript.ts';

/** A word of a window, without the fields that the transcript does not have. */
export interface WindowWord {
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly speaker?: number;
  readonly matched?: boolean;
}

/** A sound that is not speech, see `SoundKind`. */
export interface WindowEvent extends TimeRange {
  readonly sound: string;
  /** 0 to 1. */
  readonly score: number;
}

/** The sentences of a transcript in a stretch of time. */
export interface TranscriptStretch {
  readonly language: string;
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly durationSeconds: number;
  readonly speakerCount: number | null;
  readonly detail: 'concise' | 'full';
  readonly sentences: readonly {
    readonly startSeconds: number;
    readonly endSeconds: number;
    readonly text: string;
    readonly speaker: number | null;
    readonly words?: readonly WindowWord[];
  }[];
  /** What else is heard in it; absent where the transcript does not tell. */
  readonly events?: readonly WindowEvent[];
  /** Where to go on; null at the end. */
  readonly nextFromSeconds: number | null;
}

/** The usual length of a stretch, seconds. */
export const usualStretchSeconds = 300;

/** The whole sentences that overlap `from` (inclusive) to `to` (exclusive). */
export function cutWindow(
  transcript: Transcript,
  from: number,
  to: number,
  detail: 'concise' | 'full',
): TranscriptStretch {
  const { language, durationSeconds, speakerCount, sentences, events } = transcript;
  const heard = ({ startSeconds, endSeconds }: TimeRange): boolean =>
    startSeconds < to && (endSeconds > from || startSeconds >= from);
  const next = sentences.find(({ startSeconds }) => startSeconds >= to && startSeconds >= from);
  return {
    language,
    fromSeconds: from,
    toSeconds: to,
    durationSeconds,
    speakerCount,
    detail,
    sentences: sentences.filter(heard).map((sentence) => {
      const { startSeconds, endSeconds, text: spoken, speaker, words } = sentence;
      const view = { startSeconds, endSeconds, text: spoken, speaker };
      return detail === 'full' ? { ...view, words: words.map(shownWord) } : view;
    }),
    ...(events === undefined ? {} : { events: events.filter(heard) }),
    nextFromSeconds: next?.startSeconds ?? null,
  };
}

function shownWord({
  text: spoken,
  startSeconds,
  endSeconds,
  speaker,
  matched,
}: TranscriptSentence['words'][number]): WindowWord {
  return {
    text: spoken,
    startSeconds,
    endSeconds,
    ...(speaker === undefined ? {} : { speaker }),
    ...(matched === undefined ? {} : { matched }),
  };
}

/** A stretch for a model: where to go on, and what was said as lines with times and speakers. */
export function stretchWords({
  sentences,
  events = [],
  language,
  durationSeconds,
  speakerCount,
  nextFromSeconds,
}: TranscriptStretch): { readonly text: string; readonly quoted: string } {
  const speakers = speakerCount === null ? '' : `, ${speakerCount} ${speakerCount === 1 ? 'speaker' : 'speakers'}`;
  const next = nextFromSeconds === null ? 'End of the transcript.' : `Continue with from: ${nextFromSeconds}.`;
  const heard = events.map((event) => ({ ...event, text: `(${event.sound})`, speaker: null }));
  const lines = [...sentences, ...heard]
    .toSorted((a, b) => a.startSeconds - b.startSeconds)
    .map(
      ({ startSeconds, endSeconds, text, speaker }) =>
        `[${startSeconds.toFixed(1)}-${endSeconds.toFixed(1)}] ` +
        `${speaker === null ? '' : `Speaker ${speaker}: `}${text}`,
    );
  return { text: `Language ${language}, ${durationSeconds} s${speakers}. ${next}`, quoted: lines.join('\n') };
}

/** Longer ones are read in windows. */
const mostWholeLetters = 6000;

/** All of a transcript for a model; null: it is too long for one answer. */
export const wholeTranscript = (transcript: Transcript): ReturnType<typeof stretchWords> | null =>
  wholeWords(cutWindow(transcript, 0, Number.POSITIVE_INFINITY, 'concise'));

/** As `wholeTranscript`, of a stretch that is all of it. */
export function wholeWords(stretch: TranscriptStretch): ReturnType<typeof stretchWords> | null {
  const words = stretchWords(stretch);
  return words.quoted.length > mostWholeLetters ? null : words;
}
