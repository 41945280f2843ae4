import { goesOnAt, shortestSpeechSeconds, startsAt } from '../activity/find-speech.ts';
// Divides an endless recording into stretches of speech that can be read one by one: at pauses, and in speech without
// pauses at the faintest moment, so that what was said is known soon.

/** A stretch of speech, steps of the stream. */
export interface SpeechSegment {
  readonly fromStep: number;
  /** Exclusive. */
  readonly toStep: number;
  /**
   * A long pause follows; otherwise the sentence may go on. Nothing may be left to read: then both steps are the same.
   */
  readonly ended: boolean;
}

export interface Segmenter {
  /** @param probability of a voice in the next step; @returns what is complete now */
  push(probability: number): SpeechSegment | null;
  /** The end of the stream. */
  finish(): SpeechSegment | null;
  /** The unfinished stretch, with the length of the pause at its end; null between stretches. */
  readonly current: { readonly fromStep: number; readonly toStep: number; readonly pauseSteps: number } | null;
  /** Sound before this step is not needed any more. */
  readonly neededFrom: number;
}

/** Before and behind a voice. */
const marginSeconds = 0.3;
/** How long a pause ends a stretch that is so long: who has said little often goes on. */
const endingPauses: readonly (readonly [atLeastSeconds: number, pauseSeconds: number])[] = [
  [8, 0.13],
  [6, 0.22],
  [4.5, 0.45],
  [3, 0.7],
  [0, 1.2],
];
/** Behind such a pause nothing more belongs to what was said. */
const silenceSeconds = 1.2;
/** At this length a stretch is divided where the voice is faintest, in its last part. */
const longestSeconds = 12;
const searchedSeconds = 5;

export function createSegmenter(secondsPerStep: number): Segmenter {
  const stepsOf = (seconds: number): number => Math.round(seconds / secondsPerStep);
  const margin = stepsOf(marginSeconds);
  let now = 0;
  /** Where the stretch begins; null between stretches. */
  let start: number | null = null;
  let [lastVoice, voiced, done] = [0, 0, 0];
  /** The last stretch may go on. */
  let open = false;
  /** The stretch is the rest of one that was divided: speech, however short it is. */
  let isRest = false;
  /** Of the stretch, from its start. */
  let probabilities: number[] = [];

  const cut = (toStep: number, ended: boolean): SpeechSegment | null => {
    const fromStep = start ?? toStep;
    const isSpeech = isRest ? voiced > 0 : voiced * secondsPerStep >= shortestSpeechSeconds;
    isRest = false;
    done = toStep;
    start = null;
    voiced = 0;
    probabilities = [];
    open = isSpeech ? !ended : open;
    return isSpeech ? { fromStep, toStep, ended } : null;
  };

  /** The speaker did not go on. */
  const closed = (): SpeechSegment | null => {
    if (!open || (now - lastVoice) * secondsPerStep < silenceSeconds) return null;
    open = false;
    return { fromStep: now, toStep: now, ended: true };
  };

  /** The stretch goes on behind this. */
  const divide = (at: number): SpeechSegment | null => {
    const rest = probabilities.slice(at - (start ?? 0));
    const segment = cut(at, false);
    start = at;
    isRest = true;
    probabilities = rest;
    voiced = rest.filter((one) => one >= goesOnAt).length;
    return segment;
  };

  const faintestStep = (from: number): number => {
    let [best, least] = [now, Infinity];
    for (let step = now - stepsOf(searchedSeconds); step < now; step += 1) {
      const at = step - from;
      const around = (probabilities[at - 1] ?? 0) + 2 * (probabilities[at] ?? 0) + (probabilities[at + 1] ?? 0);
      if (around <= least) [best, least] = [step, around];
    }
    return best;
  };

  return {
    push(probability) {
      const step = now;
      now += 1;
      if (start === null) {
        if (probability < startsAt) return closed();
        start = Math.max(done, step - margin);
        probabilities = Array.from({ length: step - start }, () => 0);
      }
      probabilities.push(probability);
      if (probability >= goesOnAt) {
        lastVoice = step;
        voiced += 1;
      }
      const pause = (step - lastVoice) * secondsPerStep;
      const length = (now - start) * secondsPerStep;
      const [, ending] = endingPauses.find(([least]) => length - pause >= least) ?? [0, silenceSeconds];
      if (pause >= ending) return cut(Math.min(now, lastVoice + 1 + margin), pause >= silenceSeconds);
      if (length >= longestSeconds) return divide(faintestStep(start));
      return null;
    },
    finish: () =>
      (start === null ? null : cut(now, true)) ?? (open ? { fromStep: now, toStep: now, ended: true } : null),
    get current() {
      return start === null ? null : { fromStep: start, toStep: now, pauseSteps: now - 1 - lastVoice };
    },
    get neededFrom() {
      return start ?? Math.max(done, now - margin);
    },
  };
}
