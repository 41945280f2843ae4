/** What join_audio answers. */
export interface JoinAudioResult {
  readonly durationSeconds: number;
  /** Of the output, in Hz. */
  readonly sampleRate: number;
  readonly channels: number;
  /** The loudness that all files were brought to, LUFS; null without match_loudness, and where all are silent. */
  readonly targetLufs: number | null;
  /** Did the limiter have to hold peaks? */
  readonly limited: boolean;
  /** In the order of the inputs. */
  readonly files: readonly {
    /** Where it begins in the output. */
    readonly startSeconds: number;
    readonly durationSeconds: number;
    /** Of the input; null: silent. */
    readonly integratedLufs: number | null;
    /** What brought it to the common loudness; null: no finite gain. */
    readonly gainDb: number | null;
  }[];
}
