// CMX3600: an event a line, and comments that name the clip.
import { EarshotError } from '../../core/errors/errors.ts';
import { type FrameRate, framesOfTimecode, timebaseOf } from '../../core/timecode.ts';
import { dropsFrames } from '../form/frames.ts';
import { type FoundClip, type FoundTimeline, mostClips } from './found.ts';

/** Says once for the events that follow whether numbers are left out. */
const mode = /^FCM:\s*(NON-)?DROP/i;
const event = /^(\d{1,6})\s+(\S+)\s+(\S+)\s+(C|D|W\d{3}|K\S*)\s+(?:\d+\s+)?(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s*$/;

/**
 * @param clockFrames timecode of the recording's first picture, in frames: an event's times are by the recording's
 * clock
 * @throws EarshotError file_invalid where no line is an event, or a time is none at this rate
 */
export function readEdl(text: string, rate: FrameRate, clockFrames: number): FoundTimeline {
  const ignored = new Set<string>();
  const clips: (FoundClip & { readonly number: string })[] = [];
  const seconds = (frames: number): number => (frames * rate.den) / rate.num;
  let drops = false;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const found = event.exec(line);
    const last = clips.at(-1);
    if (found === null) {
      const name = /^\*\s*FROM CLIP NAME:(.*)$/i.exec(line)?.[1]?.trim();
      if (name !== undefined && last !== undefined) clips[clips.length - 1] = { ...last, name };
      if (/^M2\s/.test(line)) ignored.add('changes of speed');
      const said = mode.exec(line);
      if (said !== null) drops = said[1] === undefined && dropsFrames(rate);
      continue;
    }
    const [, number = '', reel = '', , kind = '', ...codes] = found;
    // A line with a semicolon says itself which of its codes drop.
    const isMarked = codes.some((code) => code.includes(';'));
    const meant = drops && !isMarked ? codes.map((code) => code.replace(/:(?=\d\d$)/, ';')) : codes;
    const [start, end, at, recordEnd] = meant.map((code) => framesOfTimecode(code, rate)) as [
      number | null,
      number | null,
      number | null,
      number | null,
    ];
    if (start === null || end === null || at === null || recordEnd === null || end < start)
      throw new EarshotError(
        'file_invalid',
        `Expected timecodes of ${timebaseOf(rate)} frames a second in event ${number} of the EDL but received ` +
          codes.join(' '),
        { nextAction: 'Give the rate that the list was exported with.' },
      );
    if (kind !== 'C') ignored.add('transitions');
    // Black, and pictures and sound of one event on lines of their own.
    if (reel === 'BL' || start === end) continue;
    if (last !== undefined && last.number === number) continue;
    const startSeconds = seconds(start - clockFrames);
    clips.push({
      number,
      name: '',
      startSeconds,
      endSeconds: startSeconds + seconds(end - start),
      atSeconds: seconds(at),
    });
    if (clips.length > mostClips) break;
  }
  if (clips.length === 0)
    throw new EarshotError('file_invalid', 'Expected an EDL (CMX3600) with events but this has none', {
      nextAction: 'Export the timeline as an EDL of CMX3600 again.',
    });
  return {
    clips: clips.map(({ name, startSeconds, endSeconds, atSeconds }) => ({
      name,
      startSeconds,
      endSeconds,
      atSeconds,
    })),
    ignored: [...ignored],
  };
}
