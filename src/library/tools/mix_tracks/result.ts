import type { LoudnessFacts } from '../../contract/tool-results.ts';

/** What mix_tracks answers. */
export interface MixTracksResult {
  readonly target: 'podcast' | 'streaming' | 'broadcast' | 'custom';
  readonly targetLufs: number;
  /** The gain of the sum, dB; null: no finite one. */
  readonly gainDb: number | null;
  /** Did the limiter have to hold peaks? */
  readonly limited: boolean;
  /** The deepest that music fell under a voice, dB; null where nothing was ducked. */
  readonly duckDepthDb: number | null;
  /** The least that music lies under the voices while they speak, LU; null where nothing was ducked. */
  readonly musicUnderVoiceLu: number | null;
  /** Of the output, in Hz. */
  readonly sampleRate: number;
  readonly channels: number;
  /** In the order of the inputs. */
  readonly tracks: readonly {
    readonly role: 'voice' | 'music' | 'effects';
    /** As it was asked for. */
    readonly volumeDb: number;
    /** What brought the voice to the loudness of the others, dB; null for what is no voice. */
    readonly matchDb: number | null;
    /** All gains of the track together, dB, ducking aside; null: no finite one. */
    readonly gainDb: number | null;
    /** Did it fall under voices? */
    readonly ducked: boolean;
    readonly durationSeconds: number;
    readonly input: Pick<LoudnessFacts, 'integratedLufs'>;
  }[];
  /** Measured on the file that was written. */
  readonly output: LoudnessFacts;
}
