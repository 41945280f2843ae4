import { type Argument, Command, CommanderError } from 'commander';
import { closestName, shownName } from '../library/core/checks/names.ts';
import { tools } from '../library/tools/registry.ts';
import { commandHeads } from './commands.ts';
import { errorLine } from './terminal/error-line.ts';
import { exitCodeOf, exitCodes, type ExitCode } from './terminal/exit.ts';
import { asTyped } from './tool/as-typed.ts';
import { commandMeant, furtherNames, sayTyped } from './tool/habits.ts';
import { acceptApiForms } from './tool/flags.ts';
import { defineAll, defineLater, defineNow, termOfUndefined } from './terminal/defined-later.ts';
import type { CommandContext } from './terminal/command-context.ts';
import { addToolHead, defineToolCommand, filesTerm } from './tool/command.ts';
import { packageVersion } from '../library/core/start/package-version.ts';

/**
 * Runs one command line and returns the exit code.
 * @param args without node and the script
 */
export async function runCli(args: readonly string[], signal: AbortSignal): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.ok;
  const context: CommandContext = {
    signal,
    finish(code) {
      exitCode = code;
    },
  };
  try {
    const typed = acceptApiForms(args, tools);
    const program = await programFor(typed, context);
    await program.parseAsync(asTyped(typed, program), { from: 'user' });
    return exitCode;
  } catch (thrown) {
    // Commander has already printed its message; help and version are not failures.
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    process.stderr.write(`${errorLine(thrown)}\n`);
    return exitCodeOf(thrown);
  }
}

/** The whole program. */
export async function createProgram(context: CommandContext): Promise<Command> {
  const program = headsOf(context, await missingTools());
  await defineAll(program);
  return program;
}

/** The program as far as a command line needs it. */
async function programFor([first = '', second = '']: readonly string[], context: CommandContext): Promise<Command> {
  const named = first === 'help' ? second : first;
  const showsList = named === '' || named.startsWith('-');
  const program = headsOf(context, showsList ? await missingTools() : new Set());
  const meant = commandMeant(program, named);
  if (meant !== undefined) await defineNow(meant.command);
  // Of a line such as `earshot -- loudness talk.wav`.
  return program.hook('preSubcommand', (_program, command) => defineNow(command));
}

/** What cannot run here is left out of the list. */
async function missingTools(): Promise<Set<string>> {
  const found = await Promise.all(
    tools.map(async ({ slug, unavailable }) => ((await unavailable(true)) ? [slug] : [])),
  );
  return new Set(found.flat());
}

/** All commands by their heads. */
function headsOf(context: CommandContext, missing: ReadonlySet<string>): Command {
  const program = new Command('earshot')
    .description('Audio and video processing: one command per tool, and a service')
    // For the help: start.ts answers it.
    .version(packageVersion(), '-V, --version', 'print the version')
    .usage('<command> <files...> [options]')
    // What a command's own commands share with it, is theirs behind their names.
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .configureHelp({
      commandUsage(command) {
        const names = [command.name()];
        for (let above = command.parent; above !== null; above = above.parent) names.unshift(above.name());
        return [...names, command.usage()].join(' ');
      },
      // Without the names that other programs have: all of them are behind the list.
      subcommandTerm: (command) => {
        const term = termOfUndefined(command);
        if (term !== undefined) return term === '' ? command.name() : `${command.name()} ${term}`;
        return [
          command.name(),
          ...(command.options.length > 0 ? ['[options]'] : []),
          ...command.registeredArguments.map((argument) => shownArgument(argument)),
        ].join(' ');
      },
    })
    .addHelpText(
      'after',
      '\nEach command has its own help: earshot loudness --help\n' +
        'Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted',
    );
  // Before the commands are made, since they inherit it then.
  program.exitOverride().configureOutput({
    outputError: (text, write) => write(inOurWords(text).replaceAll(/[^\s']{101,}/g, shownName)),
  });
  const later: typeof defineLater = (command, term, define) =>
    defineLater(command, term, async () => {
      await define();
      suggestFlags(command);
    });
  for (const tool of tools) {
    const command = addToolHead(program, tool, missing.has(tool.slug));
    later(command, `[options] ${filesTerm(tool)}`, async () =>
      defineToolCommand(command, tool, context, await tool.unavailable()),
    );
  }
  for (const [heading, heads] of Object.entries(commandHeads)) {
    program.commandsGroup(heading);
    for (const { name, alias, term, summary, typed = {}, define } of heads) {
      const command = sayTyped(program.command(name).summary(summary).description(summary), typed);
      if (alias !== undefined) command.alias(alias);
      later(command, term, async () => (await define())(command, context));
    }
  }
  if (missing.size > 0)
    program.addHelpText('after', `\nNot available here: ${[...missing].join(', ')} (run one to see why)`);
  program.addHelpCommand(
    new Command('help')
      .argument('[command]')
      .description('Show what a command does')
      .helpOption(false)
      .helpGroup('Earshot itself:'),
  );
  program.addHelpText('after', () => `\n${furtherNames(program)}`);
  suggestFlagsOf(program);
  return program;
}

/** "<files...>", "[chain]". */
const shownArgument = (argument: Argument): string => {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
};

/** Rewrites commander's sentences in our style: what was expected, and flags by their long name. */
const inOurWords = (text: string): string =>
  text
    .replace(
      /^error: option '(?:-\w, )?(--[\w-]+)(?![\w-])[^']*' argument missing/,
      'earshot: Expected a value for $1 but received none',
    )
    .replace(/^error: missing required argument '([\w-]+)'/, 'earshot: Expected $1 but received none')
    .replace(/^error: /, 'earshot: ');

/** Of `voices lst` commander says that `list`, which holds without a word, has too many. */
function unknownBefore({ args, parent }: Command, text: string): string | undefined {
  const [typed] = args;
  if (typed === undefined || parent?.args[0] !== typed || !text.startsWith('error: too many arguments'))
    return undefined;
  const closest = closestName(
    typed,
    parent.commands.map((each) => each.name()),
  );
  return `error: unknown command '${shownName(typed)}'\n${closest === undefined ? '' : `(Did you mean ${closest}?)\n`}`;
}

/**
 * Commander suggests flags that differ by a letter or two. Users also leave out the end: --bitrate for --bitrate-kbps.
 */
function suggestFlags(command: Command): void {
  for (const inner of command.commands) suggestFlags(inner);
  suggestFlagsOf(command);
}

function suggestFlagsOf(command: Command): void {
  const { outputError } = command.configureOutput();
  const known = command.options.flatMap(({ long }) => long ?? []);
  command.configureOutput({
    outputError(text, write) {
      const unknown = /^error: unknown option '(--[\w-]+)/.exec(text)?.[1];
      const closest = unknown === undefined || text.includes('Did you mean') ? undefined : closestName(unknown, known);
      const said = unknownBefore(command, text) ?? text;
      outputError?.(closest === undefined ? said : `${text.trimEnd()}\n(Did you mean ${closest}?)\n`, write);
    },
  });
}
