// CMX3600 edit decision list (SMPTE 258M's ancestor), as Resolve, Premiere and Avid read it: one track, an event a
// clip.
import type { FrameRate } from '../../core/timecode.ts';
import { clockStart, dropsFrames, gridOf, markersOn, onGrid, timecode } from '../form/frames.ts';
import type { Timeline, TimelineSource, WrittenTimeline } from '../form/timeline.ts';

/** For sound alone: the highest rate that the format's timecode counts. */
const finest: FrameRate = { num: 30, den: 1 };
/** Three digits; some readers refuse more. */
const mostEvents = 999;

/** Line ends would begin a further statement. */
const oneLine = (text: string): string => text.replaceAll(/[\r\n\t\p{Cc}]+/gu, ' ').trim();

const channelOf = ({ picture, sound }: TimelineSource): string => {
  const heard = sound === null ? '' : sound.channels === 1 ? 'A' : 'AA';
  return picture === null ? heard : heard === '' ? 'V' : heard === 'A' ? 'B' : 'AA/V';
};

export function writeEdl(timeline: Timeline): WrittenTimeline {
  const { name, sources, tracks, markers } = timeline;
  const grid = gridOf(timeline, finest);
  const lines = [`TITLE: ${oneLine(name)}`, `FCM: ${dropsFrames(grid) ? 'DROP FRAME' : 'NON-DROP FRAME'}`, ''];
  const marked = markersOn(markers, grid);
  let events = 0;
  const clips = tracks[0]?.clips ?? [];
  for (const clip of clips) {
    const [on, source] = [onGrid(clip, grid), sources[clip.source]];
    if (on === null || source === undefined) continue;
    events += 1;
    const clock = clockStart(source, grid);
    const times = [clock + on.start, clock + on.start + on.length, on.at, on.at + on.length].map((frames) =>
      timecode(frames, grid),
    );
    lines.push(
      `${String(events).padStart(3, '0')}  AX       ${channelOf(source).padEnd(5)} C        ${times.join(' ')}`,
      `* FROM CLIP NAME: ${oneLine(source.name)}`,
    );
    for (const { marker, frame } of marked(on.at, on.at + on.length))
      lines.push(`* LOC: ${timecode(frame, grid)} GREEN ${oneLine(marker.text)}`);
    lines.push('');
  }
  return {
    text: `${lines.join('\n')}\n`,
    leftOut: [
      ...(tracks.length > 1 ? ['tracks after the first'] : []),
      ...(clips.some(({ gainDb = 0 }) => gainDb !== 0) ? ['gains'] : []),
      ...(clips.some((clip) => clip.fadeInSeconds || clip.fadeOutSeconds) ? ['fades'] : []),
      ...(events > mostEvents ? [`the limit of ${mostEvents} events, which some programs have`] : []),
    ],
  };
}
