/** So many people are told apart at most. */
export const mostSpeakers = 8;

/** How many people speak: both the same where that is known. 1 to 8. */
export interface SpeakerBounds {
  readonly least: number;
  readonly most: number;
}
