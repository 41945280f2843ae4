import type { LoudnessFacts, VolumeFacts } from '../../contract/tool-results.ts';

/** What was found in the recording (of several voices: the first) and done about it. */
export interface FoundVoice {
  /** false: the sound was left as it was. */
  readonly voice: boolean;
  /** null: there is no noise. */
  readonly signalToNoiseDb: number | null;
  /** 0 to 1: how much of the noise suppression was used. */
  readonly noiseSuppression: number;
  /** Where the recording's highs end, Hz; null where they are all there. */
  readonly bandwidthHz: number | null;
  /** Were missing highs made anew? */
  readonly bandwidthRestored: boolean;
  /** By which model, or "built-in"; null where none were made. */
  readonly bandwidthRestorer: string | null;
  /** Reverberation time (T60), seconds; null where there is none to take away. */
  readonly reverberationSeconds: number | null;
  /** Largest change of the tone, dB. */
  readonly balanceDb: number;
}

/** What enhance_voice answers. The volume's side is there with auto_volume, unless the recording is silent. */
export interface EnhanceVoiceResult extends Partial<VolumeFacts> {
  /** The noise suppressor that worked: "deepfilternet3" or "rnnoise". */
  readonly engine: string;
  /** Percent of the regenerated voice in the output. */
  readonly noiseReduction: number;
  /** Of the output, Hz. */
  readonly sampleRate: number;
  readonly found: FoundVoice;
  readonly input: Pick<LoudnessFacts, 'integratedLufs'>;
}
