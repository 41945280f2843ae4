import type { LoudnessFacts, VolumeFacts } from '../../contract/tool-results.ts';

/** The result of remove_noise. The volume's part is present with auto_volume. */
export interface RemoveNoiseResult extends Partial<VolumeFacts> {
  /** The noise suppressor: "deepfilternet3" or "rnnoise". */
  readonly engine: string;
  /** Percent, as requested. */
  readonly noiseReduction: number;
  /** Did related channels share one gain? */
  readonly linkedChannels: boolean;
  readonly input: Pick<LoudnessFacts, 'integratedLufs'>;
}
