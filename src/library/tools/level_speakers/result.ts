import type { LoudnessFacts } from '../../contract/tool-results.ts';

/** The target of the result. */
type Target = 'podcast' | 'streaming' | 'broadcast' | 'custom';

/** The result of level_speakers for one recording with everyone. */
export interface LeveledRecording {
  readonly mode: 'recording';
  readonly target: Target;
  readonly targetLufs: number;
  /** The final gain of the whole file, dB; null: not finite. */
  readonly gainDb: number | null;
  readonly speechSeconds: number;
  readonly musicSeconds: number;
  /** Number of speakers; null where no network for it is installed: leveled by level alone. */
  readonly speakers: number | null;
  /** Number of stretches with a gain of their own. */
  readonly levels: number;
  /** Of all stretches; null without speech. */
  readonly lowestLevelingGainDb: number | null;
  /** Of all stretches; null without speech. */
  readonly highestLevelingGainDb: number | null;
  readonly input: LoudnessFacts;
  /** Measured on the written file. */
  readonly output: LoudnessFacts;
}

/** The result of level_speakers for tracks of one speaker each. */
export interface LeveledTracks {
  readonly mode: 'tracks';
  readonly target: Target;
  readonly targetLufs: number;
  /** In the order of the inputs. */
  readonly tracks: readonly {
    /** As in the output: "speaker-1". */
    readonly role: string;
    readonly speechSeconds: number;
    /** The gain of its speech as a whole; null: not finite. */
    readonly gainDb: number | null;
    readonly input: LoudnessFacts;
    readonly output: LoudnessFacts;
  }[];
  /** All outputs played together, which have the target's loudness. */
  readonly sum: LoudnessFacts;
}

/** The result of level_speakers; `mode` tells which. */
export type LevelSpeakersResult = LeveledRecording | LeveledTracks;
