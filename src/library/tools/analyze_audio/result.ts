import type { LoudnessFacts } from '../../contract/tool-results.ts';
import type { AcxVerdict } from '../../dsp/loudness/acx.ts';
import type { Suggestion } from './suggest.ts';
import type { AudioStreamFacts, Chapter, CoverFacts, StreamFacts, VideoStreamFacts } from '../../media/facts.ts';

/** The container's part of the report: the result of `probe`, without the path. */
export interface MediaReport {
  /** Container by its usual extension: wav, mp3, m4a, mp4, ... */
  readonly format: string;
  readonly sizeBytes: number;
  /** Length of the decoded audio, seconds. */
  readonly durationSeconds: number;
  /** All streams together, bits per second; null when the file does not state it. */
  readonly bitRateBps: number | null;
  /** The measured stream; null without audio. */
  readonly audio: Pick<
    AudioStreamFacts,
    'codec' | 'sampleRate' | 'channels' | 'layout' | 'bitRateBps' | 'bitsPerSample' | 'language'
  > | null;
  /** null without moving pictures. */
  readonly video: Pick<
    VideoStreamFacts,
    'codec' | 'width' | 'height' | 'frameRate' | 'rotationDegrees' | 'pixelFormat'
  > | null;
  /** Cover art; null without. */
  readonly cover: CoverFacts | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly chapters: readonly Chapter[];
  readonly streams: readonly Pick<StreamFacts, 'index' | 'type' | 'codec' | 'language' | 'decodable' | 'track'>[];
}

export type { AcxVerdict, Suggestion };

/** The result of analyze_audio. Levels of null are digital silence, or too short to measure. */
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
    /** Number of clipped samples in all channels. */
    readonly clippedSamples: number;
    /** By channel; full scale is 1. */
    readonly dcOffset: readonly number[];
    /** Upper end of the spectrum, Hz. */
    readonly bandwidthHz: number | null;
    /** -1 to 1; null unless there are two channels. */
    readonly stereoCorrelation: number | null;
    readonly channels: readonly { readonly rmsDbfs: number | null; readonly samplePeakDbfs: number | null }[];
  };
  readonly silences: {
    readonly count: number;
    readonly totalSeconds: number;
    /** Anything quieter is silence, dBFS. */
    readonly thresholdDbfs: number | null;
    /** Shorter silent stretches are not counted, seconds. */
    readonly minSeconds: number;
    /** Number of entries in `stretches`: all with detail full, else up to 50. */
    readonly listed: number;
    readonly stretches: readonly { readonly startSeconds: number; readonly endSeconds: number }[];
  };
  readonly acx: AcxVerdict;
  /** Tools that it needs, in the order in which they are best used. */
  readonly suggestions: readonly Suggestion[];
}
