// The cuts that an editing program made of a recording, as ranges to keep.
import { readFileSync, statSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { shownName } from '../../core/checks/names.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { pathError } from '../../core/errors/file-errors.ts';
import { framesOfTimecode } from '../../core/timecode.ts';
import { probe } from '../../media/read/probe.ts';
import { frameRateOf } from '../../timeline/form/frames.ts';
import { readEdl } from '../../timeline/read/edl.ts';
import { readFcpxml } from '../../timeline/read/fcpxml.ts';
import type { FoundClip, FoundTimeline } from '../../timeline/read/found.ts';
import { readOtio } from '../../timeline/read/otio.ts';

/** What a timeline keeps of a recording. */
export interface TimelineRanges {
  /** In order, [start, end] in seconds of the recording: `ranges` of cut_audio with mode keep. */
  readonly ranges: readonly (readonly [startSeconds: number, endSeconds: number])[];
  /** What the timeline says besides, which a cut does not do, in words: "transitions". */
  readonly ignored: readonly string[];
}

/** An hour with 10,000 cuts in OpenTimelineIO takes 25 MB. */
const mostBytes = 64 * 2 ** 20;
/** Of an EDL for a recording without pictures: what ours are written with. */
const rateWithoutPictures = 30;
/** Ends that were rounded to frames, seconds. */
const roundingSeconds = 0.05;

/** UTF-8, or UTF-16 as programs on Windows write it, with its mark. */
function decoded(bytes: Buffer): string {
  const mark = bytes.subarray(0, 2).toString('latin1');
  const encoding = mark === 'ÿþ' ? 'utf-16le' : mark === 'þÿ' ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

/** A name out of the file, for a terminal: without characters that would move it. */
const plain = (name: string): string => shownName(name.replaceAll(/\p{Cc}/gu, ''));

const stemOf = (name: string): string => basename(name, extname(name)).toLowerCase();

/** The clips of a recording, by its name; of a timeline that names one recording alone all of them. */
function ownClips(clips: readonly FoundClip[], recording: string): { own: FoundClip[]; ignored: string[] } {
  const name = basename(recording);
  const named = clips.filter((clip) => clip.name.toLowerCase() === name.toLowerCase());
  const alike = named.length > 0 ? named : clips.filter((clip) => stemOf(clip.name) === stemOf(name));
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

function readTimeline(path: string, recording: string, frameRate: number | undefined): FoundTimeline {
  let text: string;
  try {
    if (statSync(path).size > mostBytes)
      throw new EarshotError('file_invalid', `Expected a timeline of at most ${mostBytes / 2 ** 20} MiB: ${path}`);
    text = decoded(readFileSync(path));
  } catch (thrown) {
    throw thrown instanceof EarshotError ? thrown : pathError(thrown, path, 'input');
  }
  const first = text.trimStart()[0];
  if (first === '{') return readOtio(text);
  if (first === '<') return readFcpxml(text);
  const { video } = probe(recording);
  const rate = frameRateOf(frameRate ?? video?.frameRate ?? rateWithoutPictures);
  return readEdl(text, rate, (video?.timecode && framesOfTimecode(video.timecode, rate)) || 0);
}

/** `readTimelineRanges` of the library's surface. */
export function timelineRanges(
  path: string,
  recording: string,
  { frameRate }: { readonly frameRate?: number | undefined } = {},
): TimelineRanges {
  const found = readTimeline(path, recording, frameRate);
  const { own, ignored } = ownClips(found.clips, recording);
  const length = probe(recording).durationSeconds ?? Infinity;
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
