import type { TimeRange } from '../../../core/time-range.ts';
import type { Transcript, TranscriptSentence, TranscriptWord } from '../../../contract/transcript.ts';

const thousandths = (value: number): number => Math.round(value * 1000) / 1000;

/** Times to the millisecond. */
function roundedSpan<Span extends TimeRange>(span: Span): Span {
  const startSeconds = thousandths(Math.max(0, span.startSeconds));
  return { ...span, startSeconds, endSeconds: Math.max(startSeconds, thousandths(span.endSeconds)) };
}

/** Confidences to three digits. */
function roundedWord(word: TranscriptWord): TranscriptWord {
  return {
    ...roundedSpan(word),
    ...(word.confidence === undefined ? {} : { confidence: thousandths(Math.min(1, Math.max(0, word.confidence))) }),
  };
}

function roundedSentence(sentence: TranscriptSentence): TranscriptSentence {
  return { ...roundedSpan(sentence), words: sentence.words.map(roundedWord) };
}

/** The transcript format (docs/transcript-format.md), one sentence per line, so that people can read and compare it. */
export function toTranscriptJson({ sentences, turns, events, ...head }: Transcript): string {
  const opening = JSON.stringify({
    ...head,
    durationSeconds: thousandths(head.durationSeconds),
    turns: turns?.map(roundedSpan),
    events: events?.map((event) => ({ ...roundedSpan(event), score: thousandths(event.score) })),
  }).slice(0, -1);
  const lines = sentences
    .map(roundedSentence)
    .toSorted((a, b) => a.startSeconds - b.startSeconds)
    .map((sentence) => JSON.stringify(sentence));
  return `${opening},"sentences":[${lines.length === 0 ? '' : `\n${lines.join(',\n')}\n`}]}\n`;
}
