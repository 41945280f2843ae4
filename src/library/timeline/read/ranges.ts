// The cuts that an editing program made of a recording, as ranges to keep.
import { shownName } from '../../core/checks/names.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { FrameRate } from '../../core/timecode.ts';
import { frameRateOf } from '../form/frames.ts';
import { lastOf, stemOf } from '../form/media-url.ts';
import { readEdl } from './edl.ts';
import { readFcpxml } from './fcpxml.ts';
import type { FoundClip, FoundTimeline } from './found.ts';
import { readOtio } from './otio.ts';

/** What a timeline keeps of a recording. */
export interface TimelineRanges {
  /** In order, [start, end] in seconds of the recording: `ranges` of cut_audio with mode keep. */
  readonly ranges: readonly (readonly [startSeconds: number, endSeconds: number])[];
  /** What the timeline says besides, which a cut does not do, in words: "transitions". */
  readonly ignored: readonly string[];
}

/** The recording that a timeline was made of. */
export interface TimelineRecording {
  /** Of its file. */
  readonly name: string;
  /** null: not known. */
  readonly durationSeconds: number | null;
  /** Of the pictures that an EDL counts; null: no pictures, or not known. */
  readonly rate: FrameRate | null;
  /** Timecode of its first picture in frames of `rate`. */
  readonly clockFrames: number;
}

/** Of an EDL for a recording without pictures: what ours are written with. */
export const rateWithoutPictures: FrameRate = frameRateOf(30);
/** Ends that were rounded to frames, seconds. */
const roundingSeconds = 0.05;

/** A name out of the file, for a terminal: without characters that would move it. */
const plain = (name: string): string => shownName(name.replaceAll(/\p{Cc}/gu, ''));

/** The clips of a recording, by its name; of a timeline that names one recording alone all of them. */
function ownClips(clips: readonly FoundClip[], name: string): { own: FoundClip[]; ignored: string[] } {
  const stem = (of: string): string => stemOf(of).toLowerCase();
  const named = clips.filter((clip) => clip.name.toLowerCase() === name.toLowerCase());
  const alike = named.length > 0 ? named : clips.filter((clip) => stem(clip.name) === stem(name));
  const own = new Set(alike);
  const others = [...new Set(clips.filter((clip) => !own.has(clip)).map((clip) => clip.name))];
  const shown = others.slice(0, 3).map(plain).join(', ');
  if (alike.length > 0) return { own: alike, ignored: others.length === 0 ? [] : [`clips of ${shown}`] };
  if (others.length === 1) return { own: [...clips], ignored: [`its name for the recording, ${shown}`] };
  throw new EarshotError(
    'bad_request',
    `Expected clips of ${name} in the timeline but it has those of ${shown || 'nothing'}`,
    { nextAction: 'Name the recording that the timeline was made of.' },
  );
}

function readTimeline(text: string, { rate, clockFrames }: TimelineRecording): FoundTimeline {
  const first = text.trimStart()[0];
  if (first === '{') return readOtio(text);
  if (first === '<') return readFcpxml(text);
  return readEdl(text, rate ?? rateWithoutPictures, clockFrames);
}

/**
 * Reads OpenTimelineIO, FCPXML or an EDL.
 * @throws EarshotError file_invalid for what is no timeline; bad_request where it has other recordings or another
 *   order; ranges_outside
 */
export function rangesOfText(text: string, recording: TimelineRecording): TimelineRanges {
  const found = readTimeline(text, recording);
  const { own, ignored } = ownClips(found.clips, lastOf(recording.name));
  const length = recording.durationSeconds ?? Infinity;
  const ranges = own.map(({ startSeconds, endSeconds }): [number, number] => {
    const [start, end] = [Math.max(0, startSeconds), endSeconds > length ? length : endSeconds];
    if (startSeconds < -roundingSeconds || endSeconds > length + roundingSeconds || end <= start)
      throw new EarshotError(
        'ranges_outside',
        `Expected clips within the recording's ${length.toFixed(3)} s but the timeline has one from ` +
          `${startSeconds.toFixed(3)} to ${endSeconds.toFixed(3)} s`,
        { nextAction: 'Name the recording that the timeline was made of; for an EDL, its frame rate.' },
      );
    return [start, end];
  });
  const moved = ranges.find(([start], index) => start < (ranges[index - 1]?.[1] ?? 0) - roundingSeconds);
  if (moved !== undefined)
    throw new EarshotError(
      'bad_request',
      `Expected clips in the order of the recording but the one from ${moved[0].toFixed(3)} s comes after a later one, ` +
        'or twice',
      { nextAction: 'Cut what stays in its order, and put parts together with join.' },
    );
  return { ranges, ignored: [...found.ignored, ...ignored] };
}
