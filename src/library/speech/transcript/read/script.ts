// Reads scripts and subtitles: SubRip, WebVTT or plain text, distinguished by content, because file names may be wrong.
// Never throws: text that cannot be a cue is left out or kept as text.
import type { TimeRange } from '../../../core/time-range.ts';
import { decodeText, normalText } from './decode-text.ts';
import { plainCue } from './markup.ts';
import { parseTiming } from './timing-line.ts';

/** One cue of a subtitle file, in file order. Cues may overlap and need not be in order of time. */
export interface Cue extends TimeRange {
  /** At least one; without styling. */
  readonly lines: readonly string[];
  /** The name in its first voice span, as in `<v Anna>`; null without one. */
  readonly voice: string | null;
}

/** The contents of a script file. */
export type Script =
  | {
      readonly format: 'txt';
      /** Line ends are `\n`. */
      readonly text: string;
    }
  | { readonly format: 'srt' | 'vtt'; readonly cues: readonly Cue[] };

/**
 * Reads a script in linear time. WebVTT starts with its signature; SubRip has a line of times followed by text, or only
 * numbers besides times; anything else is plain text.
 *
 * @param content characters, or a file's bytes: UTF-8, UTF-16 or windows-1252, with or without a byte order mark
 */
export function readScript(content: string | Uint8Array): Script {
  const text = typeof content === 'string' ? normalText(content) : decodeText(content);
  const lines = text.split('\n');
  if (/^WEBVTT(?:[ \t]|$)/.test(lines[0]!)) return { format: 'vtt', cues: saidOnce(readCues(lines, true)) };
  const cues = saidOnce(readCues(lines, false));
  return cues.length > 0 || holdsTimesAlone(lines) ? { format: 'srt', cues } : { format: 'txt', text };
}

/** By their first bytes: documents of word processors, which people take for text. */
const documents: readonly (readonly [head: string, name: string])[] = [
  ['{\\rtf', 'an RTF document'],
  ['%PDF-', 'a PDF document'],
  ['PK\u0003\u0004', 'a document of a word processor, or a ZIP file'],
  ['\u00d0\u00cf\u0011\u00e0', 'a document of an old word processor'],
];

/** What a script is, where it is no text; null: it may be text. */
export function documentKind(content: string | Uint8Array): string | null {
  const head =
    typeof content === 'string' ? content.slice(0, 64) : Buffer.from(content.subarray(0, 64)).toString('latin1');
  const bare = head.replace(/^(?:\ufeff|\u00ef\u00bb\u00bf)?\s*/u, '');
  return documents.find(([start]) => bare.startsWith(start))?.[1] ?? null;
}

/** Cues without text: numbers and times are not spoken. Text above the first of them would be. */
function holdsTimesAlone(lines: readonly string[]): boolean {
  const first = lines.findIndex((line) => parseTiming(line) !== null);
  return first >= 0 && lines.slice(0, first).every((line) => /^[\s\d]*$/.test(line));
}

/**
 * A cue is a line of times and the text up to the next one. In WebVTT an empty line ends the text (notes, styles and
 * regions may follow). In SubRip it does not: writers leave empty lines inside cues, and none between them.
 */
function readCues(lines: readonly string[], blankEnds: boolean): Cue[] {
  const timings: { at: number; timing: TimeRange }[] = [];
  for (const [at, line] of lines.entries()) {
    const timing = parseTiming(line);
    if (timing !== null) timings.push({ at, timing });
  }
  const isNumber = (at: number): boolean => /^\s*\d{1,9}\s*$/.test(lines[at] ?? '');
  const isBlank = (at: number): boolean => at < 0 || lines[at]!.trim() === '';
  /** A number above the first line of times: the file numbers its cues, and the numbers are not text. */
  const numbered = timings.length > 0 && isNumber(timings[0]!.at - 1);
  const cues: Cue[] = [];
  for (const [index, { at, timing }] of timings.entries()) {
    let end = timings[index + 1]?.at ?? lines.length;
    if (blankEnds) {
      let from = at + 1;
      // Rolling captions begin with a line of a space.
      while (from < end && lines[from] !== '' && lines[from]!.trim() === '') from += 1;
      const blank = firstBlank(lines, from, end);
      // Without an empty line between, the line above the times is text, as in the standard.
      if (blank < end) end = blank;
    } else if (end < lines.length && end - 1 > at && isNumber(end - 1) && (numbered || isBlank(end - 2))) end -= 1;
    const { lines: spoken, voice } = plainCue(lines.slice(at + 1, end).join('\n'));
    if (spoken.length > 0) cues.push({ ...timing, lines: spoken, voice });
  }
  return cues;
}

/** So many cues that begin with what the one before ended with are rolling captions; a few are people who repeat. */
const leastRolling = 3;

/** Lines of a cue, from the first on, that the cue before ended with (Knuth, Morris and Pratt: in linear time). */
function repeated(before: Cue | undefined, { lines }: Cue): number {
  if (before === undefined) return 0;
  /** How many of the first lines the first `index + 1` of them end with. */
  const borders = [0];
  const longer = (count: number, line: string): number => {
    let same = count;
    while (same > 0 && lines[same] !== line) same = borders[same - 1] as number;
    return lines[same] === line ? same + 1 : 0;
  };
  for (const [at, line] of lines.entries()) if (at > 0) borders.push(longer(borders[at - 1] as number, line));
  return before.lines.slice(-lines.length).reduce(longer, 0);
}

/** Captions that roll, as YouTube writes them, show each line again with the next: each is said once. */
function saidOnce(cues: Cue[]): Cue[] {
  const again = cues.map((cue, at) => repeated(cues[at - 1], cue));
  const rolling = again.filter((count) => count > 0).length;
  if (rolling < leastRolling || rolling < 0.6 * (cues.length - 1)) return cues;
  return cues.map((cue, at) => ({ ...cue, lines: cue.lines.slice(again[at]) })).filter(({ lines }) => lines.length > 0);
}

function firstBlank(lines: readonly string[], from: number, to: number): number {
  for (let at = from; at < to; at++) if (lines[at]!.trim() === '') return at;
  return to;
}
