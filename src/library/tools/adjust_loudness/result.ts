import type { LoudnessFacts } from '../../contract/tool-results.ts';
import type { AcxVerdict } from '../../dsp/loudness/acx.ts';

/** Loudness of the input or the output; with target audiobook also what ACX checks. */
export interface AdjustedLoudness extends LoudnessFacts {
  /** RMS of the whole file, dBFS, null: silence; only with target audiobook. */
  readonly rmsDbfs?: number | null;
  /** Level of the quietest passages, dBFS, null: silence; only with target audiobook. */
  readonly noiseFloorDbfs?: number | null;
}

/** The result of adjust_loudness. */
export interface AdjustLoudnessResult {
  readonly target: 'podcast' | 'streaming' | 'broadcast' | 'audiobook' | 'custom';
  /** null with target audiobook, which has an RMS target, and with `gain_db`. */
  readonly targetLufs: number | null;
  /** null except with target audiobook. */
  readonly targetRmsDbfs: number | null;
  /** The single gain of the whole file, dB; null: not finite. */
  readonly gainDb: number | null;
  /** Seconds from silence to full level at the beginning; only where one was asked for. */
  readonly fadeInSeconds?: number;
  /** Seconds from full level to silence at the end; only where one was asked for. */
  readonly fadeOutSeconds?: number;
  /** Did the limiter act? */
  readonly limited: boolean;
  readonly input: AdjustedLoudness;
  /** Measured on the written file. */
  readonly output: AdjustedLoudness;
  /** Only with target audiobook. */
  readonly acx?: AcxVerdict;
}
