// The cuts that an editing program made of a recording, out of its file.
import { readFileSync, statSync } from 'node:fs';
import { EarshotError } from '../../core/errors/errors.ts';
import { pathError } from '../../core/errors/file-errors.ts';
import { framesOfTimecode } from '../../core/timecode.ts';
import { probe } from '../../media/read/probe.ts';
import { frameRateOf } from '../../timeline/form/frames.ts';
import { rangesOfText, rateWithoutPictures, type TimelineRanges } from '../../timeline/read/ranges.ts';

/** An hour with 10,000 cuts in OpenTimelineIO takes 25 MB. */
const mostBytes = 64 * 2 ** 20;

/** UTF-8, or UTF-16 as programs on Windows write it, with its mark. */
function decoded(bytes: Buffer): string {
  const mark = bytes.subarray(0, 2).toString('latin1');
  const encoding = mark === 'ÿþ' ? 'utf-16le' : mark === 'þÿ' ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

function textOf(path: string): string {
  try {
    if (statSync(path).size > mostBytes)
      throw new EarshotError('file_invalid', `Expected a timeline of at most ${mostBytes / 2 ** 20} MiB: ${path}`);
    return decoded(readFileSync(path));
  } catch (thrown) {
    throw thrown instanceof EarshotError ? thrown : pathError(thrown, path, 'input');
  }
}

/** `readTimelineRanges` of the library's surface. */
export function timelineRanges(
  path: string,
  recording: string,
  { frameRate }: { readonly frameRate?: number | undefined } = {},
): TimelineRanges {
  const text = textOf(path);
  const { video, durationSeconds } = probe(recording);
  const stated = frameRate ?? video?.frameRate ?? null;
  const rate = stated === null ? rateWithoutPictures : frameRateOf(stated);
  const clockFrames = (video?.timecode && framesOfTimecode(video.timecode, rate)) || 0;
  return rangesOfText(text, { name: recording, durationSeconds, rate, clockFrames });
}
