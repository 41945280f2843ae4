// The frames that ranges of seconds mean.
import { EarshotError } from '../../core/errors/errors.ts';
import { complementRanges, type KeepRange, mergeRanges } from '../../edit/edit-list.ts';
import { requireNotManyTimes } from '../../edit/many-times.ts';
import type { MediaFacts } from '../../media/facts.ts';
import type { Length } from '../../media/read/length.ts';
import type { CutAudioContext } from './options.ts';

/** Typed and rounded times: an end this little past the recording's end means its end. */
const endToleranceSeconds = 0.05;
/** Headers count padding and round: a header's length is valid if the packets agree with it this closely. */
const headerToleranceSeconds = 0.3;

/** The file's length as players show it: the header's, unless it is further off. */
function shownLength(length: number, { durationSeconds }: MediaFacts): number {
  const declared = durationSeconds ?? 0;
  return declared > length && declared < length + headerToleranceSeconds ? declared : length;
}

/** The ranges as frames. @throws EarshotError ranges_outside for the first that is not inside the recording */
function rangesInFrames(
  { ranges = [], mode }: CutAudioContext['options'],
  sampleRate: number,
  { frames, facts }: Length,
): KeepRange[] {
  const length = frames / sampleRate;
  const longest = shownLength(length, facts) + endToleranceSeconds;
  return ranges.map(([startSeconds, endSeconds]) => {
    if (startSeconds >= length || endSeconds > longest) {
      throw new EarshotError(
        'ranges_outside',
        `Expected ranges within the recording's ${length.toFixed(3)} s but received [${startSeconds}, ${endSeconds}]`,
        {
          details: { range: [startSeconds, endSeconds], durationSeconds: length },
        },
      );
    }
    const start = Math.round(startSeconds * sampleRate);
    const end = Math.min(frames, Math.round(endSeconds * sampleRate));
    if (end > start) return { start, end };
    // Shorter than a frame: that frame stays, for both modes.
    const kept = Math.min(start, frames - 1);
    return { start: kept, end: mode === 'keep' ? kept + 1 : kept };
  });
}

/** What is done to a recording, in frames. */
export interface Edit {
  readonly keeps: readonly KeepRange[];
  readonly muted: readonly KeepRange[];
}

/**
 * What is kept of a recording of this length, and what of it is silent.
 * @throws EarshotError ranges_outside; bad_request when nothing is kept; limit_exceeded for passages listed many times
 */
export function editOf(options: CutAudioContext['options'], length: Length): Edit {
  const { ranges, mode, output, order } = options;
  const { frames, facts } = length;
  const wanted = rangesInFrames(options, facts.audio?.sampleRate ?? 0, length);
  if (mode === 'mute') return { keeps: [{ start: 0, end: frames }], muted: mergeRanges(wanted, frames) };
  if (order === 'given') {
    requireNotManyTimes({ keeps: wanted, sampleRate: facts.audio?.sampleRate ?? 0, sourceFrames: frames });
    return { keeps: wanted, muted: [] };
  }
  // Files of their own: a recording split at 5 s is two, though they touch.
  const keeps = mode === 'keep' ? mergeRanges(wanted, frames, output === 'separate') : complementRanges(wanted, frames);
  if (keeps.length === 0)
    throw new EarshotError('bad_request', 'The ranges remove the whole recording', {
      details: { field: 'ranges', expected: 'something to keep', received: ranges },
    });
  return { keeps, muted: [] };
}
