// Speech without words: a decoder skips what it cannot understand, and sometimes what it could.
import type { SpeechRegion } from '../../activity/find-speech.ts';
import type { SpokenWord } from '../../spoken-word.ts';

/** Times of words are exact to a few tenths of a second. */
const reachSeconds = 0.35;
/** Shorter stretches may be a breath, a laugh or a drawn-out word. */
const leastSeconds = 1.2;

/** Stretches of voice without a word. */
export function uncovered(
  voices: readonly SpeechRegion[],
  words: readonly Pick<SpokenWord, 'startSeconds' | 'endSeconds'>[],
): SpeechRegion[] {
  const found: SpeechRegion[] = [];
  for (const voice of voices) {
    let from = voice.startSeconds;
    const keep = (to: number): void => {
      if (to - from >= leastSeconds) found.push({ startSeconds: from, endSeconds: to });
    };
    for (const word of words) {
      if (word.endSeconds + reachSeconds <= from || word.startSeconds - reachSeconds >= voice.endSeconds) continue;
      keep(word.startSeconds - reachSeconds);
      from = Math.max(from, word.endSeconds + reachSeconds);
    }
    keep(voice.endSeconds);
  }
  return found;
}
