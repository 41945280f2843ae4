/** The format of a stretch of PCM. */
export interface AudioFormat {
  /** Frames per second, 1 to 768000. */
  readonly sampleRate: number;
  /** Channels per frame, 1 to 64. */
  readonly channels: number;
  /**
   * FFmpeg's name of the channel layout ("mono", "stereo", "5.1(side)"), which decides loudness weights and down-mix.
   */
  readonly layout: string;
}

/**
 * Planar float32 PCM, full scale 1.0. Every plane has exactly `frames` elements. A block is valid until its receiver
 * requests the next one; copy what must live longer.
 */
export interface AudioBlock {
  readonly planes: readonly Float32Array[];
  /** Samples per channel. */
  readonly frames: number;
}
