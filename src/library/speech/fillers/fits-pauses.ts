// Do words lie where a recording has sound, and the gaps between them where it has none? It takes no recogniser, and
// another recording's words do not.
import type { TimeRange } from '../../core/time-range.ts';
import type { SpeechSound } from '../speech-sound.ts';
import { levelTrack } from './level-track.ts';

/** Looked at together, evenly spread over the recording. */
const stretchSeconds = 20;
const mostStretches = 12;
const stepSeconds = 0.02;
/** Shorter gaps between words say nothing. */
const leastGapSeconds = 0.1;
/** The words fit here better than at any other time, at least this far apart and at most so many of them. */
const shiftSeconds = 0.6;
const mostShifts = 48;
/** Fewer pauses fit by chance. */
const fewestPauses = 4;
const pauseSeconds = 0.25;
/** And by so many standard deviations of what they fit there. */
const leastDeviations = 3.5;
/** With less than this correlation they may fit by chance. */
const leastCorrelation = 0.35;

/** @returns false also where the recording has too few pauses to tell */
export function fitsPauses(sound: SpeechSound, words: readonly TimeRange[]): boolean {
  const { durationSeconds } = sound;
  const spoken = joined(words);
  const pauses = spoken
    .slice(1)
    .filter((range, index) => range.startSeconds - spoken[index]!.endSeconds >= pauseSeconds);
  if (pauses.length < fewestPauses) return false;
  const shifts = Math.min(mostShifts, Math.floor(durationSeconds / shiftSeconds) - 1);
  const count = Math.min(mostStretches, Math.ceil(durationSeconds / stretchSeconds));
  const tallies = Array.from({ length: shifts + 1 }, () => ({ both: 0, said: 0 }));
  let [steps, loud] = [0, 0];
  for (let stretch = 0; stretch < count; stretch++) {
    const from = count === 1 ? 0 : ((durationSeconds - stretchSeconds) * stretch) / (count - 1);
    const to = Math.min(durationSeconds, from + stretchSeconds);
    const { levels, silenceDbfs, indexOf } = levelTrack(sound, from, to);
    for (let at = from; at < to; at += stepSeconds) {
      const isLoud = levels[indexOf(at)]! > silenceDbfs;
      steps += 1;
      if (isLoud) loud += 1;
      for (const [index, tally] of tallies.entries()) {
        // Around the end it goes on at the start.
        if (!isSaid(spoken, (at + (index * durationSeconds) / (shifts + 1)) % durationSeconds)) continue;
        tally.said += 1;
        if (isLoud) tally.both += 1;
      }
    }
  }
  const correlations = tallies.map(({ both, said }) => {
    const spread = Math.sqrt(loud * (steps - loud) * said * (steps - said));
    return spread === 0 ? 0 : (steps * both - loud * said) / spread;
  });
  const [own = 0, ...others] = correlations;
  const mean = others.reduce((sum, one) => sum + one, 0) / others.length;
  const deviation = Math.sqrt(others.reduce((sum, one) => sum + (one - mean) ** 2, 0) / others.length);
  return own >= leastCorrelation && own > Math.max(...others) && own - mean >= leastDeviations * deviation;
}

/** Without the short gaps, in order. */
function joined(words: readonly TimeRange[]): TimeRange[] {
  const ranges: { startSeconds: number; endSeconds: number }[] = [];
  for (const { startSeconds, endSeconds } of words.toSorted((a, b) => a.startSeconds - b.startSeconds)) {
    const last = ranges.at(-1);
    if (last !== undefined && startSeconds - last.endSeconds < leastGapSeconds)
      last.endSeconds = Math.max(last.endSeconds, endSeconds);
    else ranges.push({ startSeconds, endSeconds });
  }
  return ranges;
}

function isSaid(ranges: readonly TimeRange[], seconds: number): boolean {
  let [from, to] = [0, ranges.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (ranges[middle]!.startSeconds <= seconds) from = middle + 1;
    else to = middle;
  }
  return from > 0 && ranges[from - 1]!.endSeconds > seconds;
}
