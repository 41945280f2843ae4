import type { LoudnessFacts, VolumeFacts } from '../../contract/tool-results.ts';

/** What remove_noise answers. The volume's side is there with auto_volume. */
export interface RemoveNoiseResult extends Partial<VolumeFacts> {
  /** The noise suppressor that worked: "deepfilternet3" or "rnnoise". */
  readonly engine: string;
  /** Percent, as it was asked for. */
  readonly noiseReduction: number;
  /** Did channels that belong together get one gain? */
  readonly linkedChannels: boolean;
  readonly input: Pick<LoudnessFacts, 'integratedLufs'>;
}
