import type { TimeRange } from '../../core/time-range.ts';
import type { FanOut } from '../../core/machine/fan-out.ts';
import { searchFolders } from '../../models/folders.ts';
import { runPieces } from '../pieces.ts';
import { speechRate, type SpeechSound } from '../speech-sound.ts';
import { type ActivityItem, stepSamples } from './activity-task.ts';
import { lateOnsets } from './late-onsets.ts';
import type { VoiceActivity } from './voice-activity.ts';
import { moduleUrl } from '../../core/running-files.ts';

/** A stretch of speech. Seconds of the recording; regions are in order and do not touch. */
export type SpeechRegion = TimeRange;

export interface ActivityOptions {
  readonly signal: AbortSignal;
  readonly fanOut: FanOut;
  /** Folder of the models; undefined: the usual places. */
  readonly modelsDir: string | undefined;
  /** 0 to 1. */
  onProgress(fraction: number): void;
}

/** Four minutes in rows of one: fixed, so that the result does not depend on the number of cores. */
const stepsPerRow = 1875;
const stepsPerStretch = 4 * stepsPerRow;

/** Thresholds to start and to continue speech: Silero's own values. */
export const startsAt = 0.5;
export const goesOnAt = 0.35;
/** Shorter pauses do not end a region; shorter voices are clicks. */
const shortestPauseSeconds = 0.3;
export const shortestSpeechSeconds = 0.1;
/** Margin for onsets and tails that the network detects late. */
const padSeconds = 0.06;

/** As for speakers, whose network runs on the same long-lived threads. This network takes half of it. */
const threadBytes = 135e6;

const taskUrl = moduleUrl('library/speech/activity/activity-task');

/**
 * Runs voice activity detection (Silero VAD v6) over stretches on all cores.
 * @throws EarshotError tool_unavailable without the model silero-vad; AbortError
 */
export async function listenForVoice(
  sound: SpeechSound,
  { signal, fanOut, modelsDir, onProgress }: ActivityOptions,
): Promise<VoiceActivity> {
  const steps = Math.ceil(sound.frames / stepSamples);
  const probabilities = new Float32Array(steps);
  const modelFolders = searchFolders(modelsDir);
  const path = sound.held ?? sound.path;
  const starts = Array.from({ length: Math.ceil(steps / stepsPerStretch) }, (_, index) => index * stepsPerStretch);
  let done = 0;
  const lane = async (): Promise<void> => {
    for (let fromStep = starts.shift(); fromStep !== undefined; fromStep = starts.shift()) {
      const toStep = Math.min(steps, fromStep + stepsPerStretch);
      const item: ActivityItem = { path, modelFolders, fromStep, toStep, stepsPerRow };
      const [found] = await fanOut.map<ActivityItem, Float32Array>(taskUrl, 'voiceProbabilities', [item], { signal });
      probabilities.set(found as Float32Array, fromStep);
      done += toStep - fromStep;
      onProgress(done / steps);
    }
  };
  const lanes = fanOut.lanes(threadBytes);
  await Promise.all(Array.from({ length: lanes }, lane));
  const activity = { secondsPerStep: stepSamples / speechRate, probabilities };
  const items = lateOnsets(sound, activity, startsAt).map((range) => {
    return { ...range, path, modelFolders, stepsPerRow: range.toStep - range.fromStep, fresh: true };
  });
  const heard: Float32Array[] = [];
  const keep = (found: Float32Array): void => void heard.push(found);
  await runPieces<ActivityItem, Float32Array>(fanOut, [taskUrl, 'voiceProbabilities'], items, keep, { lanes, signal });
  const longestDip = Math.floor(shortestPauseSeconds / activity.secondsPerStep);
  for (const [index, { fromStep }] of items.entries()) {
    const fresh = heard[index] as Float32Array;
    // Backwards from the onset, as long as no pause divides.
    const pause = fresh.findLastIndex(
      (_, step) =>
        step <= fresh.length - longestDip && fresh.subarray(step, step + longestDip).every((each) => each < startsAt),
    );
    for (let step = pause + 1; step < fresh.length; step += 1)
      probabilities[fromStep + step] = Math.max(probabilities[fromStep + step] as number, fresh[step] as number);
  }
  return activity;
}

/**
 * Regions of speech, with Silero VAD's own thresholds (0.5 to start, 0.35 to continue) and a short margin. Pauses under
 * 0.3 s do not divide, voices under 0.1 s do not count.
 */
export function speechRegions(
  { secondsPerStep, probabilities }: VoiceActivity,
  durationSeconds: number,
): SpeechRegion[] {
  const regions: { startSeconds: number; endSeconds: number }[] = [];
  let start: number | null = null;
  let end = 0;
  const close = (): void => {
    if (start !== null && end - start >= shortestSpeechSeconds) regions.push({ startSeconds: start, endSeconds: end });
    start = null;
  };
  for (let step = 0; step < probabilities.length; step += 1) {
    const probability = probabilities[step] ?? 0;
    const at = step * secondsPerStep;
    if (start === null) {
      if (probability < startsAt) continue;
      start = at;
    } else if (probability < goesOnAt) {
      if (at + secondsPerStep - end >= shortestPauseSeconds - 1e-6) close();
      continue;
    }
    end = at + secondsPerStep;
  }
  close();
  const padded: SpeechRegion[] = [];
  for (const [index, region] of regions.entries()) {
    const before = regions[index - 1]?.endSeconds ?? 0;
    const after = regions[index + 1]?.startSeconds ?? durationSeconds;
    padded.push({
      startSeconds: region.startSeconds - Math.min(padSeconds, (region.startSeconds - before) / 3),
      endSeconds: Math.min(durationSeconds, region.endSeconds + Math.min(padSeconds, (after - region.endSeconds) / 3)),
    });
  }
  return padded;
}
