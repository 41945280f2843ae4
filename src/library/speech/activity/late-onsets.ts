// Where the voice activity network may have heard a voice late: it remembers seconds, and after loud music or noise it
// takes up to two seconds of a voice for more of the same.
import type { SpeechSound } from '../speech-sound.ts';
import { type ActivityItem, stepSamples } from './activity-task.ts';
import type { VoiceActivity } from './voice-activity.ts';

/** This much before a voice is heard again, without that memory. */
const lateSeconds = 2;
/** Shorter stretches without a voice leave no such memory. */
const leastOtherSeconds = 3;
/** Nor do those that are quieter than this share of the voice. */
const leastOtherShare = 0.05;
/** Of a voice's begin, for its level and for the network to be sure. */
const voiceSeconds = 0.5;

/**
 * Stretches to hear again, in order; each ends in a voice.
 * @param startsAt the probability from which on there is a voice
 */
export function lateOnsets(
  sound: SpeechSound,
  { secondsPerStep, probabilities }: VoiceActivity,
  startsAt: number,
): Pick<ActivityItem, 'fromStep' | 'toStep'>[] {
  const stepsOf = (seconds: number): number => Math.round(seconds / secondsPerStep);
  const ranges: Pick<ActivityItem, 'fromStep' | 'toStep'>[] = [];
  let otherFrom = 0;
  for (const [step, probability] of probabilities.entries()) {
    if (probability < startsAt) continue;
    if (step - otherFrom >= stepsOf(leastOtherSeconds)) {
      const fromStep = step - stepsOf(lateSeconds);
      const toStep = Math.min(probabilities.length, step + stepsOf(voiceSeconds));
      if (rmsOf(sound, fromStep, step) > leastOtherShare * rmsOf(sound, step, toStep))
        ranges.push({ fromStep, toStep });
    }
    otherFrom = step + 1;
  }
  return ranges;
}

function rmsOf(sound: SpeechSound, fromStep: number, toStep: number): number {
  const samples = sound.read(fromStep * stepSamples, (toStep - fromStep) * stepSamples);
  return Math.sqrt(samples.reduce((sum, x) => sum + x * x, 0) / samples.length);
}
