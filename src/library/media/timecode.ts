// Timecodes of edited copies.
import { type FrameRate, framesOfTimecode, timecodeOf } from '../core/timecode.ts';

/** A timecode some frames later; null where it is none, or its rate has no such codes. */
export function laterTimecode(code: string, frames: number, rate: FrameRate): string | null {
  const before = framesOfTimecode(code, rate);
  return before === null ? null : timecodeOf(before + frames, rate, code.at(-3) as string);
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
