// Values as people and models write them: times, ranges, a loudness, a language by its name.
import type { OptionSchema } from '../core/checks/schema.ts';

/** "1:02:03.5" or "0:10": hours, minutes, seconds. */
const clock = /^([+-]?)(?:(\d+):)?(\d+):(\d{1,2}(?:[.,]\d+)?)$/;
/** "90", "61.5s". */
const plain = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))\s*s?$/;

/** A typed time in seconds; null: not a time. */
export function readTime(text: string): number | null {
  const typed = text.trim();
  const [, number] = plain.exec(typed) ?? [];
  if (number !== undefined) return Number(number);
  const match = clock.exec(typed);
  if (match === null) return null;
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = match;
  const whole = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds.replace(',', '.'));
  // Rounded, since a sum of tenths and integers would not be exactly what was typed.
  const exact = Math.round(whole * 1e6) / 1e6;
  return sign === '-' && exact !== 0 ? -exact : exact;
}

/**
 * "0:10-0:20,61.5-63" as [[10, 20], [61.5, 63]]; null: not ranges.
 * @param readEnd reads the end of a range. Default: a time
 */
export function readRanges(
  text: string,
  readEnd: (text: string) => number | null = readTime,
): [number, number][] | null {
  const ranges: [number, number][] = [];
  for (const part of text.split(/[,;]\s*|\s+/).filter((one) => one !== '')) {
    const ends = part.split(/-|–|\.\.\.?(?=\d)/);
    const [start, end] = [readTime(ends[0] ?? ''), readEnd(ends[1] ?? '-')];
    if (ends.length !== 2 || start === null || end === null) return null;
    ranges.push([start, end]);
  }
  return ranges.length === 0 ? null : ranges;
}

const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
const longerCodes = ['haw', 'yue'];

/** From names in English and in the language itself to codes, for all languages with a code of two letters. */
let languages: ReadonlyMap<string, string> | undefined;

function languageNames(): ReadonlyMap<string, string> {
  const english = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  const pairs = letters.flatMap((first) => letters.map((second) => first + second));
  const names = new Map<string, string>();
  for (const code of [...pairs, ...longerCodes]) {
    const name = english.of(code);
    if (name === undefined) continue;
    const own = new Intl.DisplayNames(code, { type: 'language', fallback: 'none' }).of(code);
    for (const each of [name, own])
      if (each !== undefined && !names.has(each.toLowerCase())) names.set(each.toLowerCase(), code);
  }
  return names;
}

/** "english", "Deutsch", "en-US" as a code; "auto" as undefined (detected); anything else unchanged. */
export function readLanguage(text: string): string | undefined {
  const typed = text.trim().toLowerCase();
  if (typed === 'auto') return undefined;
  if (/^[a-z]{2,3}$/.test(typed)) return typed;
  const [, base] = /^([a-z]{2,3})[-_][a-z]{2,4}$/.exec(typed) ?? [];
  if (base !== undefined) return base;
  languages ??= languageNames();
  return languages.get(typed) ?? text;
}

/** "-19", "-19 LUFS"; null: not a loudness. */
export function readLufs(text: string): number | null {
  const [, lufs] = /^([+-]?\d+(?:\.\d+)?)\s*(?:lufs|lkfs|db)?$/i.exec(text.trim()) ?? [];
  return lufs === undefined ? null : Number(lufs);
}

/** Is it a list of time ranges, as pairs or as lists of two numbers? */
export const pairOfTimes = ({ items }: OptionSchema): boolean => {
  const pair = Array.isArray(items) ? undefined : (items as OptionSchema | undefined);
  const inner = pair?.items;
  if (Array.isArray(inner)) return inner.length === 2;
  return (inner as OptionSchema | undefined)?.type === 'number' && pair?.minItems === 2 && pair.maxItems === 2;
};
