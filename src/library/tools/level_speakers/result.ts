import type { LoudnessFacts } from '../../contract/tool-results.ts';

/** What the result was brought to. */
type Target = 'podcast' | 'streaming' | 'broadcast' | 'custom';

/** What level_speakers answers for one recording with everyone. */
export interface LeveledRecording {
  readonly mode: 'recording';
  readonly target: Target;
  readonly targetLufs: number;
  /** The gain that the whole file was given at the end, dB; null: no finite one. */
  readonly gainDb: number | null;
  readonly speechSeconds: number;
  readonly musicSeconds: number;
  /** How many were told apart; null where no network for it is installed: then by level alone. */
  readonly speakers: number | null;
  /** Number of stretches that got a gain of their own. */
  readonly levels: number;
  /** Of all stretches; null without speech. */
  readonly lowestLevelingGainDb: number | null;
  /** Of all stretches; null without speech. */
  readonly highestLevelingGainDb: number | null;
  readonly input: LoudnessFacts;
  /** Measured on the file that was written. */
  readonly output: LoudnessFacts;
}

/** What level_speakers answers for tracks of one speaker each. */
export interface LeveledTracks {
  readonly mode: 'tracks';
  readonly target: Target;
  readonly targetLufs: number;
  /** In the order of the inputs. */
  readonly tracks: readonly {
    /** As the output's: "speaker-1". */
    readonly role: string;
    readonly speechSeconds: number;
    /** The gain of its speech as a whole; null: no finite one. */
    readonly gainDb: number | null;
    readonly input: LoudnessFacts;
    readonly output: LoudnessFacts;
  }[];
  /** All outputs played together, which have the target's loudness. */
  readonly sum: LoudnessFacts;
}

/** What level_speakers answers; `mode` tells which. */
export type LevelSpeakersResult = LeveledRecording | LeveledTracks;
