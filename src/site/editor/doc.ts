// The words of a recording as the editor has them: by number, in the order of the transcript.
import type { TranscriptEvent, TranscriptWord } from '../../library/contract/transcript.ts';
import { directionOf } from '../direction.ts';
import type { WordSource } from '../../library/speech/text-edit/edited-transcript.ts';

export interface Sentence {
  /** Its words: [from, to). */
  readonly from: number;
  readonly to: number;
  readonly startSeconds: number;
  /** null: not known. */
  readonly speaker: number | null;
}

export interface Doc extends WordSource {
  readonly sentences: readonly Sentence[];
  readonly sentenceOf: Int32Array;
  readonly events: readonly TranscriptEvent[];
  /** Seconds up to which there are words; the rest of a longer recording was not listened to. */
  readonly heardSeconds: number;
  /** In which most of its letters run. */
  readonly direction: 'ltr' | 'rtl';
}

/** As the service gives transcripts, in whole or in windows. */
export interface GivenTranscript {
  readonly language: string;
  readonly durationSeconds: number;
  readonly sentences: readonly {
    readonly startSeconds: number;
    readonly speaker: number | null;
    readonly words?: readonly TranscriptWord[];
  }[];
  readonly events?: readonly TranscriptEvent[];
}

/** So many words tell the direction of all. */
const mostRead = 500;

export function docOf({ language, durationSeconds, sentences: given, events = [] }: GivenTranscript): Doc {
  const words: TranscriptWord[] = [];
  const sentences: Sentence[] = [];
  const numbers: number[] = [];
  for (const { startSeconds, speaker, words: own = [] } of given) {
    if (own.length === 0) continue;
    const from = words.length;
    for (const word of own) {
      const said = word.speaker ?? speaker;
      words.push(said === null ? word : { ...word, speaker: said });
      numbers.push(sentences.length);
    }
    sentences.push({ from, to: words.length, startSeconds, speaker });
  }
  return {
    language,
    words,
    events,
    sentences,
    sentenceOf: Int32Array.from(numbers),
    heardSeconds: durationSeconds,
    direction: directionOf(words.slice(0, mostRead).map(({ text }) => text)),
  };
}

/** The word that is said at a moment, or the last one before it; -1: none. */
export function wordAt({ words }: Pick<Doc, 'words'>, seconds: number): number {
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((words[middle]?.startSeconds ?? 0) <= seconds) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
