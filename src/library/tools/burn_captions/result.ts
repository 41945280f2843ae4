/** The result of burn_captions. */
export interface BurnCaptionsResult {
  /** How many captions begin before the end of the video; 0 or more. */
  readonly captions: number;
  /** How many begin after its end, which are not drawn; 0 or more. */
  readonly captionsBehindEnd: number;
  /** Of the video as players show it, pixels. */
  readonly width: number;
  readonly height: number;
}
