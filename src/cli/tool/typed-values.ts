// Converts typed values to those of the tools: times, ranges, a loudness for a target, a language by its name.
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { EarshotError } from '../../library/core/errors/errors.ts';
import type { OptionSchema } from '../../library/core/checks/schema.ts';
import { readChapterMarks } from '../../library/tools/chapter-marks.ts';
import { pairOfTimes, readLanguage, readLufs, readRanges, readTime } from '../../library/tools/said-values.ts';

/** The end of the recording, until its length is known: `0:10-end`. */
export const untilEnd = Number.POSITIVE_INFINITY;

const readEnd = (text: string): number | null => (/^(?:end)?$/i.test(text.trim()) ? untilEnd : readTime(text));

/**
 * A file with a name or term on each line, lines of # apart; otherwise names with commas between them.
 * @throws EarshotError bad_request for what looks like a file path but is not a file
 */
function readTexts(name: string, typed: string): unknown {
  if (typed.trim().startsWith('[')) return typed;
  const isFile = statSync(typed, { throwIfNoEntry: false })?.isFile() ?? false;
  if (!isFile && /[\\/]|\.(?:txt|csv|md)$/i.test(typed))
    throw new EarshotError('bad_request', `Expected a file or names for --${name} but there is no file ${typed}`, {
      nextAction: 'Name a text file with a name on each line, or write names with commas between them.',
      details: { field: name, received: typed },
    });
  const parts = isFile
    ? readFileSync(typed, 'utf8')
        .replace(/^\uFEFF/, '')
        .split(/\r?\n/)
    : typed.split(',');
  const names = parts.map((part) => part.trim()).filter((part) => part !== '' && !part.startsWith('#'));
  return [...new Set(names)];
}

/** What a file of that name holds; a text that names none is itself. */
export const textOrFile = (typed: string): string =>
  statSync(typed, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(typed, 'utf8') : typed;

/**
 * Chapters as `earshot chapters --set` and the recipe podcast take them: a file, or its lines.
 * @throws EarshotError bad_request for what is neither
 */
function readChapters(typed: string): unknown {
  if (typed.trim().startsWith('[')) return typed;
  const text = textOrFile(typed);
  const marks = readChapterMarks(text, text === typed ? '--chapters' : basename(typed));
  return marks.map(({ startSeconds, title }) => ({ start_seconds: startSeconds, title }));
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

/** Units that people type behind a number, by the end of an option's name; factors to that of the option. */
const units: readonly (readonly [name: RegExp, unit: RegExp, factor: number])[] = [
  [/_db$/, /dB$/i, 1],
  [/_lufs$/, /LUFS$|LKFS$/i, 1],
  [/_kbps$/, /(?:k|kbps|kbit\/s|kb\/s)$/i, 1],
  [/_kbps$/, /(?<=\d000)(?:bps|bit\/s)?$/i, 0.001],
  [/^sample_rate$/, /k(?:Hz)?$/i, 1000],
  [/^sample_rate$/, /Hz$/i, 1],
  [/_ms$/, /ms$/i, 1],
  [/_ms$/, /s$/i, 1000],
  [/^noise_reduction$/, /%$/, 1],
  [/^speed$/, /x$/i, 1],
  [/^speed$/, /%$/, 0.01],
];

/** "128k", "+3 dB", "44.1k" as numbers for these options; anything else unchanged. */
function readUnit(name: string, value: string): unknown {
  const typed = value.trim();
  for (const [option, unit, factor] of units) {
    const number = typed.replace(unit, '').trim();
    if (option.test(name) && unit.test(typed) && /^[+-]?\d+(?:\.\d+)?$/.test(number))
      return Math.round(1e6 * factor * Number(number)) / 1e6;
  }
  return /^\+\d+(?:\.\d+)?$/.test(typed) ? Number(typed) : value;
}

const channelNames: Readonly<Record<string, string>> = { '1': 'mono', '2': 'stereo' };

const isListOfChoices = ({ type, items }: OptionSchema): boolean =>
  type === 'array' && !Array.isArray(items) && (items as OptionSchema | undefined)?.enum !== undefined;

const isListOfNumbers = ({ type, items }: OptionSchema): boolean =>
  type === 'array' && !Array.isArray(items) && (items as OptionSchema | undefined)?.type === 'integer';

/** "ttml, docx" as a list; JSON as it is. */
const readList = (typed: string): unknown =>
  typed.trim().startsWith('[') ? typed : typed.split(',').map((part) => part.trim().toLowerCase());

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
    else if (schema.type === 'array' && pairOfTimes(schema)) read[name] = readRanges(value, readEnd) ?? value;
    else if (isListOfChoices(schema)) read[name] = readList(value);
    else if (isListOfNumbers(schema) && /^[\d\s,]+$/.test(value)) read[name] = value.split(',').map(Number);
    else if (schema.type === 'number' || schema.type === 'integer' || name === 'sample_rate')
      read[name] = readUnit(name, value);
    else if (name === 'channels') read[name] = channelNames[value] ?? value;
    else if (name === 'language') read[name] = readLanguage(value);
    else if (name === 'vocabulary' || name === 'words') read[name] = readTexts(name, value);
    else if (name === 'chapters' && schema.type === 'array') read[name] = readChapters(value);
    else if (name === 'voices' && !value.trim().startsWith('['))
      read[name] = value.split(',').map((part) => part.trim());
    else if (name === 'policy' && value.toLowerCase().endsWith('.json'))
      Object.assign(read, { policy: 'custom', rules: readRules(value) });
    else if (name === 'target' && 'custom_lufs' in properties && typed['custom_lufs'] === undefined) {
      const lufs = readLufs(value);
      if (lufs !== null) Object.assign(read, { target: 'custom', custom_lufs: lufs });
    }
    if (read[name] === undefined) delete read[name];
  }
  return read;
}
