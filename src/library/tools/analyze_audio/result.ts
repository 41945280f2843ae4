import type { LoudnessFacts } from '../../contract/tool-results.ts';
import type { AcxVerdict } from '../../dsp/loudness/acx.ts';
import type { AudioStreamFacts, Chapter, CoverFacts, StreamFacts, VideoStreamFacts } from '../../media/facts.ts';

/** The container's side of the report: what `probe` knows, without the path. */
export interface MediaReport {
  /** Container by its usual extension: wav, mp3, m4a, mp4, ... */
  readonly format: string;
  readonly sizeBytes: number;
  /** Length of the decoded sound, seconds. */
  readonly durationSeconds: number;
  /** All streams together, bits per second; null when the file does not say. */
  readonly bitRateBps: number | null;
  /** The stream that was measured; null without sound. */
  readonly audio: Pick<
    AudioStreamFacts,
    'codec' | 'sampleRate' | 'channels' | 'layout' | 'bitRateBps' | 'bitsPerSample' | 'language'
  > | null;
  /** Moving pictures; null without. */
  readonly video: Pick<
    VideoStreamFacts,
    'codec' | 'width' | 'height' | 'frameRate' | 'rotationDegrees' | 'pixelFormat'
  > | null;
  /** The picture that comes with the sound; null without. */
  readonly cover: CoverFacts | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly chapters: readonly Chapter[];
  readonly streams: readonly Pick<StreamFacts, 'index' | 'type' | 'codec' | 'language'>[];
}

export type { AcxVerdict };

/** What analyze_audio answers. Levels of null are digital silence, or too short to tell. */
export interface AnalyzeAudioResult extends MediaReport {
  readonly loudness: LoudnessFacts & {
    /** Loudest 0.4 s, LUFS. */
    readonly maxMomentaryLufs: number | null;
    /** Loudest 3 s, LUFS. */
    readonly maxShortTermLufs: number | null;
  };
  readonly levels: {
    readonly samplePeakDbfs: number | null;
    readonly rmsDbfs: number | null;
    /** Sample peak over RMS, dB. */
    readonly crestFactorDb: number | null;
    readonly noiseFloorDbfs: number | null;
    /** How many there are over all channels. */
    readonly clippedSamples: number;
    /** By channel; full scale is 1. */
    readonly dcOffset: readonly number[];
    /** Where the highs end, Hz. */
    readonly bandwidthHz: number | null;
    /** -1 to 1; null unless there are two channels. */
    readonly stereoCorrelation: number | null;
    readonly channels: readonly { readonly rmsDbfs: number | null; readonly samplePeakDbfs: number | null }[];
  };
  readonly silences: {
    readonly count: number;
    readonly totalSeconds: number;
    /** What is quieter is silence, dBFS. */
    readonly thresholdDbfs: number | null;
    /** Shorter stretches are not counted, seconds. */
    readonly minSeconds: number;
    /** How many stand in `stretches`: all with detail full, else up to 50. */
    readonly listed: number;
    readonly stretches: readonly { readonly startSeconds: number; readonly endSeconds: number }[];
  };
  readonly acx: AcxVerdict;
}
