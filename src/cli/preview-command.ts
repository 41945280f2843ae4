import { formatClock, withUnit } from '../library/core/readable.ts';
import { Command, Option } from 'commander';
import { EarshotError } from '../library/core/errors/errors.ts';
import { badValue } from '../library/core/checks/schema.ts';
import { shortPath } from '../library/core/files/short-path.ts';
import type { Preview, PreviewedVersion, PreviewOptions } from '../library/runtime/recipes/preview.ts';
import type { AnyTool } from '../library/tools/declare/define.ts';
import { requireTool } from '../library/tools/registry.ts';
import type { CommandContext } from './terminal/command-context.ts';
import { createDisplay, type Display } from './terminal/display.ts';
import { exitCodes, type ExitCode } from './terminal/exit.ts';
import { reportFailure } from './terminal/failed.ts';
import { runFacts } from './terminal/report.ts';
import { addToolFlags, typedOptions } from './tool/flags.ts';
import { readTime } from '../library/tools/said-values.ts';

interface PreviewFlags {
  readonly tool: string;
  readonly from: string;
  readonly seconds: string;
  readonly context: string;
  readonly ab?: string | true;
  readonly output?: string;
  readonly overwrite?: boolean;
  readonly json?: boolean;
}

const examples = `
The options of the tool are those of its command: earshot remove-noise --help

Examples:
  # 20 s from 0:30 on, as they were and without their noise, equally loud
  earshot preview interview.wav --tool remove-noise --from 0:30 --seconds 20
  # With an option of the tool, and a third file that goes from one to the other every 4 s
  earshot preview interview.wav --tool remove-noise --noise-reduction 80 --from 0:30 --ab
  # What a low bit rate does to the music
  earshot preview song.flac --tool convert --format mp3 --bitrate-kbps 64 --from 1:00 -o check`;

/** `earshot preview`: a passage before and after a tool. */
export function definePreview(command: Command, context: CommandContext): void {
  command
    .usage("<file> --tool <name> [the tool's options] [options]")
    .description(
      'Writes a passage of a recording twice: as it was, and as a tool would make it, both equally loud, so that ' +
        'the ear compares the sound and not the level. The tool gets a minute before and after the passage, too, ' +
        'and short recordings whole; what may still come out differently in the whole recording is said.',
    )
    .argument('<file>', 'the recording; of a video the sound')
    .requiredOption(
      '--tool <name>',
      'convert, enhance-voice, level-speakers, loudness, remove-fillers, remove-noise or remove-silence',
    )
    .option('--from <time>', 'start of the passage, such as 90 or 1:30', '0')
    .option('--seconds <number>', 'length of the passage, 1 to 600', '20')
    .option('--context <seconds>', 'how much before and after the passage the tool gets, 0 to 3600', '60')
    .addOption(
      new Option(
        '--ab [seconds]',
        'also write a file that plays this many seconds as they were, the same as they become, and so on (4)',
      ),
    )
    .option(
      '-o, --output <path>',
      'beginning of the names, <path>.before.wav and <path>.after.wav; or a folder; FLAC with the extension .flac ' +
        '(default: beside the recording, <name>.<tool>)',
    )
    .option('-y, --overwrite', 'replace existing files')
    .option('--json', 'write JSON lines to stdout: progress, warnings, and the result or the error')
    .addHelpText('after', examples)
    // Those of the tool.
    .allowUnknownOption()
    .allowExcessArguments();
  command.action(async () => context.finish(await runPreview(command, context.signal)));
}

/** Reads what is left of the command line as that of the tool's command. */
function readRest(command: Command, tool: AnyTool): { file: string; options: Readonly<Record<string, unknown>> } {
  const rest = new Command('preview').argument('<file>').helpOption(false);
  rest.exitOverride().configureOutput(command.configureOutput());
  addToolFlags(rest, tool);
  rest.parse(command.args, { from: 'user' });
  return { file: rest.args[0] as string, options: tool.parseOptions(typedOptions(rest, tool), 'text') };
}

async function runPreview(command: Command, signal: AbortSignal): Promise<ExitCode> {
  const flags = command.opts<PreviewFlags>();
  const display = createDisplay({ json: flags.json ?? false });
  let subject: string | undefined;
  try {
    const tool = requireTool(flags.tool);
    const [{ createUntypedEngine }, { checkPreviewed, previewUntyped }] = await Promise.all([
      import('../library/runtime/engine/engine.ts'),
      import('../library/runtime/recipes/preview.ts'),
    ]);
    checkPreviewed(tool);
    const { file, options } = readRest(command, tool);
    subject = file;
    await using engine = createUntypedEngine({ concurrency: 1, runsPerProcess: 1 });
    const made = await previewUntyped(engine, tool, file, options, previewOptions(file, flags, signal, display));
    display.close();
    display.result(file, made, describe(file, tool, made));
    return exitCodes.ok;
  } catch (thrown) {
    if ((thrown as { readonly code?: unknown }).code?.toString().startsWith('commander.')) throw thrown;
    return reportFailure(display, subject, thrown);
  } finally {
    display.close();
  }
}

/** @throws EarshotError bad_request */
function previewOptions(file: string, flags: PreviewFlags, signal: AbortSignal, display: Display): PreviewOptions {
  const time = (name: string, text: string): number => {
    const read = readTime(text);
    if (read === null) throw badValue(name, 'time such as 90 or 1:30', text);
    return read;
  };
  if (file === '-')
    throw new EarshotError('bad_request', 'Expected a file but received -', {
      nextAction: 'A passage is read from several places: name a file.',
    });
  return {
    fromSeconds: time('from', flags.from),
    seconds: time('seconds', flags.seconds),
    contextSeconds: time('context', flags.context),
    overwrite: flags.overwrite ?? false,
    signal,
    onProgress: (progress) => display.progress(file, progress),
    onWarning: (warning) => display.warning(file, warning),
    ...(flags.ab === undefined ? {} : { alternateSeconds: flags.ab === true ? 4 : time('ab', flags.ab) }),
    ...(flags.output === undefined ? {} : { output: flags.output }),
  };
}

function describe(file: string, tool: AnyTool, made: Preview): string {
  const { before, after, matchedLufs, alternatingPath } = made;
  const facts = runFacts(made.tool, made.result);
  const line = (name: string, { path, integratedLufs, truePeakDbtp, matchDb }: PreviewedVersion): string =>
    `  ${name}  ${shortPath(path)}: ${withUnit(integratedLufs, 'LUFS')}, true peak ${withUnit(truePeakDbtp, 'dBTP')}` +
    (matchedLufs === null ? '' : `, turned by ${matchDb > 0 ? '+' : ''}${withUnit(matchDb, 'dB')} for comparing`);
  return [
    `${file}, ${formatClock(made.fromSeconds)} to ${formatClock(made.toSeconds)} by ` +
      `${tool.slug}${facts === '' ? '' : `: ${facts}`}`,
    line('before', before),
    line('after ', after),
    ...(alternatingPath === null ? [] : [`  in turn ${shortPath(alternatingPath)}`]),
    matchedLufs === null
      ? '  The levels are as they were: one of the two has no loudness'
      : `  Both files are at ${withUnit(matchedLufs, 'LUFS')}`,
    ...(made.warnings.length > 0 && made.processed[0] > 0
      ? [`  Times in the warnings count from ${formatClock(made.processed[0])}`]
      : []),
    ...made.mayDiffer.map((what) => `  May differ in the whole: ${what}`),
  ].join('\n');
}
