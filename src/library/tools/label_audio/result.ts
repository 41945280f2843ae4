/** The result of label_audio: what the file says of itself now. */
export interface LabelAudioResult {
  /** Tags by name, also those that were there. */
  readonly tags: Readonly<Record<string, string>>;
  /** How many there are, 0 or more. */
  readonly chapterCount: number;
  /** Does the file have a cover? */
  readonly hasCover: boolean;
}
