// Timecodes (SMPTE 12M): "01:00:00:00", with a semicolon before the frames where numbers are left out to keep to the
// clock.

/** Of the picture, frames per second. */
export interface FrameRate {
  readonly num: number;
  readonly den: number;
}

/** Numbers that a drop-frame code leaves out at the start of each minute but every tenth. */
const droppedOf = (fps: number): number => fps / 15;

/** A timecode some frames later; null where it is none, or its rate has no such codes. */
export function laterTimecode(code: string, frames: number, { num, den }: FrameRate): string | null {
  const found = /^(\d\d):(\d\d):(\d\d)([:;.])(\d\d)$/u.exec(code);
  const fps = den > 0 ? Math.round(num / den) : 0;
  if (found === null || fps < 1 || fps > 120) return null;
  const [hours, minutes, seconds, ownFrames] = [1, 2, 3, 5].map((group) => Number(found[group])) as [
    number,
    number,
    number,
    number,
  ];
  const separator = found[4] as string;
  const isDropping = separator !== ':' && fps % 30 === 0;
  const dropped = isDropping ? droppedOf(fps) : 0;
  const inMinute = 60 * fps - dropped;
  const inTen = 10 * inMinute + dropped;
  const wholeMinutes = 60 * hours + minutes;
  const before =
    (wholeMinutes * 60 + seconds) * fps + ownFrames - dropped * (wholeMinutes - Math.floor(wholeMinutes / 10));
  const at = (before + frames) % (144 * inTen);
  // The first minute of ten has all its numbers.
  const inside = at % inTen;
  const minute = inside < 60 * fps ? 0 : 1 + Math.floor((inside - 60 * fps) / inMinute);
  const number = at + dropped * (9 * Math.floor(at / inTen) + minute);
  const two = (value: number): string => String(value).padStart(2, '0');
  const [second, frame] = [Math.floor(number / fps), number % fps];
  return `${two(Math.floor(second / 3600))}:${two(Math.floor(second / 60) % 60)}:${two(second % 60)}${separator}${two(frame)}`;
}

/**
 * Tags with the timecode of a later start.
 * @param seconds by which it is later; the first picture at or after it has the timecode
 */
export function withLaterTimecode(
  tags: Readonly<Record<string, string>>,
  seconds: number,
  rate: FrameRate,
): Record<string, string> {
  // A cut between two pictures is no frame early for the last digits of its seconds.
  const frames = Math.ceil((seconds * rate.num) / rate.den - 0.01);
  return Object.fromEntries(
    Object.entries(tags).map(([key, value]) => [
      key,
      (key.toLowerCase() === 'timecode' && frames > 0 && laterTimecode(value, frames, rate)) || value,
    ]),
  );
}
