// A command line as people type it, in the words of ours: before anything is read of it.
import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import type { Command, Option } from 'commander';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { suggestedValues } from './flags.ts';
import { nameOf } from './standard-streams.ts';
import { readTime } from '../../library/tools/said-values.ts';
import { commandMeant, type Meant, withoutPlaceFor, wordsFor } from './habits.ts';

/** What was typed, apart. */
interface Parts {
  /** Flags with their values, in order. */
  readonly flags: string[];
  /** What is no flag and no value of one. */
  plain: string[];
  /** ffmpeg's `-ss 2 -t 2 -to 4`, and --start, --end. */
  readonly marks: Map<string, string>;
  /** Is there a flag that no one knows? What follows may be its value. */
  hasUnknown: boolean;
}

const usage = (message: string, nextAction: string): EarshotError =>
  new EarshotError('bad_request', message, { nextAction });

/** For a shell. */
const quoted = (word: string): string =>
  /^[\w./:@%+=,-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
export const line = (...words: readonly string[]): string => ['earshot', ...words.map(quoted)].join(' ');

const numberOrTime =
  /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:dB|LUFS|LKFS|k|kHz|Hz|s|x|%)?$|^[+-]?(?:\d+:){1,2}\d{1,2}(?:\.\d+)?$/i;
const isNumber = (word: string): boolean => numberOrTime.test(word) && !existsSync(word);
const isRange = (word: string): boolean => {
  const ends = word.split('-').map(readTime);
  return ends.length === 2 && ends.every((end) => end !== null && end >= 0) && !existsSync(word);
};

const markOf: Readonly<Record<string, 'start' | 'end' | 'length'>> = {
  '-ss': 'start',
  '--start': 'start',
  '-to': 'end',
  '--end': 'end',
  '-t': 'length',
  '--duration': 'length',
};

/**
 * The arguments with flags, values and commands of other programs replaced by ours; a number among the files becomes
 * the option that it is.
 * @param args without node and the script
 * @throws EarshotError bad_request with the right command, before any work
 */
export function asTyped(args: readonly string[], program: Command): string[] {
  const [first, ...rest] = args;
  if (first === undefined || first.startsWith('-')) return [...args];
  const meant = commandMeant(program, first);
  if (meant === undefined) return [...args];
  const end = rest.indexOf('--');
  const behind = end === -1 ? [] : rest.slice(end);
  let before = end === -1 ? rest : rest.slice(0, end);
  let { command } = meant;
  const path: string[] = [command.name()];
  for (;;) {
    const inner = command.commands.find(
      (each) => each.name() === before[0] || each.aliases().includes(before[0] ?? ''),
    );
    if (inner === undefined) break;
    path.push(before[0] as string);
    before = before.slice(1);
    command = inner;
  }
  // What has commands of its own and is given none of them, is theirs to say.
  if (path.length === 1 && command.commands.length > 0 && meant.words === '') return [...args];
  const parts = apart(before, command);
  if (meant.instead !== undefined) refuseFor(first, meant.instead, parts);
  if (command.registeredArguments.some((argument) => /^files?$/.test(argument.name()))) settle(first, meant, parts);
  // What follows an unknown flag may be its value, as those of a preview are of its tool.
  const words = parts.hasUnknown ? before : [...parts.plain, ...parts.flags];
  return [...path, ...words, ...behind];
}

function refuseFor(name: string, instead: string, { plain }: Parts): never {
  const there = plain.filter((word) => existsSync(word));
  const files = there.length === 0 ? ['talk.wav'] : there;
  throw usage(`There is no command ${name}`, `${instead.replaceAll('{files}', files.map(quoted).join(' '))}.`);
}

const optionOf = (command: Command, flag: string): Option | undefined =>
  command.options.find(({ short, long }) => flag === short || flag === long);

/** Does it keep stretches, or take them out? */
function keepsRanges(command: Command): boolean {
  const mode = optionOf(command, '--mode');
  return optionOf(command, '--ranges') !== undefined && mode !== undefined && suggestedValues(mode).includes('keep');
}

/** Flags of others become ours on the way. */
function apart(words: readonly string[], command: Command): Parts {
  const parts: Parts = { flags: [], plain: [], marks: new Map(), hasUnknown: false };
  const known = new Set(command.options.flatMap(({ short, long }) => [short ?? [], long ?? []].flat()));
  const cuts = keepsRanges(command);
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string;
    if (!word.startsWith('-') || word === '-' || numberOrTime.test(word)) {
      parts.plain.push(word);
      continue;
    }
    const [flag = '', ...tail] = word.split('=');
    const inside = tail.length === 0 ? undefined : tail.join('=');
    const option = optionOf(command, flag);
    const mark = option === undefined && cuts ? markOf[flag] : undefined;
    const value = inside ?? words[at + 1];
    const meant = option === undefined ? wordsFor(flag, known, value) : undefined;
    if (mark !== undefined && value !== undefined) {
      parts.marks.set(flag === '--start' || flag === '--end' ? `--${mark}` : mark, value);
      if (inside === undefined) at += 1;
    } else if (option !== undefined) {
      parts.flags.push(flag === option.short ? (option.long ?? word) : word);
      if (option.variadic)
        while (at + 1 < words.length && !words[at + 1]?.startsWith('-')) parts.flags.push(words[++at] as string);
      else if (option.required && inside === undefined && at + 1 < words.length)
        parts.flags.push(words[++at] as string);
    } else if (meant !== undefined && (!meant.includes('$') || value !== undefined)) {
      parts.flags.push(...filled(meant, value ?? ''));
      if (meant.includes('$') && inside === undefined) at += 1;
    } else if (flag === '-i') {
      // ffmpeg's: what follows is a file.
      if (inside !== undefined) parts.plain.push(inside);
    } else {
      const says = withoutPlaceFor(flag, known);
      if (says !== undefined) throw usage(`There is no ${flag} here`, `${says}.`);
      parts.flags.push(word);
      parts.hasUnknown = true;
    }
  }
  return parts;
}

/** The words with a value in them. */
function filled(words: string, value: string): string[] {
  return words.split(' ').map((word) => {
    if (word === '$ms') {
      const seconds = readTime(value.replace(/(?<=\d)\s*ms$/, ''));
      return seconds === null ? value : String(Math.round(value.endsWith('ms') ? seconds : 1000 * seconds));
    }
    return word === '$/' ? `${value.replace(/\/$/, '')}/` : word === '$' ? value : word;
  });
}

/** Puts what is between the files in its place. */
function settle(name: string, { command, words }: Meant, parts: Parts): void {
  const has = (flag: string): boolean => parts.flags.some((each) => each === flag || each.startsWith(`${flag}=`));
  addWords(name, command, words, parts, has);
  if (keepsRanges(command) && !parts.hasUnknown) settleTimes(name, command, parts, has);
  const takesRanges = optionOf(command, '--ranges') !== undefined && !has('--ranges');
  const isNone = (word: string): boolean => isNumber(word) || (takesRanges && isRange(word));
  const numbers = parts.plain.filter(isNone);
  if (numbers.length === 0 || parts.hasUnknown) return;
  const files = parts.plain.filter((word) => !isNone(word));
  const isStretch = numbers.every((word) => takesRanges && isRange(word));
  throw usage(
    `Expected files but received ${numbers.join(' and ')}, and there is no file of that name`,
    isStretch
      ? `As a stretch: ${line(name, ...files, '--ranges', numbers.join(','))}.`
      : `Without it: ${line(name, ...files, ...parts.flags)}. What numbers can be: earshot ${command.name()} --help.`,
  );
}

/** Flags that say the same in another way. */
const insteadOf: Readonly<Record<string, string>> = { '--mode': '--ranges-from', '--gain-db': '--target' };

/** Adds the flags of a further command, with the first number among the files where they have one. */
function addWords(name: string, command: Command, words: string, parts: Parts, has: (flag: string) => boolean): void {
  const tokens = words === '' ? [] : words.split(' ');
  const files = parts.plain.filter((word) => !isNumber(word));
  const output = valueOf(parts, '--output');
  const asksHelp = parts.flags.includes('--help') || parts.flags.includes('-h');
  for (let at = 0; at < tokens.length; at += 1) {
    const flag = tokens[at] as string;
    if (flag.startsWith('?')) {
      const needed = flag.slice(1).split(',');
      if (asksHelp || needed.some(has)) continue;
      throw usage(`Expected ${needed.join(' or ')} but received neither`, `Such as ${needed[0]} 2.`);
    }
    const next = tokens[at + 1];
    const value = next === undefined || next.startsWith('--') ? undefined : next;
    if (value !== undefined) at += 1;
    const isTyped = has(flag) || has(insteadOf[flag] ?? flag);
    if (value === undefined) {
      if (!isTyped) parts.flags.push(flag);
    } else if (value === '$' || value === '$dB') {
      const number = parts.plain.findIndex((word) => isNumber(word) && fits(command, flag, word));
      if (isTyped || asksHelp) continue;
      if (number === -1) {
        const isFurther = name !== command.name() && !command.aliases().includes(name);
        if (isFurther)
          throw usage(
            `Expected a number for ${name} but received none`,
            `Such as ${line(name, ...files, such(flag))}.`,
          );
        continue;
      }
      const typed = parts.plain[number] as string;
      if (value === '$dB' && !/^[+-]|db$/i.test(typed))
        throw usage(
          `Expected decibels for ${name} but received ${typed}, which elsewhere is a factor`,
          `Such as ${line(name, ...files, '+6dB')}, twice the amplitude, or -6dB, half of it.`,
        );
      parts.flags.push(flag, typed);
      parts.plain = parts.plain.filter((_, place) => place !== number);
    } else if (value === '{own}') {
      const own = extname(files[0] ?? '')
        .slice(1)
        .toLowerCase();
      const option = optionOf(command, flag);
      const writable = option === undefined ? [] : suggestedValues(option);
      if (!isTyped && output === undefined && writable.includes(own)) parts.flags.push(flag, own);
    } else if (value.startsWith('{stem}')) {
      if (isTyped || files.length === 0) continue;
      const named = nameOf(files[0] ?? '');
      const stem = named.slice(0, named.length - extname(named).length);
      parts.flags.push(flag, output ?? value.replace('{stem}', stem));
      if (output !== undefined) dropOutput(parts);
    } else if (!isTyped) parts.flags.push(flag, value);
  }
}

const such = (flag: string): string => (flag.endsWith('-db') ? '+3dB' : flag === '--sample-rate' ? '16000' : '1.25');

/** Decibels are no loudness, and a time is no number. */
function fits(command: Command, flag: string, word: string): boolean {
  if (optionOf(command, flag) === undefined) return false;
  if (word.includes(':')) return false;
  return !/db$/i.test(word) || flag.endsWith('-db');
}

function valueOf({ flags }: Parts, flag: string): string | undefined {
  const at = flags.indexOf(flag);
  return at === -1 ? undefined : flags[at + 1];
}

function dropOutput({ flags }: Parts): void {
  const at = flags.indexOf('--output');
  flags.splice(at, 2);
}

/** Times between the files, and ffmpeg's flags for them, are stretches: to keep, unless another flag says otherwise. */
function settleTimes(name: string, command: Command, parts: Parts, has: (flag: string) => boolean): void {
  const { marks } = parts;
  const typed = parts.plain.filter((word) => isNumber(word) || isRange(word));
  if (marks.size > 0 && has('--ranges'))
    throw usage(
      `Expected one way to say what is cut but received ${[...marks.values(), valueOf(parts, '--ranges')].join(' and ')}`,
      'Such as --keep 0:10-0:20.',
    );
  if ((typed.length === 0 && marks.size === 0) || has('--ranges')) return;
  const files = parts.plain.filter((word) => !typed.includes(word));
  const ranges = marks.size > 0 ? rangeOfMarks(marks) : rangesOfTimes(typed);
  if (ranges === null)
    throw usage(
      `Expected times in pairs but received ${[...typed, ...marks.values()].join(' ')}`,
      `Such as ${line(name, ...files, '--keep', '0:10-0:20')}.`,
    );
  parts.plain = files;
  if (has('--pieces') && marks.size === 0)
    throw usage(
      `Expected what ${typed.join(' ')} is`,
      `Pieces of that length: ${line(name, ...files, '--every', typed[0] ?? '')}; split there: ` +
        `${line(name, ...files, '--at', typed.join(','))}.`,
    );
  // ffmpeg's flags always name what stays.
  const isFfmpegs = ['start', 'end', 'length'].some((mark) => marks.has(mark));
  if (!has('--mode') && !isFfmpegs)
    throw usage(
      `Expected what is to be done with ${ranges}`,
      `To keep it and nothing else: ${line(command.name(), ...files, '--keep', ranges)}; to take it out: ` +
        `${line(command.name(), ...files, '--remove', ranges)}.`,
    );
  parts.flags.push('--ranges', ranges, ...(has('--mode') ? [] : ['--mode', 'keep']));
}

function rangeOfMarks(marks: ReadonlyMap<string, string>): string | null {
  const time = (name: string): number | null => {
    const typed = marks.get(name) ?? marks.get(`--${name}`);
    return typed === undefined ? null : readTime(typed);
  };
  const [start, end, length] = [time('start') ?? 0, time('end'), time('length')];
  const until = end ?? (length === null ? null : Math.round(1e6 * (start + length)) / 1e6);
  return until === null ? `${start}-end` : `${start}-${until}`;
}

function rangesOfTimes(typed: readonly string[]): string | null {
  if (typed.every(isRange)) return typed.join(',');
  if (typed.length === 1) return `${typed[0]}-end`;
  if (typed.length % 2 === 1 || typed.some(isRange)) return null;
  return typed.flatMap((time, at) => (at % 2 === 0 ? [`${time}-${typed[at + 1]}`] : [])).join(',');
}
