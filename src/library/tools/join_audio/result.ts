import type { MovedEdge } from '../declare/moved-edge.ts';

/** The result of join_audio. */
export interface JoinAudioResult {
  readonly durationSeconds: number;
  /** Of the output, Hz. */
  readonly sampleRate: number;
  readonly channels: number;
  /** The common loudness of all files, LUFS; null without match_loudness, and where all are silent. */
  readonly targetLufs: number | null;
  /** Did the limiter act? */
  readonly limited: boolean;
  /** In the order of the inputs. */
  readonly files: readonly {
    /** Its start in the output. */
    readonly startSeconds: number;
    readonly durationSeconds: number;
    /** Of the input; null: silent, or not measured (keep_encoding). */
    readonly integratedLufs: number | null;
    /** The gain to the common loudness; null: not finite. */
    readonly gainDb: number | null;
  }[];
  /** Begin and end of each file in turn; only with keep_encoding. */
  readonly edges?: readonly MovedEdge[];
}
