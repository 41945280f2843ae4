import type { LoudnessFacts, VolumeFacts } from '../../contract/tool-results.ts';

/** The result of remove_noise. The volume's part is present with auto_volume. */
export interface RemoveNoiseResult extends Partial<VolumeFacts> {
  /** The noise suppressor: "deepfilternet3" or "rnnoise"; "steady-noise" with method steady. */
  readonly engine: string;
  /** Percent, as requested. */
  readonly noiseReduction: number;
  /** With method steady: level of the steady noise before, of the loudest channel, dBFS RMS; null: there is none. */
  readonly steadyNoiseDbfs?: number | null;
  /** Did related channels share one gain? */
  readonly linkedChannels: boolean;
  readonly input: Pick<LoudnessFacts, 'integratedLufs'>;
}
