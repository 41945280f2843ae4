import type { Transcript, TranscriptSentence, TranscriptWord } from '../../../contract/transcript.ts';

const thousandths = (value: number): number => Math.round(value * 1000) / 1000;

/** Times to the millisecond, confidences to three digits. */
function roundedWord(word: TranscriptWord): TranscriptWord {
  const startSeconds = thousandths(Math.max(0, word.startSeconds));
  return {
    ...word,
    startSeconds,
    endSeconds: Math.max(startSeconds, thousandths(word.endSeconds)),
    ...(word.confidence === undefined ? {} : { confidence: thousandths(Math.min(1, Math.max(0, word.confidence))) }),
  };
}

function roundedSentence(sentence: TranscriptSentence): TranscriptSentence {
  const startSeconds = thousandths(Math.max(0, sentence.startSeconds));
  return {
    ...sentence,
    startSeconds,
    endSeconds: Math.max(startSeconds, thousandths(sentence.endSeconds)),
    words: sentence.words.map(roundedWord),
  };
}

/** The transcript format (docs/transcript-format.md), one sentence per line, so that people can read and compare it. */
export function toTranscriptJson({ sentences, ...head }: Transcript): string {
  const opening = JSON.stringify({ ...head, durationSeconds: thousandths(head.durationSeconds) }).slice(0, -1);
  const lines = sentences
    .map(roundedSentence)
    .toSorted((a, b) => a.startSeconds - b.startSeconds)
    .map((sentence) => JSON.stringify(sentence));
  return `${opening},"sentences":[${lines.length === 0 ? '' : `\n${lines.join(',\n')}\n`}]}\n`;
}
