/** The result of convert_audio. */
export interface ConvertAudioResult {
  /** Container of the output: mp3, wav, m4a, flac, ogg, opus. */
  readonly format: string;
  /** Of the output, Hz. */
  readonly sampleRate: number;
  readonly channels: number;
  /** kbit/s; null for formats without a bit rate option. */
  readonly bitrateKbps: number | null;
  readonly durationSeconds: number;
}
