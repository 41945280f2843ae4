// What people type who come from ffmpeg, sox, whisper and ffmpeg-normalize: their flags, as flags of ours.
import type { Command } from 'commander';
import { readTime } from '../../library/tools/said-values.ts';
import type { Typed } from '../../library/tools/declare/facts.ts';

/**
 * A flag, and words of ours for it: `$` is its value, `$ms` its value in seconds, in ms. It holds where a command has
 * all the flags in the words, and not this one itself; of several for a flag the first that holds.
 */
const flags: readonly (readonly [typed: string, words: string])[] = [
  ['--format', '--output-format $'],
  ['--format', '--formats $'],
  ['--output-format', '--format $'],
  ['--output-format', '--formats $'],
  ['--formats', '--format $'],
  ['-ext', '--output-format $'],
  ['-ext', '--format $'],
  ['--lang', '--language $'],
  ['--lufs', '--target $'],
  ['--loudness', '--target $'],
  ['--target-level', '--target $'],
  ['-I', '--target $'],
  ['--bitrate', '--bitrate-kbps $'],
  ['-b:a', '--bitrate-kbps $'],
  ['-ab', '--bitrate-kbps $'],
  ['-r', '--sample-rate $'],
  ['-ar', '--sample-rate $'],
  ['--rate', '--sample-rate $'],
  ['--samplerate', '--sample-rate $'],
  ['-ac', '--channels $'],
  ['--mono', '--channels mono'],
  ['--stereo', '--channels stereo'],
  ['--strength', '--noise-reduction $'],
  ['--amount', '--noise-reduction $'],
  ['--crossfade', '--crossfade-ms $ms'],
  ['--gain', '--gain-db $'],
  ['--volume', '--gain-db $'],
  ['--keep', '--ranges $ --mode keep'],
  ['--remove', '--ranges $ --mode remove'],
  ['--mute', '--ranges $ --mode mute'],
  // The words of a JSON transcript always have times; captions get them by this.
  ['--words', '--karaoke'],
  ['--word-timestamps', '--karaoke'],
  ['--hotwords', '--vocabulary $'],
  ['--num-speakers', '--speakers $'],
  ['--min-silence', '--min-pause-seconds $'],
  ['--out-dir', '--output $/'],
  ['--output-dir', '--output $/'],
  ['--output-folder', '--output $/'],
  ['-of', '--output $/'],
  ['--in', '--fade-in-seconds $'],
  ['--fade-in', '--fade-in-seconds $'],
  ['--out', '--fade-out-seconds $'],
  ['--fade-out', '--fade-out-seconds $'],
  ['--curve', '--fade-curve $'],
  ['--out', '--output $'],
  ['--outfile', '--output $'],
  ['--force', '--overwrite'],
  ['--batch', '--album'],
];

/** Flags of others that ours have no place for, and what holds instead; where a command has the flag behind it. */
const withoutPlace: readonly (readonly [typed: string, besides: string, says: string])[] = [
  ['--true-peak', '--target', 'True peaks are always limited to -1 dBTP, with --target audiobook to -3: leave it out'],
  ['-tp', '--target', 'True peaks are always limited to -1 dBTP, with --target audiobook to -3: leave it out'],
  ['-vn', '--format', 'convert writes the sound alone: leave it out'],
];

/**
 * @param known the flags of the command
 * @param value what is typed behind it: only a time is one of seconds, `--out 2` and `--out talk.mp3`
 */
export function wordsFor(typed: string, known: ReadonlySet<string>, value: string | undefined): string | undefined {
  const holds = ([flag, words]: (typeof flags)[number]): boolean =>
    flag === typed &&
    words.split(' ').every((word) => !word.startsWith('--') || known.has(word)) &&
    (!words.endsWith('-seconds $') || (value !== undefined && readTime(value) !== null));
  return flags.find(holds)?.[1];
}

/** What to say of a flag that the command has no place for. */
export const withoutPlaceFor = (typed: string, known: ReadonlySet<string>): string | undefined =>
  withoutPlace.find(([flag, besides]) => flag === typed && known.has(besides))?.[2];

const typedOf = new WeakMap<Command, Typed>();

/** Says what users of other programs type for a command. */
export function sayTyped(command: Command, typed: Typed): Command {
  typedOf.set(command, typed);
  return command;
}

export interface Meant {
  readonly command: Command;
  /** Flags that a further command has, or what its number is; '': none. */
  readonly words: string;
  readonly instead: string | undefined;
}

/** The command that a name means; undefined: none of ours. */
export function commandMeant(program: Command, name: string): Meant | undefined {
  const own = program.commands.find((each) => each.name() === name || each.aliases().includes(name));
  if (own !== undefined) return { command: own, words: typedOf.get(own)?.number ?? '', instead: undefined };
  for (const command of program.commands) {
    const { commands = {}, instead = {} } = typedOf.get(command) ?? {};
    const words = Object.hasOwn(commands, name) ? commands[name] : undefined;
    const says = Object.hasOwn(instead, name) ? instead[name] : undefined;
    if (words !== undefined || says !== undefined) return { command, words: words ?? '', instead: says };
  }
  return undefined;
}

/** For the help of the program: what else commands are called, "cut: trim, split". */
export function furtherNames(program: Command): string {
  const lines = program.commands.flatMap((command) => {
    const names = [...command.aliases(), ...Object.keys(typedOf.get(command)?.commands ?? {})];
    return names.length === 0 ? [] : [`${command.name()}: ${names.join(', ')}`];
  });
  return `Names of other programs are understood: ${lines.join('; ')}.`;
}
