// What was done to recordings as a timeline of the recordings themselves: cut, joined and mixed again in an editing
// program, each cut to be moved.
import { EarshotError } from '../../core/errors/errors.ts';
import { count } from '../../core/readable.ts';
import type { TimeRange } from '../../core/time-range.ts';
import { frameRateOf, isUsual } from './frames.ts';
import type { Timeline, TimelineClip, TimelineMarker, TimelineSource, TimelineTrack } from './timeline.ts';

/** How a timeline is written. */
export interface TimelineOptions {
  /** Default: the tool and the names of the inputs. */
  readonly name?: string;
  /**
   * Pictures a second of formats that count pictures: 24, 29.97, ... Default: of the first recording that has pictures;
   * for sound alone the finest that the format has.
   */
  readonly frameRate?: number;
}

/** Where a recording lies among several. */
interface Placed {
  readonly startSeconds: number;
  /** Default: all of it. */
  readonly durationSeconds?: number;
  /** null: not finite. */
  readonly gainDb: number | null;
  /** Does its gain also move with the sound? Default: no. */
  readonly rides?: boolean;
  /** Stretches of it, on a track of its own. Default: all of it. */
  readonly pieces?: readonly {
    readonly startSeconds: number;
    readonly endSeconds: number;
    readonly atSeconds: number;
    /** By so much its ends are off. */
    readonly offSeconds: number;
  }[];
}

/** What was done. */
export interface Arrangement {
  /** Of the tool. */
  readonly title: string;
  /** The sources one after the other or beside each other; null: only the first was worked on. */
  readonly placed: readonly Placed[] | null;
  /** Stretches that stay, in order; null: all of it. */
  readonly kept: readonly TimeRange[] | null;
  readonly markers: readonly TimelineMarker[];
}

const wholeClip = (source: number, { durationSeconds }: TimelineSource): TimelineClip => ({
  source,
  startSeconds: 0,
  endSeconds: durationSeconds,
  atSeconds: 0,
});

/** Recordings of one event, each on its track: the timeline begins with the first of them. */
function syncedTracks(sources: readonly TimelineSource[], placed: readonly Placed[]): TimelineTrack[] {
  const first = Math.min(...placed.flatMap(({ pieces = [] }) => pieces.map(({ atSeconds }) => atSeconds)));
  return placed.flatMap(({ pieces = [] }, source) => {
    let end = 0;
    const clips = pieces.map(({ startSeconds, endSeconds, atSeconds }): TimelineClip => {
      const at = Math.max(end, atSeconds - first);
      end = at + endSeconds - startSeconds;
      return { source, startSeconds, endSeconds, atSeconds: at };
    });
    return clips.length === 0 ? [] : [{ name: sources[source]?.name ?? '', clips }];
  });
}

/** What of recordings of one event a timeline cannot hold. */
function notSynced(placed: readonly Placed[]): string[] {
  const off = Math.max(0, ...placed.flatMap(({ pieces = [] }) => pieces.map(({ offSeconds }) => offSeconds)));
  const lost = placed.filter(({ pieces }) => pieces?.length === 0).length;
  return [
    ...(off >= leastOffSeconds ? [`the drift of clocks (ends are off by up to ${Math.round(off * 1000)} ms)`] : []),
    ...(lost > 0 ? [`${count(lost, 'recording')} in which nothing in common was found`] : []),
  ];
}

/** Less is within a frame's rounding, and not heard. */
const leastOffSeconds = 0.001;

/** Recordings one after the other or beside each other: what overlaps lies on tracks of its own and fades. */
function placedTracks(sources: readonly TimelineSource[], placed: readonly Placed[]): TimelineTrack[] {
  if (placed.some(({ pieces }) => pieces !== undefined)) return syncedTracks(sources, placed);
  const clips = placed.map(({ startSeconds, durationSeconds, gainDb }, source): TimelineClip => {
    const endSeconds = durationSeconds ?? sources[source]?.durationSeconds ?? 0;
    return { source, startSeconds: 0, endSeconds, atSeconds: startSeconds, gainDb: gainDb ?? 0 };
  });
  const inTurn = placed.some(({ startSeconds }) => startSeconds > 0);
  if (!inTurn) return clips.map((clip, index) => ({ name: sources[index]?.name ?? '', clips: [clip] }));
  const endOf = ({ atSeconds, startSeconds, endSeconds }: TimelineClip): number =>
    atSeconds + endSeconds - startSeconds;
  const tracks: TimelineClip[][] = [[]];
  for (const [index, clip] of clips.entries()) {
    const [before, after] = [clips[index - 1], clips[index + 1]];
    const fadeInSeconds = before ? Math.max(0, endOf(before) - clip.atSeconds) : 0;
    const fadeOutSeconds = after ? Math.max(0, endOf(clip) - after.atSeconds) : 0;
    let track = tracks.find((each) => each.length === 0 || endOf(each.at(-1) as TimelineClip) <= clip.atSeconds + 1e-9);
    if (track === undefined) tracks.push((track = []));
    track.push({ ...clip, fadeInSeconds, fadeOutSeconds });
  }
  return tracks.map((each, index) => ({ name: `Track ${index + 1}`, clips: each }));
}

/** Stretches of the first source one after the other. */
function keptClips(kept: readonly TimeRange[]): TimelineClip[] {
  let at = 0;
  return kept.map(({ startSeconds, endSeconds }) => {
    const clip = { source: 0, startSeconds, endSeconds, atSeconds: at };
    at += endSeconds - startSeconds;
    return clip;
  });
}

/**
 * @param sources as many as are placed; else the one that was worked on
 * @returns also what of it no timeline can hold, in words
 * @throws EarshotError bad_request where nothing was cut, placed or said
 */
export function arrange(
  sources: readonly TimelineSource[],
  { title, placed, kept, markers }: Arrangement,
  { name, frameRate }: TimelineOptions,
): { timeline: Timeline; leftOut: readonly string[] } {
  const [source] = sources;
  if (source === undefined || (placed === null && kept === null && markers.length === 0))
    throw new EarshotError(
      'bad_request',
      `Expected a run that cuts, joins, mixes or transcribes but received one of ${title}`,
      {
        nextAction:
          'Of a transcript the JSON has to be written, and recordings of one event have to belong together; other tools ' +
          'leave nothing to arrange.',
      },
    );
  const isUneven = sources.some(({ picture }) => picture !== null && !isUsual(picture.rate));
  const leftOut = [
    ...(placed?.some(({ rides }) => rides === true) === true ? ['gains that move with the sound'] : []),
    ...(isUneven ? ['a steady rate of pictures, which the recording has not: places may be off by a few'] : []),
    ...notSynced(placed ?? []),
  ];
  const clips = kept === null ? [wholeClip(0, source)] : keptClips(kept);
  const timeline = {
    name: name ?? `${title}: ${sources.map((each) => each.name).join(', ')}`,
    sources,
    ...(frameRate === undefined ? {} : { rate: frameRateOf(frameRate) }),
    tracks: placed === null ? [{ name: source.name, clips }] : placedTracks(sources, placed),
    markers,
  };
  return { timeline, leftOut };
}
