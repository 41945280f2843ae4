import { Argument, Option, type Command } from 'commander';
import type { Unavailability } from '../../library/contract/unavailable.ts';
import type { AnyTool } from '../../library/tools/declare/define.ts';
import { leavesTimeline, type Purpose } from '../../library/tools/declare/facts.ts';
import { timelineFormatNames } from '../../library/timeline/form/timeline.ts';
import { rawFormats } from '../../library/media/wave/header.ts';
import { inputName } from '../../library/tools/declare/inputs.ts';
import { writesFiles } from '../../library/runtime/files/output-names.ts';
import type { CommandContext } from '../terminal/command-context.ts';
import { goingOn } from '../terminal/values.ts';
import { terminalWords } from '../terminal/wording.ts';
import { sayTyped } from './habits.ts';
import { isLive } from './is-live.ts';
import { addToolFlags, choosesFormat, needsPlainFiles, positionalInputs, takesOneFile } from './flags.ts';

/** Groups of the help. */
const groups: Readonly<Record<Purpose, string>> = {
  clean: 'Clean and level:',
  words: 'Words:',
  measure: 'Files and formats:',
  cut: 'Cut and combine:',
  combine: 'Cut and combine:',
  convert: 'Files and formats:',
};

/** Adds the head of a tool's command: what the list of commands shows. */
export const addToolHead = (program: Command, tool: AnyTool, hidden: boolean): Command =>
  sayTyped(
    program
      .command(tool.slug, { hidden })
      .aliases([...(tool.aliases ?? [])])
      .helpGroup(groups[tool.shown.purpose])
      .summary(tool.summary),
    tool.typed ?? {},
  );

export const filesTerm = (tool: AnyTool): string => (needsPlainFiles(tool) ? '<files...>' : '[files...]');

/**
 * Defines the command of one tool by its declaration.
 * @param unavailable why it cannot run here: it reports this when run
 */
export function defineToolCommand(
  command: Command,
  tool: AnyTool,
  context: CommandContext,
  unavailable: Unavailability | null,
): void {
  const single = takesOneFile(tool);
  const names = positionalInputs(tool).map(([field]) => inputName(field));
  command
    .description(
      terminalWords(unavailable === null ? tool.description : `${unavailable.message}. ${unavailable.nextAction}`),
    )
    .addArgument(
      new Argument(
        filesTerm(tool),
        single
          ? 'files, folders or "patterns*", the tool runs once for each file; - is standard input'
          : `${names.join(', ')}, in this order; - is standard input`,
      ),
    );
  addOwnFlags(command, tool);
  // The help leads with what is the tool's.
  command.optionsGroup('Options of every tool:');
  addSharedFlags(command, tool);
  command.addHelpText('after', unavailable === null ? exampleText(tool) : '').action(async (files: string[]) => {
    if (isLive(tool, files, command.opts())) {
      const { runLive } = await import('./live.ts');
      return context.finish(await runLive(tool, command, context.signal));
    }
    const { runBatch } = await import('./batch.ts');
    context.finish(await runBatch(tool, files, command, context.signal));
  });
}

/** Flags of its options, and those that only tools of its kind have. */
function addOwnFlags(command: Command, tool: AnyTool): void {
  addToolFlags(command, tool);
  const list = tool.formats?.join(',');
  if (list !== undefined)
    command.option(
      '-f, --formats <list>',
      `which files to write (default: the one that -o ends in, or all: ${list})`,
      goingOn,
    );
  if (tool.work.models === 'speech')
    command.option(
      '--model <name>',
      'recogniser that listens: whisper-base, or hf:<owner>/<name> of one that `earshot models add` brought ' +
        '(default: EARSHOT_RECOGNISER, else whisper-base)',
    );
  if (tool.changesLevelOnly === true)
    command.option(
      '--album',
      'one gain for all files, which keep their levels among each other: their programme loudness reaches the target, ' +
        'and the highest peak bounds it',
    );
  if (tool.live !== undefined)
    command
      .option('--live', `print ${tool.live}`)
      .option('--no-early', 'with --live and a stream: speech without pauses in parts of 8 to 12 s, for half the CPU')
      .addOption(new Option('--early', 'as is usual').hideHelp());
  if (tool.options.properties?.['ranges'] !== undefined)
    command
      .option(
        '--ranges-from <timeline>',
        'keep what a timeline of an editing program keeps of the recording: OpenTimelineIO, FCPXML or an EDL',
      )
      .option('--ranges-rate <number>', "frames a second of that EDL (default: of the recording's pictures, else 30)")
      .option('--at <times>', 'split there, into files of their own: 0:05,12:30')
      .option('--every <time>', 'split into pieces of this length')
      .option('--at-chapters', "split into the file's chapters, with their titles in the names")
      .option('--at-silences', 'split in the middle of each silence of 2 s and more, or of --min-silence')
      .option('--min-silence <seconds>', 'shortest silence to split at (default: 2)')
      .option(
        '--at-labels <file>',
        'split at the times of a list, with the titles in the names: "12:30 Questions", or labels of Audacity',
      );
  if (leavesTimeline(tool))
    command.option(
      '--timeline <formats>',
      'also write what was done as a timeline of the recordings themselves, for editing programs: ' +
        `${timelineFormatNames.join(', ')}; several with commas`,
      goingOn,
    );
}

function addSharedFlags(command: Command, tool: AnyTool): void {
  const single = takesOneFile(tool);
  command
    .option(
      '-o, --output <path>',
      `file${choosesFormat(tool) ? ', whose extension is the format unless a flag chooses it' : ''}, ` +
        `folder${single ? ' for several inputs' : ''}, or - for standard output ` +
        (writesFiles(tool)
          ? `(default: beside the input, <name>.${tool.slug}.<extension>)`
          : '(JSON; default: the report is printed)'),
    )
    .option('-y, --overwrite', 'replace existing files')
    .option(
      '--track <number>',
      'which of several sound tracks is processed: its number from 1, or its language such as deu (default: the ' +
        "file's own)",
    )
    .option('--keep-tracks', "also copy a video's other sound tracks, where nothing is cut")
    .option(
      '--raw <format,rate,channels>',
      `inputs are samples without a file around them, such as s16le,16000,1: ${rawFormats.join(', ')}`,
    )
    .option('--skip-existing', 'keep existing files and skip the runs that would make them')
    .option('--preset <name>', 'named options from earshot.presets.json; typed options take precedence')
    .addOption(new Option('-j, --jobs <number>', 'files at the same time (default: 1)'))
    .option(
      '--report <path>',
      'also write a page (HTML) with pictures and measures before and after, the gain and the places touched; a ' +
        'folder for several inputs',
    )
    .option('--dry-run', 'show what would be done (inputs, options, steps, outputs) and do nothing')
    .option('-q, --quiet', 'print only errors, and reports that go into no file')
    .option('--verbose', 'report on standard error: stages with their times, and where an error came from')
    .option('--json', 'write JSON lines to stdout: progress, warnings, and one result, error or skipped per input');
}

function exampleText(tool: AnyTool): string {
  const examples = tool.examples.map(({ description, command }) => `  # ${description}\n  earshot ${command}`);
  return examples.length === 0 ? '' : `\nExamples:\n${examples.join('\n')}`;
}
