// Lists that people and other programs read: labels of Audacity, and a table (RFC 4180).
import { lengthOf, type Timeline, type TimelineClip, type WrittenTimeline } from '../form/timeline.ts';

const oneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ');

/**
 * Labels for the recording itself, where there is one: each kept part, at its place in the recording. For several, each
 * clip at its place in the timeline. Markers are labels too.
 */
export function writeAudacity(timeline: Timeline): WrittenTimeline {
  const { sources, tracks, markers } = timeline;
  const isOne = sources.length === 1;
  const labels = tracks.flatMap(({ clips }) =>
    clips.map(({ startSeconds, endSeconds, atSeconds, source }, index) => {
      const start = isOne ? startSeconds : atSeconds;
      const text = isOne ? `kept ${index + 1}` : (sources[source]?.name ?? '');
      return { start, end: start + endSeconds - startSeconds, text };
    }),
  );
  // A label that spans the whole says nothing.
  const whole = labels.length === 1 && labels[0]?.start === 0 && labels[0].end >= lengthOf(timeline);
  const all = [
    ...(whole && markers.length > 0 ? [] : labels),
    ...markers.map(({ atSeconds, durationSeconds, text }) => ({
      start: isOne ? inSource(timeline, atSeconds) : atSeconds,
      end: isOne ? inSource(timeline, atSeconds) + durationSeconds : atSeconds + durationSeconds,
      text,
    })),
  ].toSorted((a, b) => a.start - b.start);
  const text = all.map((label) => `${label.start.toFixed(6)}\t${label.end.toFixed(6)}\t${oneLine(label.text)}\n`);
  const has = (what: (clip: TimelineClip) => boolean): boolean => tracks.some(({ clips }) => clips.some(what));
  return { text: text.join(''), leftOut: has(({ gainDb = 0 }) => gainDb !== 0) ? ['gains'] : [] };
}

/** A place of the timeline in the only recording. */
function inSource({ tracks }: Timeline, atSeconds: number): number {
  const clip = tracks[0]?.clips.findLast((each) => each.atSeconds <= atSeconds);
  return clip === undefined ? atSeconds : clip.startSeconds + atSeconds - clip.atSeconds;
}

/** In quotes where it needs them; a text that a spreadsheet would calculate begins with an apostrophe. */
function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const columns = [
  'track',
  'source',
  'path',
  'source_start_seconds',
  'source_end_seconds',
  'timeline_start_seconds',
  'timeline_end_seconds',
  'source_start_sample',
  'source_end_sample',
  'gain_db',
];

export function writeCsv({ sources, tracks, markers }: Timeline): WrittenTimeline {
  const rows = tracks.flatMap(({ name, clips }) =>
    clips.map(({ source, startSeconds, endSeconds, atSeconds, gainDb = 0 }) => {
      const file = sources[source];
      const rate = file?.sound?.sampleRate;
      const sample = (at: number): number | string => (rate === undefined ? '' : Math.round(at * rate));
      const exact = (at: number): number => Number(at.toFixed(6));
      return [
        name,
        file?.name ?? '',
        file?.path ?? '',
        exact(startSeconds),
        exact(endSeconds),
        exact(atSeconds),
        exact(atSeconds + endSeconds - startSeconds),
        sample(startSeconds),
        sample(endSeconds),
        gainDb,
      ];
    }),
  );
  const text = [columns, ...rows].map((row) => row.map(cell).join(',')).join('\r\n');
  return { text: `${text}\r\n`, leftOut: markers.length > 0 ? ['markers'] : [] };
}
