// From the words that stay to the stretches of sound that stay, and the transcript of the result.
import type { TimeRange } from '../../core/time-range.ts';
import type { Transcript, TranscriptEvent, TranscriptWord } from '../../contract/transcript.ts';
import type { SpeechSound } from '../speech-sound.ts';
import { splitSentences } from '../transcript/sentences/split.ts';
import { type Keeps, keepsOfWords } from '../word-edit/keeps.ts';
import { seamBetween } from './seams.ts';
import type { TextEdit } from './text-edit.ts';

export type Arrangement = Keeps;

/** Sound before the first word and after the last one stays where it is. */
export const arrange = (sound: SpeechSound, { words, kept }: Pick<TextEdit, 'words' | 'kept'>): Arrangement =>
  keepsOfWords(words, kept, sound.durationSeconds, (before, after) => seamBetween(sound, before, after));

/** A new time for each time of the recording: that in the first keep that has it; times of none go to the nearest. */
function newTime(keeps: readonly TimeRange[], index: number, starts: readonly number[], seconds: number): number {
  const { startSeconds, endSeconds } = keeps[index] as TimeRange;
  return (starts[index] as number) + Math.min(Math.max(seconds, startSeconds), endSeconds) - startSeconds;
}

/**
 * The transcript of the output: the words as the edited text writes them, at their new times, in new sentences.
 * @param written in the order of the edited text
 */
export function arrangedTranscript(
  transcript: Transcript,
  written: readonly TranscriptWord[],
  keeps: readonly TimeRange[],
): Transcript {
  const starts: number[] = [];
  let total = 0;
  for (const { startSeconds, endSeconds } of keeps) {
    starts.push(total);
    total += endSeconds - startSeconds;
  }
  let keep = 0;
  let before = 0;
  const words = written.map((word): TranscriptWord => {
    const middle = (word.startSeconds + word.endSeconds) / 2;
    const holds = ({ startSeconds, endSeconds }: TimeRange): boolean => middle >= startSeconds && middle <= endSeconds;
    // A passage may be in the output twice: the search goes on from the word before.
    const from = keep + (middle < before ? 1 : 0);
    before = middle;
    const next = keeps.findIndex((each, at) => at >= from && holds(each));
    const found = next >= 0 ? next : keeps.findIndex(holds);
    if (found >= 0) keep = found;
    return {
      ...word,
      startSeconds: newTime(keeps, keep, starts, word.startSeconds),
      endSeconds: newTime(keeps, keep, starts, word.endSeconds),
    };
  });
  const sentences = splitSentences(words, transcript.language);
  const { turns: _, events, ...kept } = transcript;
  return {
    ...kept,
    ...(events === undefined ? {} : { events: movedEvents(events, keeps, starts) }),
    durationSeconds: total,
    sentences: sentences.toSorted((a, b) => a.startSeconds - b.startSeconds),
  };
}

/** What is left of sounds, in each stretch that stays. */
const movedEvents = (
  events: readonly TranscriptEvent[],
  keeps: readonly TimeRange[],
  starts: readonly number[],
): TranscriptEvent[] =>
  keeps
    .flatMap((keep, index) =>
      events.flatMap((event) => {
        if (event.endSeconds <= keep.startSeconds || event.startSeconds >= keep.endSeconds) return [];
        const [startSeconds, endSeconds] = [event.startSeconds, event.endSeconds].map((seconds) =>
          newTime(keeps, index, starts, seconds),
        ) as [number, number];
        return [{ ...event, startSeconds, endSeconds }];
      }),
    )
    .toSorted((a, b) => a.startSeconds - b.startSeconds);
