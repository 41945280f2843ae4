// Parts that the results of several tools have. Results are plain JSON: they cross process borders and HTTP unchanged.

/** Loudness and peaks of a whole file, EBU R 128. null: digital silence, or too short to tell. */
export interface LoudnessFacts {
  /** Integrated loudness, LUFS (BS.1770-5). */
  readonly integratedLufs: number | null;
  /** Loudness range, LU (EBU Tech 3342). */
  readonly loudnessRangeLu: number | null;
  /** True peak, dBTP. */
  readonly truePeakDbtp: number | null;
}

/** What a file was given at its end, where a tool sets its volume, too (`auto_volume`). */
export interface VolumeFacts {
  /** The loudness that was aimed at, LUFS. */
  readonly targetLufs: number;
  /** The one gain of the whole file, dB; null: no finite one. */
  readonly gainDb: number | null;
  /** Did the limiter have to hold peaks? */
  readonly limited: boolean;
  /** Measured on the file that was written. */
  readonly output: Pick<LoudnessFacts, 'integratedLufs' | 'truePeakDbtp'>;
}

/** The speech recogniser that listened. */
export interface RecogniserFacts {
  /** As `earshot models` lists it: "whisper-base". */
  readonly id: string;
  /** Its name for people: "Whisper base". */
  readonly title: string;
}
