/** What replace_audio answers. */
export interface ReplaceAudioResult {
  readonly pictureSeconds: number;
  /** How much of the new sound is in the output. */
  readonly soundSeconds: number;
  readonly silenceBeforeSeconds: number;
  readonly silenceAfterSeconds: number;
  /** Of the output, in Hz. */
  readonly sampleRate: number;
  readonly channels: number;
}
