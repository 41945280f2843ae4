// The recogniser's input: speech of a recording, cut at pauses, without long pauses.
import type { TimeRange } from '../../../core/time-range.ts';
import type { SpeechRegion } from '../../activity/find-speech.ts';
import type { VoiceActivity } from '../../activity/voice-activity.ts';

/** At most 30 s of sound: pieces of the recording in order of time. */
export interface ListeningWindow {
  readonly pieces: readonly TimeRange[];
  /** Voices in the recording, within the pieces. */
  readonly voices: readonly SpeechRegion[];
  /** No voice was found: only words that are surely heard count. */
  readonly faint?: true;
  /** Its voices were found only after the noise was taken away: what is unlikely was not said. */
  readonly hidden?: true;
}

/** Whisper's window has 30 s. */
const longestSeconds = 29.8;
/** Longer pauses are cut down to the margins on both sides. */
const longestPauseSeconds = 1.2;
const marginSeconds = 0.3;
/** A window may end this much earlier for a better pause. */
const spareSeconds = 7;
/** A voice longer than a window is cut no earlier than this. */
const leastCutSeconds = 15;

const lengthOf = ({ startSeconds, endSeconds }: TimeRange): number => endSeconds - startSeconds;

/** The moment of least speech probability between two times; the later of equals. */
function weakestMoment({ secondsPerStep, probabilities }: VoiceActivity, from: number, to: number): number {
  const [first, last] = [Math.ceil(from / secondsPerStep), Math.floor(to / secondsPerStep)];
  let [best, least] = [last, Infinity];
  for (let step = first; step <= last; step += 1) {
    const around = (probabilities[step - 1] ?? 0) + 2 * (probabilities[step] ?? 0) + (probabilities[step + 1] ?? 0);
    if (around <= least) [best, least] = [step, around];
  }
  return (best + 0.5) * secondsPerStep;
}

function cutLong(region: SpeechRegion, activity: VoiceActivity): SpeechRegion[] {
  const most = longestSeconds - 2 * marginSeconds;
  const parts: SpeechRegion[] = [];
  let { startSeconds } = region;
  while (region.endSeconds - startSeconds > most) {
    const cut = weakestMoment(activity, startSeconds + leastCutSeconds, startSeconds + most);
    parts.push({ startSeconds, endSeconds: cut });
    startSeconds = cut;
  }
  return [...parts, { startSeconds, endSeconds: region.endSeconds }];
}

/** Some consecutive voices as a window: their pieces with margins that extend at most half into a pause. */
function windowOf(voices: readonly SpeechRegion[], before: number, after: number): ListeningWindow {
  const pieces: TimeRange[] = [];
  for (const [index, voice] of voices.entries()) {
    const earlier = voices[index - 1]?.endSeconds ?? before;
    const later = voices[index + 1]?.startSeconds ?? after;
    const startSeconds = voice.startSeconds - Math.min(marginSeconds, Math.max(0, voice.startSeconds - earlier) / 2);
    const endSeconds = voice.endSeconds + Math.min(marginSeconds, Math.max(0, later - voice.endSeconds) / 2);
    const last = pieces.at(-1);
    if (last && voice.startSeconds - earlier <= longestPauseSeconds)
      pieces[pieces.length - 1] = { startSeconds: last.startSeconds, endSeconds };
    else pieces.push({ startSeconds, endSeconds });
  }
  return { pieces, voices };
}

export const windowSeconds = ({ pieces }: ListeningWindow): number =>
  pieces.reduce((sum, piece) => sum + lengthOf(piece), 0);

/** Seconds of voices in a window. */
function spanOf(voices: readonly SpeechRegion[]): number {
  let seconds = 2 * marginSeconds;
  for (const [index, voice] of voices.entries()) {
    const pause = index === 0 ? 0 : voice.startSeconds - (voices[index - 1]?.endSeconds ?? 0);
    seconds += lengthOf(voice) + (pause <= longestPauseSeconds ? pause : 2 * marginSeconds);
  }
  return seconds;
}

/**
 * Packs all speech into windows of at most 30 s. Each ends at a pause, the longest near its end; a voice without one is
 * cut where its probability is least.
 */
export function packWindows(
  regions: readonly SpeechRegion[],
  activity: VoiceActivity,
  durationSeconds: number,
): ListeningWindow[] {
  const voices = regions.flatMap((region) => cutLong(region, activity));
  const windows: ListeningWindow[] = [];
  for (let first = 0; first < voices.length;) {
    let next = first + 1;
    while (next < voices.length && spanOf(voices.slice(first, next + 1)) <= longestSeconds) next += 1;
    if (next < voices.length) {
      let [best, most] = [next, -Infinity];
      const full = spanOf(voices.slice(first, next));
      for (let cut = next; cut > first; cut -= 1) {
        const given = full - spanOf(voices.slice(first, cut));
        if (given > spareSeconds) break;
        const pause = (voices[cut]?.startSeconds ?? 0) - (voices[cut - 1]?.endSeconds ?? 0);
        const worth = Math.min(pause, longestPauseSeconds) - 0.05 * given;
        if (worth > most) [best, most] = [cut, worth];
      }
      next = best;
    }
    const before = voices[first - 1]?.endSeconds ?? 0;
    windows.push(windowOf(voices.slice(first, next), before, voices[next]?.startSeconds ?? durationSeconds));
    first = next;
  }
  return windows;
}

/** Converts a time of the window to the recording. At a seam it is the later piece's, or with `end` the earlier's. */
export function recordingSeconds({ pieces }: ListeningWindow, seconds: number, end = false): number {
  let left = seconds;
  for (const [index, piece] of pieces.entries()) {
    const length = lengthOf(piece);
    if (left < length || (end && left <= length) || index === pieces.length - 1)
      return piece.startSeconds + Math.min(left, length);
    left -= length;
  }
  return 0;
}
