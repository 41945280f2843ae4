// Stretches of time as people write them: one a line, "0:08.0-0:14.5", "8 - 14.5", "1:02:03.5 to 1:02:10".

/** Seconds of a time: "14.5", "0:14.5", "1:02:03.5"; NaN for other text. */
export function parseTime(text: string): number {
  const parts = text.trim().replace(',', '.').split(':');
  if (parts.length > 3 || parts.some((part) => !/^\d+(?:\.\d+)?$/.test(part))) return NaN;
  return parts.reduce((seconds, part) => seconds * 60 + Number(part), 0);
}

/** What is between the ends of lines, without what is empty. */
export const linesOf = (text: string, end: RegExp): readonly string[] =>
  text
    .split(end)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Pairs of seconds; an unreadable line is [NaN, NaN], which the tool's validation refuses. */
export const parseTimeRanges = (text: string): readonly (readonly [number, number])[] =>
  linesOf(text, /[\n;]/).map((line) => {
    // Labels of Audacity: start, end and a name, with tabs between.
    const short = line.replace(/\s+/g, (blanks) => (blanks.includes('\t') ? '\t' : ' '));
    const [start = '', end = ''] = short.split(/\s?(?:[-\u2013\u2014]|\bto\b|\bbis\b|\t)\s?/);
    return [parseTime(start), parseTime(end)] as const;
  });

/** Chapters, a time and a title in each line; an unreadable line stays a text, which the tool's validation refuses. */
export const parseChapters = (text: string): readonly ({ start_seconds: number; title: string } | string)[] =>
  linesOf(text, /\n/).map((line) => {
    const [time = '', ...words] = line.split(/\s+/);
    const start = parseTime(time);
    return Number.isNaN(start) || words.length === 0 ? line : { start_seconds: start, title: words.join(' ') };
  });

/** Formats seconds as "0:14.5" or "1:02:03.5", with this many decimal places. */
export function formatTime(seconds: number, places = 1): string {
  const rounded = Math.round(Math.max(0, seconds) * 10 ** places) / 10 ** places;
  const hours = Math.floor(rounded / 3600);
  const minutes = Math.floor((rounded % 3600) / 60);
  const rest = (rounded % 60).toFixed(places).padStart(places > 0 ? 3 + places : 2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
}
