import type { LoudnessFacts, VolumeFacts } from '../../contract/tool-results.ts';

/** What was measured and changed in the recording (of several voices: the first). */
export interface FoundVoice {
  /** false: the sound is unchanged. */
  readonly voice: boolean;
  /** null: no noise. */
  readonly signalToNoiseDb: number | null;
  /** 0 to 1: how much noise suppression was applied. */
  readonly noiseSuppression: number;
  /** Upper end of the recording's spectrum, Hz; null where the highs are complete. */
  readonly bandwidthHz: number | null;
  /** Were missing highs restored? */
  readonly bandwidthRestored: boolean;
  /** By which model, or "built-in"; null where none were restored. */
  readonly bandwidthRestorer: string | null;
  /** Reverberation time (T60), seconds; null where there is none to remove. */
  readonly reverberationSeconds: number | null;
  /** Largest change of the tone, dB. */
  readonly balanceDb: number;
}

/** Damage that was repaired before all other processing. */
export interface RepairedDamage {
  /** Share of the samples that were clipped and are restored, 0 to 1; null: none were found. */
  readonly clippedShare: number | null;
  /** Frequency of the mains whose hum was taken out, Hz; null: none was found. */
  readonly humHz: number | null;
  /** Clicks of the mouth that were taken out; of several channels, the one with the most. */
  readonly clicks: number;
  /** Plosives (bursts of breath at the microphone) that were taken out; of several channels, the one with the most. */
  readonly plosives: number;
}

/** The result of enhance_voice. The volume's part is present with auto_volume, unless the recording is silent. */
export interface EnhanceVoiceResult extends Partial<VolumeFacts> {
  /** The noise suppressor: "deepfilternet3" or "rnnoise". */
  readonly engine: string;
  /** Percent of the regenerated voice in the output. */
  readonly noiseReduction: number;
  /** Of the output, Hz. */
  readonly sampleRate: number;
  readonly found: FoundVoice;
  readonly repaired: RepairedDamage;
  readonly input: Pick<LoudnessFacts, 'integratedLufs'>;
}
