// Timecodes (SMPTE ST 12-1): "01:00:00:00", with a semicolon before the frames where numbers are left out to keep to
// the clock.

/** Of pictures, frames a second: 30000 / 1001. */
export interface FrameRate {
  readonly num: number;
  readonly den: number;
}

/** The rate as whole frames a second, which timecode counts: 30 for 30000/1001; 0 for no rate. */
export const timebaseOf = ({ num, den }: FrameRate): number => (den > 0 ? Math.round(num / den) : 0);

/** Numbers that a drop-frame code leaves out at the start of each minute but every tenth. */
const droppedOf = (fps: number): number => fps / 15;

const hasCodes = (fps: number): boolean => fps >= 1 && fps <= 120;

/** A code as a number of frames from 00:00:00:00; null where it is none, or its rate has no such codes. */
export function framesOfTimecode(code: string, rate: FrameRate): number | null {
  const found = /^(\d\d):(\d\d):(\d\d)([:;.])(\d\d)$/u.exec(code);
  const fps = timebaseOf(rate);
  if (found === null || !hasCodes(fps)) return null;
  const [hours, minutes, seconds, frames] = [1, 2, 3, 5].map((group) => Number(found[group])) as [
    number,
    number,
    number,
    number,
  ];
  // A frame that no second has is one of another rate, and all others of that list are at other times.
  if (minutes > 59 || seconds > 59 || frames >= fps) return null;
  const dropped = found[4] !== ':' && fps % 30 === 0 ? droppedOf(fps) : 0;
  const wholeMinutes = 60 * hours + minutes;
  return (wholeMinutes * 60 + seconds) * fps + frames - dropped * (wholeMinutes - Math.floor(wholeMinutes / 10));
}

/** The code of a frame; after 24 hours it begins anew. @param separator before the frames; other than ":" it drops */
export function timecodeOf(frames: number, rate: FrameRate, separator: string): string {
  const fps = timebaseOf(rate);
  const dropped = separator !== ':' && fps % 30 === 0 ? droppedOf(fps) : 0;
  const inMinute = 60 * fps - dropped;
  const inTen = 10 * inMinute + dropped;
  const at = frames % (144 * inTen);
  // The first minute of ten has all its numbers.
  const inside = at % inTen;
  const minute = inside < 60 * fps ? 0 : 1 + Math.floor((inside - 60 * fps) / inMinute);
  const number = at + dropped * (9 * Math.floor(at / inTen) + minute);
  const two = (value: number): string => String(value).padStart(2, '0');
  const [second, frame] = [Math.floor(number / fps), number % fps];
  return `${two(Math.floor(second / 3600))}:${two(Math.floor(second / 60) % 60)}:${two(second % 60)}${separator}${two(frame)}`;
}
