// A timeline as editing programs know it: which part of which recording lies where. One neutral form, a writer a
// format.
import type { FrameRate } from '../../core/timecode.ts';

export const timelineFormatNames = ['otio', 'fcpxml', 'xmeml', 'edl', 'reaper', 'audacity', 'csv'] as const;

/**
 * otio: OpenTimelineIO (Resolve, Premiere, Avid); fcpxml: Final Cut Pro, Resolve; xmeml: Premiere, Resolve; edl:
 * CMX3600; reaper: a project; audacity: labels; csv: a table.
 */
export type TimelineFormat = (typeof timelineFormatNames)[number];

/** A recording that clips are taken from. */
export interface TimelineSource {
  /** Where the editing program finds it: an absolute path. */
  readonly path: string;
  readonly name: string;
  readonly durationSeconds: number;
  /** null: no sound. */
  readonly sound: { readonly sampleRate: number; readonly channels: number } | null;
  /** null: no pictures. */
  readonly picture: { readonly width: number; readonly height: number; readonly rate: FrameRate } | null;
  /** Timecode of its first picture as a number of frames; null: it begins at zero. */
  readonly startFrames: number | null;
}

/** A part of a source in its place. Seconds; in every format they are rounded to what it can hold. */
export interface TimelineClip {
  /** Index of the source. */
  readonly source: number;
  /** In the source. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Where it begins in the timeline. */
  readonly atSeconds: number;
  /** Gain, dB. Default 0. */
  readonly gainDb?: number;
  /** Fades at its ends, seconds. Default 0. */
  readonly fadeInSeconds?: number;
  readonly fadeOutSeconds?: number;
}

/** Clips in order, none over another. */
export interface TimelineTrack {
  readonly name: string;
  readonly clips: readonly TimelineClip[];
}

/** A named place. */
export interface TimelineMarker {
  readonly atSeconds: number;
  /** 0: a place without a length. */
  readonly durationSeconds: number;
  readonly text: string;
}

export interface Timeline {
  readonly name: string;
  readonly sources: readonly TimelineSource[];
  readonly tracks: readonly TimelineTrack[];
  /** In order. */
  readonly markers: readonly TimelineMarker[];
  /** The grid of formats that count pictures. Default: the first picture's; without one see `gridOf`. */
  readonly rate?: FrameRate;
}

/** A timeline in a format. */
export interface WrittenTimeline {
  readonly text: string;
  /** What of the timeline the format cannot hold, in words. */
  readonly leftOut: readonly string[];
}

/** Where the last clip ends, seconds. */
export const lengthOf = ({ tracks }: Timeline): number =>
  Math.max(
    0,
    ...tracks.flatMap(({ clips }) =>
      clips.slice(-1).map((clip) => clip.atSeconds + clip.endSeconds - clip.startSeconds),
    ),
  );

/** The first source that has pictures; undefined: there is sound alone. */
export const pictured = ({ sources }: Timeline): TimelineSource | undefined =>
  sources.find(({ picture }) => picture !== null);

/** The highest sample rate of the sources, Hz; 48000 where none has sound. */
export const sampleRateOf = ({ sources }: Timeline): number =>
  Math.max(0, ...sources.map(({ sound }) => sound?.sampleRate ?? 0)) || 48_000;
