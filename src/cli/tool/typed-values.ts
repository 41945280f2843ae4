// Converts typed values to those of the tools: times, ranges, a loudness for a target, a language by its name.
import { readFileSync, statSync } from 'node:fs';
import { EarshotError } from '../../library/core/errors/errors.ts';
import type { OptionSchema } from '../../library/core/checks/schema.ts';

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

/** "0:10-0:20,61.5-63" as [[10, 20], [61.5, 63]]; null: not ranges. */
function readRanges(text: string): [number, number][] | null {
  const ranges: [number, number][] = [];
  for (const part of text.split(/[,;]\s*|\s+/).filter((one) => one !== '')) {
    const ends = part.split(/-|–|\.\.\.?(?=\d)/).map(readTime);
    const [start = null, end = null] = ends;
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
function readLanguage(text: string): string | undefined {
  const typed = text.trim().toLowerCase();
  if (typed === 'auto') return undefined;
  if (/^[a-z]{2,3}$/.test(typed)) return typed;
  const [, base] = /^([a-z]{2,3})[-_][a-z]{2,4}$/.exec(typed) ?? [];
  if (base !== undefined) return base;
  languages ??= languageNames();
  return languages.get(typed) ?? text;
}

/**
 * A file with a name or term on each line, lines of # apart; otherwise names with commas between them.
 * @throws EarshotError bad_request for what looks like a file path but is not a file
 */
function readVocabulary(typed: string): unknown {
  if (typed.trim().startsWith('[')) return typed;
  const isFile = statSync(typed, { throwIfNoEntry: false })?.isFile() ?? false;
  if (!isFile && /[\\/]|\.(?:txt|csv|md)$/i.test(typed))
    throw new EarshotError('bad_request', `Expected a file or names for --vocabulary but there is no file ${typed}`, {
      nextAction: 'Name a text file with a name on each line, or write names with commas between them.',
      details: { field: 'vocabulary', received: typed },
    });
  const parts = isFile
    ? readFileSync(typed, 'utf8')
        .replace(/^\uFEFF/, '')
        .split(/\r?\n/)
    : typed.split(',');
  const names = parts.map((part) => part.trim()).filter((part) => part !== '' && !part.startsWith('#'));
  return [...new Set(names)];
}

/**
 * The rules of a policy of one's own: a list, or an object that has it as `rules`.
 * @throws EarshotError bad_request
 */
function readRules(file: string): unknown {
  const bad = (received: string): EarshotError =>
    new EarshotError('bad_request', `Expected a JSON file with rules for --policy but ${received}`, {
      nextAction: 'Write a list such as [{"measure": "integratedLufs", "min": -17, "max": -15}]; see docs/checks.md.',
      details: { field: 'policy', received: file },
    });
  let found: unknown;
  try {
    found = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  } catch (thrown) {
    throw bad(thrown instanceof SyntaxError ? `${file} is no JSON` : `there is no file ${file}`);
  }
  const rules = Array.isArray(found) ? found : (found as { readonly rules?: unknown } | null)?.rules;
  if (!Array.isArray(rules)) throw bad(`${file} has none`);
  return rules;
}

const isListOfChoices = ({ type, items }: OptionSchema): boolean =>
  type === 'array' && !Array.isArray(items) && (items as OptionSchema | undefined)?.enum !== undefined;

/** "ttml, docx" as a list; JSON as it is. */
const readList = (typed: string): unknown =>
  typed.trim().startsWith('[') ? typed : typed.split(',').map((part) => part.trim().toLowerCase());

/** Is it a list of time ranges? */
export const pairOfTimes = ({ items }: OptionSchema): boolean => {
  const inner = Array.isArray(items) ? undefined : (items as OptionSchema | undefined)?.items;
  return Array.isArray(inner) && inner.length === 2;
};

/**
 * Typed options in the form of the interface. Unreadable values stay, and validation reports what was expected.
 * @param typed by the names of the interface, as text
 * @param properties of the tool's options
 */
export function readTyped(
  typed: Readonly<Record<string, unknown>>,
  properties: Readonly<Record<string, OptionSchema>>,
): Record<string, unknown> {
  const read: Record<string, unknown> = { ...typed };
  for (const [name, value] of Object.entries(typed)) {
    const schema = properties[name];
    if (typeof value !== 'string' || schema === undefined) continue;
    if (name.endsWith('_seconds')) read[name] = readTime(value) ?? value;
    else if (schema.type === 'array' && pairOfTimes(schema)) read[name] = readRanges(value) ?? value;
    else if (isListOfChoices(schema)) read[name] = readList(value);
    else if (name === 'language') read[name] = readLanguage(value);
    else if (name === 'vocabulary') read[name] = readVocabulary(value);
    else if (name === 'policy' && value.toLowerCase().endsWith('.json'))
      Object.assign(read, { policy: 'custom', rules: readRules(value) });
    else if (name === 'target' && 'custom_lufs' in properties && typed['custom_lufs'] === undefined) {
      const [, lufs] = /^([+-]?\d+(?:\.\d+)?)\s*(?:lufs|lkfs|db)?$/i.exec(value.trim()) ?? [];
      if (lufs !== undefined) Object.assign(read, { target: 'custom', custom_lufs: Number(lufs) });
    }
    if (read[name] === undefined) delete read[name];
  }
  return read;
}
