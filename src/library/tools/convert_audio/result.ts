/** What convert_audio answers. */
export interface ConvertAudioResult {
  /** Container of the output: mp3, wav, m4a, flac, ogg, opus. */
  readonly format: string;
  /** Of the output, in Hz. */
  readonly sampleRate: number;
  readonly channels: number;
  /** kbit/s; null for formats without a choice. */
  readonly bitrateKbps: number | null;
  readonly durationSeconds: number;
}
