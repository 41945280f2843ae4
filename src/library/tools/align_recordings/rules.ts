// What the tool says without doing its work.
import { withUnit } from '../../core/readable.ts';
import type { PlacedInput } from '../declare/facts.ts';
import type { AlignRecordingsResult } from './result.ts';

/** Do any two of the recordings? */
export const belongTogether = ({ recordings }: AlignRecordingsResult): boolean =>
  recordings.filter(({ pieces }) => pieces.length > 0).length > 1;

type Described = AlignRecordingsResult['recordings'][number];

function placeOf({ pieces, polarity, confidence }: Described): string {
  const [first, ...others] = pieces;
  if (first === undefined) return 'nothing in common found';
  const at = first.startSeconds + first.offsetSeconds;
  return [
    at < 0 ? `${(-at).toFixed(4)} s before` : `${at.toFixed(4)} s after`,
    `clock ${first.driftPpm >= 0 ? '+' : ''}${withUnit(first.driftPpm, 'ppm', 2)}`,
    ...(others.length === 0 ? [] : [`in ${others.length + 1} pieces`]),
    ...(polarity === 'inverted' ? ['upside down'] : []),
    `sure to ${Math.round(100 * confidence)} %`,
  ].join(', ');
}

/** A line for each recording. */
export function describePlacement({ reference, recordings }: AlignRecordingsResult): string {
  const width = Math.max(...recordings.map(({ name }) => name.length));
  return recordings
    .map((recording, index) => {
      const place = index + 1 === reference ? 'the reference' : placeOf(recording);
      return `  ${recording.name.padEnd(width)}  ${place}`;
    })
    .join('\n');
}

/**
 * The recordings beside each other, for timelines. A clip plays at its own clock's speed, so it is right in its middle,
 * and its ends are off by half of what the clock gains.
 */
export const placedRecordings = ({ recordings }: AlignRecordingsResult): PlacedInput[] =>
  recordings.map(({ pieces }) => ({
    startSeconds: 0,
    gainDb: 0,
    pieces: pieces.map(({ startSeconds, endSeconds, offsetSeconds, driftPpm }) => {
      const gained = (endSeconds - startSeconds) * driftPpm * 1e-6;
      const atSeconds = startSeconds + offsetSeconds + gained / 2;
      return { startSeconds, endSeconds, atSeconds, offSeconds: Math.abs(gained) / 2 };
    }),
  }));
