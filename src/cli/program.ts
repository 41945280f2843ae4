import { type Argument, Command, CommanderError } from 'commander';
import { closestName, shownName } from '../library/core/checks/names.ts';
import { tools } from '../library/tools/registry.ts';
import { addCaptionsCommand } from './captions-command.ts';
import { addMasterCommand } from './master-command.ts';
import { addRunCommand } from './run-command.ts';
import { addExecCommand } from './exec/exec-command.ts';
import { addWatchCommand } from './watch-command.ts';
import { addCompletionCommand } from './completion/command.ts';
import { addDemoCommand } from './demo-command.ts';
import { addDoctorCommand } from './doctor/command.ts';
import { errorLine } from './terminal/error-line.ts';
import { exitCodeOf, exitCodes, type ExitCode } from './terminal/exit.ts';
import { asTyped } from './tool/as-typed.ts';
import { furtherNames } from './tool/habits.ts';
import { acceptApiForms } from './tool/flags.ts';
import { addInspectCommands } from './inspect-commands.ts';
import { addTagsCommand } from './tags-command.ts';
import { addPeaksCommand } from './peaks-command.ts';
import { addPreviewCommand } from './preview-command.ts';
import { addMcpCommand } from './mcp/command.ts';
import { addModelsCommand } from './models/command.ts';
import { addConfigCommand } from '../service/commands/config-command.ts';
import { addBackupCommands } from '../service/commands/backup-commands.ts';
import { addDatabaseCommand } from '../service/commands/database-command.ts';
import { addOperatorCommands } from '../service/commands/operator-commands.ts';
import { addRunnerCommands } from '../service/commands/runner-command.ts';
import { addServeCommand } from '../service/commands/serve-command.ts';
import { addVoicesCommand } from './voices/command.ts';
import type { CommandContext } from './terminal/command-context.ts';
import { addToolCommand } from './tool/command.ts';
import { packageVersion } from '../library/core/start/package-version.ts';

/**
 * Runs one command line and returns the exit code.
 * @param args without node and the script
 */
export async function runCli(args: readonly string[], signal: AbortSignal): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.ok;
  const program = await createProgram({
    signal,
    finish(code) {
      exitCode = code;
    },
  });
  try {
    await program.parseAsync(asTyped(acceptApiForms(args, tools), program), { from: 'user' });
    return exitCode;
  } catch (thrown) {
    // Commander has already printed its message; help and version are not failures.
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    process.stderr.write(`${errorLine(thrown)}\n`);
    return exitCodeOf(thrown);
  }
}

export async function createProgram(context: CommandContext): Promise<Command> {
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
      subcommandTerm: (command) =>
        [
          command.name(),
          ...(command.options.length > 0 ? ['[options]'] : []),
          ...command.registeredArguments.map((argument) => shownArgument(argument)),
        ].join(' '),
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
  const missing: string[] = [];
  for (const tool of tools) {
    const unavailable = await tool.unavailable();
    if (unavailable) missing.push(tool.slug);
    addToolCommand(program, tool, context, unavailable);
  }
  if (missing.length > 0)
    program.addHelpText('after', `\nNot available here: ${missing.join(', ')} (run one to see why)`);
  addRunCommand(program, context);
  addWatchCommand(program, context);
  addExecCommand(program, context);
  addMasterCommand(program, context);
  addCaptionsCommand(program, context);
  addInspectCommands(program, context);
  addTagsCommand(program, context);
  addPeaksCommand(program, context);
  addPreviewCommand(program, context);
  program.commandsGroup('Earshot itself:');
  addModelsCommand(program, context);
  addVoicesCommand(program, context);
  addDemoCommand(program, context);
  addDoctorCommand(program, context);
  addMcpCommand(program, context);
  addCompletionCommand(program, context);
  program.commandsGroup('The service:');
  addServeCommand(program, context);
  addRunnerCommands(program, context);
  addConfigCommand(program, context);
  addOperatorCommands(program, context);
  addDatabaseCommand(program, context);
  addBackupCommands(program, context);
  program.addHelpCommand(
    new Command('help')
      .argument('[command]')
      .description('Show what a command does')
      .helpOption(false)
      .helpGroup('Earshot itself:'),
  );
  program.addHelpText('after', () => `\n${furtherNames(program)}`);
  suggestFlags(program);
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
