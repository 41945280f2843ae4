import { mkdir, writeFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { dirname, resolve } from 'node:path';
import { Argument, Option, type Command } from 'commander';
import { AbortError, isAbortError } from '../core/abort.ts';
import { pathError } from '../core/file-errors.ts';
import { badValue } from '../core/schema.ts';
import type { Unavailability } from '../contract/unavailable.ts';
import { createUntypedEngine, type ToolRun, type UntypedEngine } from '../runtime/engine.ts';
import { inputName } from '../tools/declare/inputs.ts';
import type { AnyTool } from '../tools/declare/define.ts';
import { isFolder, isWrittenInto, planDestinations, type CliDestination } from './destination.ts';
import { createDisplay, formatSeconds, type Display } from './terminal/display.ts';
import { exitCodeOf, exitCodes, type ExitCode } from './terminal/exit.ts';
import type { CommandContext } from './terminal/command-context.ts';
import {
  addToolFlags,
  choosesFormat,
  destinationFlag,
  formatByName,
  positionalInputs,
  takesOneFile,
  typedInputs,
  typedOptions,
} from './flags.ts';
import { describeRun } from './terminal/report.ts';
import { describePart } from './terminal/speech-report.ts';

interface CommonFlags {
  readonly output?: string;
  readonly outputPath?: string;
  readonly overwrite?: boolean;
  readonly json?: boolean;
  readonly jobs?: string;
  readonly formats?: string;
  readonly live?: boolean;
}

/** One run of a batch. */
interface Piece {
  /** What it is called in messages. */
  readonly subject: string;
  readonly inputs: Readonly<Record<string, string | readonly string[]>>;
  readonly destination: CliDestination;
}

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
    .alias(tool.id)
    .summary(tool.title)
    .description(unavailable === null ? tool.description : `${unavailable.message}. ${unavailable.nextAction}`)
    .addArgument(
      new Argument(
        '<files...>',
        single ? 'one or more files; the tool runs once for each' : `${names.join(', ')}, in this order`,
      ),
    );
  addToolFlags(command, tool);
  const list = tool.formats?.join(',');
  if (list !== undefined)
    command.option('--formats <list>', `which files to write (default: the one that -o ends in, or all: ${list})`);
  if (tool.live !== undefined) command.option('--live', `print ${tool.live}`);
  command
    .option(
      `-o, ${destinationFlag(tool)} <path>`,
      single
        ? `file${choosesFormat(tool) ? ', whose extension is the format unless a flag chooses it' : ''}, or folder for ` +
            `several inputs (default: beside the input, <name>.${tool.slug}.<extension>)`
        : 'file or folder',
    )
    .option('-y, --overwrite', 'replace files that exist already')
    .addOption(new Option('-j, --jobs <number>', 'files at the same time (default: 1)'))
    .option('--json', 'write JSON lines to stdout: progress, warnings, and one result or error per input')
    .addHelpText('after', unavailable === null ? exampleText(tool) : '')
    .action(async (files: string[]) => {
      context.finish(await runBatch(tool, files, command, context.signal));
    });
}

function exampleText(tool: AnyTool): string {
  const examples = tool.examples.map(({ description, command }) => `  # ${description}\n  earshot ${command}`);
  return examples.length === 0 ? '' : `\nExamples:\n${examples.join('\n')}`;
}

async function runBatch(
  tool: AnyTool,
  files: readonly string[],
  command: Command,
  signal: AbortSignal,
): Promise<ExitCode> {
  const flags = command.opts<CommonFlags>();
  const display = createDisplay({ json: flags.json ?? false });
  const startedAt = performance.now();
  try {
    const typed = typedOptions(command, tool);
    const output = outputOf(tool, flags);
    const named =
      output === undefined || isFolder(output, takesOneFile(tool) ? files.length : 1)
        ? {}
        : formatByName(tool, typed, files[0], output);
    const options = tool.parseOptions({ ...typed, ...named }, 'text');
    const pieces = planPieces(tool, files, typedInputs(command, tool), options, flags);
    const jobs = readJobs(flags.jobs);
    await using engine = createUntypedEngine({
      concurrency: jobs,
      maxJobMemoryBytes: jobMemoryBytes(jobs),
      ...(pieces.length > jobs ? {} : { runsPerProcess: 1 }),
    });
    const outcomes = await Promise.all(
      pieces.map((piece) => runPiece(engine, tool, piece, options, { signal, live: flags.live ?? false }, display)),
    );
    if (signal.aborted) throw new AbortError('Interrupted');
    const failed = outcomes.filter((code) => code !== exitCodes.ok);
    if (pieces.length === 1) return outcomes[0] ?? exitCodes.ok;
    display.close();
    display.note(
      `${pieces.length - failed.length} done, ${failed.length} failed in ` +
        formatSeconds((performance.now() - startedAt) / 1000),
    );
    return failed.length === 0 ? exitCodes.ok : exitCodes.failed;
  } catch (thrown) {
    display.close();
    if (isAbortError(thrown)) display.note('earshot: interrupted; partial files were removed');
    else display.error(undefined, thrown);
    return exitCodeOf(thrown);
  } finally {
    display.close();
  }
}

const outputOf = (tool: AnyTool, flags: CommonFlags): string | undefined =>
  destinationFlag(tool) === '--output' ? flags.output : flags.outputPath;

function planPieces(
  tool: AnyTool,
  files: readonly string[],
  flagged: Piece['inputs'],
  options: Readonly<Record<string, unknown>>,
  flags: CommonFlags,
): Piece[] {
  const flaggedFiles = Object.values(flagged).flat();
  const allInputs = [...files, ...flaggedFiles];
  const common = {
    tool,
    allInputs,
    options,
    formats: flags.formats === undefined ? undefined : flags.formats.split(',').map((format) => format.trim()),
    output: outputOf(tool, flags),
    overwrite: flags.overwrite ?? false,
  };
  if (takesOneFile(tool)) {
    const [field = ''] = positionalInputs(tool)[0] ?? [];
    const destinations = planDestinations({ ...common, inputs: files });
    return files.map((file, index) => ({
      subject: file,
      inputs: { ...flagged, [field]: file },
      destination: destinations[index] as CliDestination,
    }));
  }
  const [destination] = planDestinations({ ...common, inputs: files.slice(0, 1) });
  return [
    {
      subject: files[0] ?? tool.slug,
      inputs: { ...flagged, ...inOrder(tool, files) },
      destination: destination as CliDestination,
    },
  ];
}

/** Plain arguments fill the positional inputs in order, each up to its maximum. */
function inOrder(tool: AnyTool, files: readonly string[]): Record<string, readonly string[]> {
  const byField: Record<string, readonly string[]> = {};
  let rest = files;
  const positional = positionalInputs(tool);
  for (const [index, [field, role]] of positional.entries()) {
    // The last one takes all that is left, so that one file too many is reported and not dropped.
    const count = index === positional.length - 1 ? rest.length : role.max;
    byField[field] = rest.slice(0, count);
    rest = rest.slice(count);
  }
  return byField;
}

/** Who runs a command has the machine: half of its memory, where that is more than an engine gives its runs. */
const jobMemoryBytes = (jobs: number): number => Math.max(2 * 1024 ** 3, totalmem() / 2 / jobs);

function readJobs(text: string | undefined): number {
  if (text === undefined) return 1;
  if (!/^[1-9]\d{0,2}$/.test(text)) throw badValue('jobs', 'integer between 1 and 999', text);
  return Number(text);
}

async function runPiece(
  engine: UntypedEngine,
  tool: AnyTool,
  piece: Piece,
  options: Readonly<Record<string, unknown>>,
  { signal, live }: { readonly signal: AbortSignal; readonly live: boolean },
  display: Display,
): Promise<ExitCode> {
  const { subject, inputs, destination } = piece;
  try {
    const run = await engine.run(tool.id, inputs, options, {
      ...destination.control,
      signal,
      onProgress: (progress) => display.progress(subject, progress),
      onWarning: (warning) => display.warning(subject, warning),
      ...(live ? { onPartial: (part) => display.part(subject, part, describePart(part)) } : {}),
    });
    const resultPath = run.outputs.length === 0 ? destination.resultPath : null;
    if (resultPath !== null) await writeResult(resultPath, run, destination.control.overwrite ?? false);
    display.result(subject, run, resultPath === null ? describeRun(subject, run) : `${subject} -> ${resultPath}`);
    return exitCodes.ok;
  } catch (thrown) {
    if (!isAbortError(thrown)) display.error(subject, thrown);
    return exitCodeOf(thrown);
  }
}

async function writeResult(path: string, run: ToolRun<string>, overwrite: boolean): Promise<void> {
  await mkdir(dirname(resolve(path)), { recursive: true });
  const flag = overwrite || isWrittenInto(path) ? 'w' : 'wx';
  await writeFile(path, `${JSON.stringify(run.result, null, 2)}\n`, { flag }).catch((thrown: unknown) => {
    throw pathError(thrown, path, 'output');
  });
}
