/** The result of replace_audio. */
export interface ReplaceAudioResult {
  readonly pictureSeconds: number;
  /** Length of the new sound in the output. */
  readonly soundSeconds: number;
  readonly silenceBeforeSeconds: number;
  readonly silenceAfterSeconds: number;
  /** Of the output, Hz. */
  readonly sampleRate: number;
  readonly channels: number;
}
