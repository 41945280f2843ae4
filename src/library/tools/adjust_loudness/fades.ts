import { fade } from '../../edit/fade.ts';
import type { Stage } from '../../pcm/stage.ts';
import type { Measurement } from './measure.ts';
import type { AdjustLoudnessContext } from './options.ts';
import type { AdjustLoudnessResult } from './result.ts';

/** The fades that are asked for, at their places in a sound of this length: a stage each time that it is read. */
export function fadesOf({ options }: AdjustLoudnessContext, { frames, durationSeconds }: Measurement): Stage[] {
  const { fade_in_seconds: fadeIn = 0, fade_out_seconds: fadeOut = 0, fade_curve: curve = 'smooth' } = options;
  if (fadeIn === 0 && fadeOut === 0) return [];
  const framesOf = (seconds: number): number => Math.min(frames, Math.round((seconds * frames) / durationSeconds));
  return [fade({ inFrames: framesOf(fadeIn), outFrames: framesOf(fadeOut), curve, totalFrames: frames })];
}

export const fadeResult = ({
  fade_in_seconds: fadeIn = 0,
  fade_out_seconds: fadeOut = 0,
}: AdjustLoudnessContext['options']): Pick<AdjustLoudnessResult, 'fadeInSeconds' | 'fadeOutSeconds'> => ({
  ...(fadeIn > 0 ? { fadeInSeconds: fadeIn } : {}),
  ...(fadeOut > 0 ? { fadeOutSeconds: fadeOut } : {}),
});
