/** Probability of speech, 0 to 1, every `secondsPerStep` of the recording. */
export interface VoiceActivity {
  readonly secondsPerStep: number;
  readonly probabilities: Float32Array;
}
