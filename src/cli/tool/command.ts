import { Argument, Option, type Command } from 'commander';
import type { Unavailability } from '../../library/contract/unavailable.ts';
import type { ToolId } from '../../library/contract/tool-ids.ts';
import type { AnyTool } from '../../library/tools/declare/define.ts';
import { inputName } from '../../library/tools/declare/inputs.ts';
import type { CommandContext } from '../terminal/command-context.ts';
import { terminalWords } from '../terminal/wording.ts';
import { addToolFlags, choosesFormat, needsPlainFiles, positionalInputs, takesOneFile } from './flags.ts';

/** What people of other programs type for it. */
const commandAliases: Partial<Record<ToolId, readonly string[]>> = {
  adjust_loudness: ['normalize'],
  analyze_audio: ['info'],
  cut_audio: ['trim'],
  enhance_voice: ['enhance'],
  join_audio: ['merge', 'concat'],
  remove_noise: ['denoise'],
  replace_audio: ['replace-audio'],
  transcribe_audio: ['subtitles'],
};

const [clean, edit, speech, files] = ['Clean and level:', 'Cut and combine:', 'Words:', 'Files and formats:'];
/** Where a tool stands in the help; the others stand with the files. */
const groups: Partial<Record<ToolId, string>> = {
  remove_noise: clean,
  enhance_voice: clean,
  adjust_loudness: clean,
  level_speakers: clean,
  cut_audio: edit,
  remove_silence: edit,
  remove_fillers: edit,
  join_audio: edit,
  mix_tracks: edit,
  replace_audio: edit,
  transcribe_audio: speech,
  align_script: speech,
};

/** Tools that a recogniser listens for. */
const listens: ReadonlySet<ToolId> = new Set(['transcribe_audio', 'align_script', 'remove_fillers']);

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
    .aliases([...(commandAliases[tool.id] ?? [])])
    .helpGroup(groups[tool.id] ?? files)
    .summary(tool.summary)
    .description(
      terminalWords(unavailable === null ? tool.description : `${unavailable.message}. ${unavailable.nextAction}`),
    )
    .addArgument(
      new Argument(
        needsPlainFiles(tool) ? '<files...>' : '[files...]',
        single
          ? 'files, folders or "patterns*", the tool runs once for each file; - is standard input'
          : `${names.join(', ')}, in this order; - is standard input`,
      ),
    );
  addToolFlags(command, tool);
  const list = tool.formats?.join(',');
  if (list !== undefined)
    command.option('--formats <list>', `which files to write (default: the one that -o ends in, or all: ${list})`);
  if (listens.has(tool.id))
    command.option(
      '--model <name>',
      'recogniser that listens: whisper-base, or hf:<owner>/<name> of one that `earshot models add` brought (default: EARSHOT_RECOGNISER, else whisper-base)',
    );
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
    .option('--verbose', 'say on standard error what goes on: stages with their times, and where an error came from')
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
