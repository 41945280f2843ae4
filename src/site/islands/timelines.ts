// What the editor loads when a timeline is exported: all of its formats.
import { framesOfTimecode } from '../../library/core/timecode.ts';
import { frameRateOf } from '../../library/timeline/form/frames.ts';
import type { TimelineFormat } from '../../library/timeline/form/timeline.ts';
import { timelineFormats } from '../../library/timeline/write-timeline.ts';
import type { EditorPicture } from '../editor-data.ts';

/** The edit of a recording. */
export interface EditToWrite {
  /** Of the recording's file. */
  readonly name: string;
  readonly title: string;
  readonly sampleRate: number;
  readonly channels: number;
  /** Of all of it. */
  readonly frames: number;
  /** null: no pictures, or nothing is known of them. */
  readonly picture: EditorPicture | null;
  /** Frames that are kept, in the order of the edit. */
  readonly keeps: readonly { readonly start: number; readonly end: number }[];
}

/** An edit as the file of a timeline. */
export function timelineFile(
  format: TimelineFormat,
  edit: EditToWrite,
): { readonly text: string; readonly extension: string } {
  const { name, title, sampleRate, channels, frames, picture, keeps } = edit;
  const { frameRate = null, timecode = null } = picture ?? {};
  const rate = frameRate === null ? null : frameRateOf(frameRate);
  const source = {
    // Programs look for it beside the timeline.
    path: name,
    name,
    durationSeconds: frames / sampleRate,
    sound: { sampleRate, channels },
    picture: picture === null || rate === null ? null : { width: picture.width, height: picture.height, rate },
    startFrames: timecode === null || rate === null ? null : framesOfTimecode(timecode, rate),
  };
  let at = 0;
  const clips = keeps.map(({ start, end }) => {
    const [startSeconds, endSeconds, atSeconds] = [start / sampleRate, end / sampleRate, at / sampleRate];
    at += end - start;
    return { source: 0, startSeconds, endSeconds, atSeconds };
  });
  const { extension, write } = timelineFormats[format];
  return { text: write({ name: title, sources: [source], tracks: [{ name, clips }], markers: [] }).text, extension };
}
