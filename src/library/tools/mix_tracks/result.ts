import type { LoudnessFacts } from '../../contract/tool-results.ts';

/** The result of mix_tracks. */
export interface MixTracksResult {
  readonly target: 'podcast' | 'streaming' | 'broadcast' | 'custom';
  readonly targetLufs: number;
  /** The gain of the sum, dB; null: not finite. */
  readonly gainDb: number | null;
  /** Did the limiter act? */
  readonly limited: boolean;
  /** Deepest ducking of music under a voice, dB; null without ducking. */
  readonly duckDepthDb: number | null;
  /** Least distance of music below the voices while they speak, LU; null without ducking. */
  readonly musicUnderVoiceLu: number | null;
  /** Of the output, Hz. */
  readonly sampleRate: number;
  readonly channels: number;
  /** In the order of the inputs. */
  readonly tracks: readonly {
    readonly role: 'voice' | 'music' | 'effects';
    /** The requested volume, dB. */
    readonly volumeDb: number;
    /** The gain to the loudness of the other voices, dB; null for other roles. */
    readonly matchDb: number | null;
    /** All gains of the track together without ducking, dB; null: not finite. */
    readonly gainDb: number | null;
    /** Was it ducked? */
    readonly ducked: boolean;
    readonly durationSeconds: number;
    readonly input: Pick<LoudnessFacts, 'integratedLufs'>;
  }[];
  /** Measured on the written file. */
  readonly output: LoudnessFacts;
}
