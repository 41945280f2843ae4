// Converts the words of a window to words of the recording.
import type { TimeRange } from '../../../core/time-range.ts';
import type { ListenedWord, SpokenWord } from '../../spoken-word.ts';
import { type ListeningWindow, recordingSeconds } from './windows.ts';

/** A word does not take longer, apart from the time for its letters. */
const longestWordSeconds = 1.2;
const secondsPerLetter = 0.12;
/** A word that starts this much before a voice belongs to the voice. */
const slackSeconds = 0.3;

/** The stretch that decides where a word with overlaps is. */
export interface PlacedWord extends SpokenWord {
  readonly confidence: number;
}

/** A shorter part of a word is an inaccuracy of its times. */
const leastPartSeconds = 0.08;

/**
 * The part of a word's time with voice. Attention runs ahead through pauses, so of several parts the last long enough
 * one counts, else the longest. Without voice, the part in the last piece if a voice is near. null where there is none.
 */
function withinVoice(startSeconds: number, endSeconds: number, { voices, pieces }: ListeningWindow): TimeRange | null {
  let best: TimeRange | null = null;
  let most = 0;
  for (const voice of voices) {
    if (voice.startSeconds - slackSeconds > endSeconds) break;
    const [from, to] = [Math.max(startSeconds, voice.startSeconds), Math.min(endSeconds, voice.endSeconds)];
    if (to - from > 0 && to - from >= Math.min(most, leastPartSeconds)) {
      most = to - from;
      best = { startSeconds: from, endSeconds: to };
    }
  }
  if (best) return best;
  const piece = pieces.findLast((each) => each.startSeconds < endSeconds);
  const from = Math.max(startSeconds, piece?.startSeconds ?? startSeconds);
  const near = voices.some(
    (voice) => voice.startSeconds - slackSeconds <= endSeconds && from <= voice.endSeconds + slackSeconds,
  );
  return near ? { startSeconds: from, endSeconds: Math.max(from, endSeconds) } : null;
}

/** Words with times of the recording; words without voice are dropped. */
export function placeInRecording(words: readonly ListenedWord[], window: ListeningWindow): PlacedWord[] {
  const placed: PlacedWord[] = [];
  for (const { text, confidence, ...times } of words) {
    const start = recordingSeconds(window, times.startSeconds);
    const end = Math.max(start, recordingSeconds(window, times.endSeconds, true));
    const voiced = withinVoice(start, end, window);
    if (!voiced) continue;
    const longest = longestWordSeconds + secondsPerLetter * text.length;
    const startSeconds = Math.max(voiced.startSeconds, placed.at(-1)?.endSeconds ?? 0);
    placed.push({
      text,
      startSeconds,
      endSeconds: Math.max(startSeconds, Math.min(voiced.endSeconds, voiced.startSeconds + longest)),
      confidence: Math.min(1, confidence),
    });
  }
  return placed;
}
