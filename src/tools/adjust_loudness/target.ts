import { acxLimits } from '../../core/acx.ts';
import type { AdjustLoudnessOptions } from './tool.ts';

/** What a run aims at. */
export interface LoudnessTarget {
  /** Integrated loudness (BS.1770-5) or, for audiobooks, RMS over the whole file. */
  readonly measure: 'lufs' | 'rms';
  readonly level: number;
  readonly ceilingDbtp: number;
}

const lufsOf = { podcast: -16, streaming: -14, broadcast: -23 } as const;

/** Centre of the ACX window, with room on both sides for the encoder. */
const audiobookRmsDbfs = (acxLimits.minRmsDbfs + acxLimits.maxRmsDbfs) / 2;

export function targetOf(options: AdjustLoudnessOptions): LoudnessTarget {
  if (options.target === 'audiobook') return { measure: 'rms', level: audiobookRmsDbfs, ceilingDbtp: acxLimits.maxPeakDbfs };
  const level = options.target === 'custom' ? (options.custom_lufs ?? -16) : lufsOf[options.target];
  return { measure: 'lufs', level, ceilingDbtp: -1 };
}
