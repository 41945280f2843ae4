// Types that the results of several tools share. Results are plain JSON: they cross process borders and HTTP unchanged.

/** Loudness and peaks of a whole file, EBU R 128. null: digital silence, or too short to measure. */
export interface LoudnessFacts {
  /** Integrated loudness, LUFS (BS.1770-5). */
  readonly integratedLufs: number | null;
  /** Loudness range, LU (EBU Tech 3342). */
  readonly loudnessRangeLu: number | null;
  /** True peak, dBTP. */
  readonly truePeakDbtp: number | null;
}

/** The final volume change of a file, where a tool sets its volume, too (`auto_volume`). */
export interface VolumeFacts {
  /** The target loudness, LUFS. */
  readonly targetLufs: number;
  /** The single gain of the whole file, dB; null: not finite. */
  readonly gainDb: number | null;
  /** Did the limiter act? */
  readonly limited: boolean;
  /** Measured on the written file. */
  readonly output: Pick<LoudnessFacts, 'integratedLufs' | 'truePeakDbtp'>;
}

/** The speech recogniser that was used. */
export interface RecogniserFacts {
  /** As `earshot models` lists it: "whisper-base". */
  readonly id: string;
  /** Its display name: "Whisper base". */
  readonly title: string;
}

/** A passage of a script that was not searched for. */
export interface LeftOutScript {
  /** Number of its words. */
  readonly words: number;
  /** Its first words, as in the script. */
  readonly begins: string;
  /** Its last words. */
  readonly ends: string;
  /** Its position in the script as a time of the recording, seconds. */
  readonly atSeconds: number;
}
