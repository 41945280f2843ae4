import { Argument, Option, type Command } from 'commander';
import type { Unavailability } from '../../contract/unavailable.ts';
import type { AnyTool } from '../../tools/declare/define.ts';
import { inputName } from '../../tools/declare/inputs.ts';
import type { CommandContext } from '../terminal/command-context.ts';
import { terminalWords } from '../terminal/wording.ts';
import { addToolFlags, choosesFormat, needsPlainFiles, positionalInputs, takesOneFile } from './flags.ts';

/**
 * Makes the command of one tool from its declaration.
 * @param unavailable why it cannot run here: then it is left out of the list of commands, and says so itself
 */
export function addToolCommand(
  program: Command,
  tool: AnyTool,
  context: CommandContext,
  unavailable: Unavailability | null,
): void {
  const single = takesOneFile(tool);
  const names = positionalInputs(tool).map(([field]) => inputName(field));
  const command = program
    .command(tool.slug, { hidden: unavailable !== null })
    .summary(tool.title)
    .description(
      terminalWords(unavailable === null ? tool.description : `${unavailable.message}. ${unavailable.nextAction}`),
    )
    .addArgument(
      new Argument(
        needsPlainFiles(tool) ? '<files...>' : '[files...]',
        single
          ? 'one or more files, the tool runs once for each; - is standard input'
          : `${names.join(', ')}, in this order; - is standard input`,
      ),
    );
  addToolFlags(command, tool);
  const list = tool.formats?.join(',');
  if (list !== undefined)
    command.option('--formats <list>', `which files to write (default: the one that -o ends in, or all: ${list})`);
  if (tool.live !== undefined) command.option('--live', `print ${tool.live}`);
  command
    .option(
      '-o, --output <path>',
      `file${choosesFormat(tool) ? ', whose extension is the format unless a flag chooses it' : ''}, ` +
        `folder${single ? ' for several inputs' : ''}, or - for standard output ` +
        `(default: beside the input, <name>.${tool.slug}.<extension>)`,
    )
    .option('-y, --overwrite', 'replace files that exist already')
    .option('--skip-existing', 'leave files that exist already, and what would make them')
    .option('--preset <name>', 'options kept under a name in earshot.presets.json; what is typed counts more')
    .addOption(new Option('-j, --jobs <number>', 'files at the same time (default: 1)'))
    .option('--dry-run', 'say what would be done: inputs, options, steps, outputs; and do nothing')
    .option('-q, --quiet', 'print errors only, and reports that go into no file')
    .option('--json', 'write JSON lines to stdout: progress, warnings, and one result, error or skipped per input')
    .addHelpText('after', unavailable === null ? exampleText(tool) : '')
    .action(async (files: string[]) => {
      const { runBatch } = await import('./batch.ts');
      context.finish(await runBatch(tool, files, command, context.signal));
    });
}

function exampleText(tool: AnyTool): string {
  const examples = tool.examples.map(({ description, command }) => `  # ${description}\n  earshot ${command}`);
  return examples.length === 0 ? '' : `\nExamples:\n${examples.join('\n')}`;
}
