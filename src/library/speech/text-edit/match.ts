/** A stretch of edited words and the stretch of original words that is its sound. */
export interface Match {
  readonly editedFrom: number;
  readonly editedTo: number;
  readonly originalFrom: number;
  readonly originalTo: number;
  /** `same`: word for word, both as long as each other. `changed`: written differently, the sound is the original's. */
  readonly kind: 'same' | 'changed';
}
