// What completion knows of the program, read from its own definitions.
import type { Command, Option } from 'commander';
import { suggestedValues } from '../tool/flags.ts';

export interface DescribedOption {
  /** "-o", "--output". */
  readonly flags: readonly string[];
  readonly description: string;
  /** What follows the flag: nothing, a path, one of some words, or any value. */
  readonly takes: 'nothing' | 'path' | 'value' | readonly string[];
}

export interface DescribedCommand {
  /** From the program on: ["models", "add"]; empty for the program itself. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly options: readonly DescribedOption[];
  readonly commands: readonly DescribedCommand[];
  /** Are any arguments paths? */
  readonly takesFiles: boolean;
}

function takes(option: Option): DescribedOption['takes'] {
  if (!option.required && !option.optional) return 'nothing';
  const values = suggestedValues(option);
  if (values.length > 0) return values;
  return /[<[](path|file|folder|files)(\.\.\.)?[>\]]/.test(option.flags) ? 'path' : 'value';
}

/** The first sentence, without text in brackets. */
const short = (text: string): string => {
  const [first = ''] = text.replaceAll(/ ?\([^()]*\)/g, '').split(/[.;:\n]/);
  return first.trim();
};

const describeOption = (option: Option): DescribedOption => ({
  flags: [option.short, option.long].filter((flag) => flag !== undefined),
  description: short(option.description),
  takes: takes(option),
});

/** Hidden commands and flags are left out, as in the help. */
export function describeCommand(command: Command, path: readonly string[] = []): DescribedCommand {
  const help = command.createHelp();
  return {
    path,
    summary: short(command.summary() || command.description()),
    options: help.visibleOptions(command).map(describeOption),
    commands: help
      .visibleCommands(command)
      .flatMap((inner) => [inner.name(), ...inner.aliases()].map((name) => describeCommand(inner, [...path, name]))),
    takesFiles: command.registeredArguments.some((argument) => /^(files?|path|folder|source)$/.test(argument.name())),
  };
}

/** A command and all below it. */
export const allCommands = (command: DescribedCommand): DescribedCommand[] => [
  command,
  ...command.commands.flatMap(allCommands),
];
