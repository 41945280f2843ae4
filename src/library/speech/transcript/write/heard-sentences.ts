import type { Transcript, TranscriptSentence } from '../../../contract/transcript.ts';
import { soundLabel } from './sound-labels.ts';

/** A sound is shown so long, and not again for a while: music goes on, a dog barks many times. */
const shownSeconds = 2.5;
const againSeconds = 15;

/**
 * What is said, and between it what else is heard: "[music]", as a sentence of no one, at the time that the sound
 * begins. For those who read what they cannot hear.
 */
export function heardSentences({ sentences, events = [], language }: Transcript): readonly TranscriptSentence[] {
  if (events.length === 0) return sentences;
  const lastOf = new Map<string, number>();
  const heard = events.flatMap(({ sound, startSeconds, endSeconds }): TranscriptSentence[] => {
    const text = soundLabel(sound, language);
    const before = lastOf.get(text) ?? Number.NEGATIVE_INFINITY;
    lastOf.set(text, endSeconds);
    if (startSeconds - before < againSeconds) return [];
    const span = { startSeconds, endSeconds: Math.min(endSeconds, startSeconds + shownSeconds) };
    // Words without times of their own: a line may break between them.
    return [{ ...span, text, speaker: null, words: [] }];
  });
  return [...sentences, ...heard].toSorted((a, b) => a.startSeconds - b.startSeconds);
}
