import { acxLimits } from '../../dsp/loudness/acx.ts';
import { targetCeilingDbtp, targetLufsOf } from '../../contract/loudness-target.ts';
import type { AdjustLoudnessContext } from './options.ts';

/** The target of a run. */
export interface LoudnessTarget {
  /** Integrated loudness (BS.1770-5) or, for audiobooks, RMS over the whole file. */
  readonly measure: 'lufs' | 'rms';
  readonly level: number;
  readonly ceilingDbtp: number;
}

/** Centre of the ACX window, with margin on both sides for the encoder. */
const audiobookRmsDbfs = (acxLimits.minRmsDbfs + acxLimits.maxRmsDbfs) / 2;

export function targetOf(options: AdjustLoudnessContext['options']): LoudnessTarget {
  const { target } = options;
  if (target === 'audiobook') return { measure: 'rms', level: audiobookRmsDbfs, ceilingDbtp: acxLimits.maxPeakDbfs };
  return { measure: 'lufs', level: targetLufsOf({ ...options, target }), ceilingDbtp: targetCeilingDbtp };
}
