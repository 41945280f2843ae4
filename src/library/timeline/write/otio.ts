// OpenTimelineIO (Academy Software Foundation), as JSON: Timeline.1 with a track of pictures and tracks of sound. Read
// by DaVinci Resolve from 18.5, Premiere Pro, Avid and Kdenlive.
import type { FrameRate } from '../../core/timecode.ts';
import { clockStart, frameRateOf, framesAt, onGrid } from '../form/frames.ts';
import { mediaUrl } from '../form/media-url.ts';
import {
  pictured,
  sampleRateOf,
  type Timeline,
  type TimelineClip,
  type TimelineSource,
  type TimelineTrack,
  type WrittenTimeline,
} from '../form/timeline.ts';

type Kind = 'Video' | 'Audio';
type Item = Readonly<Record<string, unknown>>;

const time = (value: number, { num, den }: FrameRate): Item => ({
  OTIO_SCHEMA: 'RationalTime.1',
  value,
  rate: num / den,
});

const range = (start: number, length: number, rate: FrameRate): Item => ({
  OTIO_SCHEMA: 'TimeRange.1',
  start_time: time(start, rate),
  duration: time(length, rate),
});

const usual = { effects: [], markers: [], enabled: true } as const;

function clipItem(
  clip: TimelineClip,
  source: TimelineSource,
  rate: FrameRate,
): { item: Item; at: number; end: number } | null {
  const placed = onGrid(clip, rate);
  if (placed === null) return null;
  const first = clockStart(source, rate);
  const all = Math.max(framesAt(source.durationSeconds, rate), placed.start + placed.length);
  return {
    at: placed.at,
    end: placed.at + placed.length,
    item: {
      OTIO_SCHEMA: 'Clip.2',
      name: source.name,
      source_range: range(first + placed.start, placed.length, rate),
      ...usual,
      metadata: clip.gainDb === undefined ? {} : { earshot: { gain_db: clip.gainDb } },
      media_references: {
        DEFAULT_MEDIA: {
          OTIO_SCHEMA: 'ExternalReference.1',
          name: source.name,
          target_url: mediaUrl(source.path),
          available_range: range(first, all, rate),
          metadata: {},
        },
      },
      active_media_reference_key: 'DEFAULT_MEDIA',
    },
  };
}

function trackItem(timeline: Timeline, track: TimelineTrack, kind: Kind, rate: FrameRate): Item {
  const children: Item[] = [];
  let at = 0;
  for (const clip of track.clips) {
    const source = timeline.sources[clip.source];
    if (source === undefined || (kind === 'Video' ? source.picture : source.sound) === null) continue;
    const placed = clipItem(clip, source, rate);
    if (placed === null) continue;
    if (placed.at > at)
      children.push({
        OTIO_SCHEMA: 'Gap.1',
        name: '',
        source_range: range(0, placed.at - at, rate),
        ...usual,
        metadata: {},
      });
    children.push(placed.item);
    at = placed.end;
  }
  return {
    OTIO_SCHEMA: 'Track.1',
    name: track.name,
    kind,
    source_range: null,
    ...usual,
    metadata: {},
    children,
  };
}

/** Sound is exact to the sample, pictures to the frame. */
export function writeOtio(timeline: Timeline): WrittenTimeline {
  const { tracks, markers } = timeline;
  const sound = frameRateOf(sampleRateOf(timeline));
  const picture = pictured(timeline)?.picture;
  const grid = timeline.rate ?? picture?.rate;
  const withPicture = tracks.filter(({ clips }) =>
    clips.some(({ source }) => timeline.sources[source]?.picture !== null),
  );
  const children = [
    ...(grid === undefined ? [] : withPicture.map((track) => trackItem(timeline, track, 'Video', grid))),
    ...tracks.map((track) => trackItem(timeline, track, 'Audio', sound)),
  ].filter((track) => (track['children'] as unknown[]).length > 0);
  const hasFades = tracks.some(({ clips }) => clips.some((clip) => clip.fadeInSeconds || clip.fadeOutSeconds));
  const hasGains = tracks.some(({ clips }) => clips.some(({ gainDb }) => gainDb !== undefined && gainDb !== 0));
  const text = JSON.stringify(
    {
      OTIO_SCHEMA: 'Timeline.1',
      name: timeline.name,
      global_start_time: null,
      metadata: {},
      tracks: {
        OTIO_SCHEMA: 'Stack.1',
        name: 'tracks',
        source_range: null,
        effects: [],
        enabled: true,
        metadata: {},
        markers: markers.map((marker) => ({
          OTIO_SCHEMA: 'Marker.2',
          name: marker.text,
          color: 'GREEN',
          comment: '',
          marked_range: range(framesAt(marker.atSeconds, sound), framesAt(marker.durationSeconds, sound), sound),
          metadata: {},
        })),
        children,
      },
    },
    null,
    1,
  );
  return {
    text: `${text}\n`,
    leftOut: [...(hasFades ? ['fades'] : []), ...(hasGains ? ['gains (metadata only)'] : [])],
  };
}
