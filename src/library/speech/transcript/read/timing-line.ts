// "00:00:01,000 --> 00:00:02,500" in all its variants: hours missing or with three digits, point or comma, spaces from
// machine translation, arrows changed by a word processor, a minus sign after shifting too far.
import type { TimeRange } from '../../../core/time-range.ts';

const time = String.raw`(-?)(?:(\d{1,5})\s?:\s?)?(\d{1,2})\s?:\s?(\d{1,2})(?:\s?[.,:;]\s?(\d{1,9}))?`;
const arrow = String.raw`(?:-{1,3}\s?>|\u2013>|\u2014>|-{1,2}&gt;|\u2192)`;
const line = new RegExp(String.raw`^\s*${time}\s{0,9}${arrow}\s{0,9}${time}(?![\d:])`);
/** A cheap first check, so that malicious lines cost only linear time. */
const hasArrow = />|&gt;|\u2192/;
/** Longest line of times, with positions and settings. */
const longest = 1000;

/** null: not a line of times. */
export function parseTiming(text: string): TimeRange | null {
  if (text.length > longest || !hasArrow.test(text)) return null;
  const found = line.exec(text);
  if (found === null) return null;
  const startSeconds = secondsOf(found.slice(1, 6));
  return { startSeconds, endSeconds: Math.max(startSeconds, secondsOf(found.slice(6, 11))) };
}

function secondsOf([sign, hours, minutes, seconds, fraction]: (string | undefined)[]): number {
  if (sign === '-') return 0;
  const whole = Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds);
  return fraction === undefined ? whole : Math.round((whole + Number(`0.${fraction}`)) * 1e6) / 1e6;
}
