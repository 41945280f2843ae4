import type { LoudnessFacts } from '../../contract/tool-results.ts';
import type { AcxVerdict } from '../../dsp/loudness/acx.ts';

/** Loudness of one side of the run; with target audiobook also what ACX looks at. */
export interface AdjustedLoudness extends LoudnessFacts {
  /** RMS of the whole file, dBFS, null: silence; only with target audiobook. */
  readonly rmsDbfs?: number | null;
  /** Level of the quietest stretches, dBFS, null: silence; only with target audiobook. */
  readonly noiseFloorDbfs?: number | null;
}

/** What adjust_loudness answers. */
export interface AdjustLoudnessResult {
  readonly target: 'podcast' | 'streaming' | 'broadcast' | 'audiobook' | 'custom';
  /** null with target audiobook, which aims at an RMS level. */
  readonly targetLufs: number | null;
  /** null but with target audiobook. */
  readonly targetRmsDbfs: number | null;
  /** The one gain of the whole file, dB; null: no finite one. */
  readonly gainDb: number | null;
  /** Did the limiter have to hold peaks? */
  readonly limited: boolean;
  readonly input: AdjustedLoudness;
  /** Measured on the file that was written. */
  readonly output: AdjustedLoudness;
  /** Only with target audiobook. */
  readonly acx?: AcxVerdict;
}
