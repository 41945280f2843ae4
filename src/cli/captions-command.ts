import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { EarshotError } from '../library/core/errors/errors.ts';
import { pathError } from '../library/core/errors/file-errors.ts';
import { badValue } from '../library/core/checks/schema.ts';
import { shortPath } from '../library/core/files/short-path.ts';
import { parseTranscript } from '../library/contract/parse-transcript.ts';
import type { Transcript } from '../library/contract/transcript.ts';
import { captionProfiles } from '../library/contract/text-files.ts';
import type { CaptionProfile } from '../library/speech/transcript/write/limits.ts';
import {
  type TranscriptFormat,
  transcriptFormats,
  writeTranscript,
} from '../library/speech/transcript/write/formats.ts';
import type { CommandContext } from './terminal/command-context.ts';
import { goingOn } from './terminal/values.ts';
import type { Display } from './terminal/display.ts';
import { exitCodes, type ExitCode } from './terminal/exit.ts';
import { reporting } from './terminal/failed.ts';
import { refuseExisting, refuseInput } from './tool/destination.ts';

interface CaptionsFlags {
  readonly transcript?: string;
  readonly formats?: string;
  readonly profile?: CaptionProfile;
  readonly karaoke?: boolean;
  readonly names?: string;
  readonly burn?: boolean;
  readonly font?: string;
  readonly model?: string;
  readonly output?: string;
  readonly overwrite?: boolean;
  readonly json?: boolean;
}

const examples = `
Examples:
  # Subtitles for browsers in which each word has its time
  earshot captions film.json --formats vtt --karaoke
  # For a broadcaster and for people who write: film.ttml, film.docx
  earshot captions film.json --formats ttml,docx --names 1=Anna,2=Ben
  # Draw them into the picture, a few words at a time
  earshot captions film.mp4 --burn --profile shorts -o short.mp4`;

/** `earshot captions`: a transcript in other forms, and in the picture of a video. */
export function defineCaptions(command: Command, context: CommandContext): void {
  command
    .description(
      'Writes a transcript as captions and documents, or draws it into the picture of a video. Takes a transcript as ' +
        'JSON, or a recording, which is transcribed first unless --transcript names its transcript.',
    )
    .argument('<file>', 'a transcript as JSON, or a recording')
    .option('--transcript <file>', 'transcript of the recording, as JSON')
    .option(
      '--formats <list>',
      `which files to write, some of ${transcriptFormats.join(', ')} (default: srt,vtt)`,
      goingOn,
    )
    .addOption(
      new Option('--profile <name>', 'whom they are for: lengths of lines, speed, and looks')
        .choices(captionProfiles)
        .default('standard'),
    )
    .option('--karaoke', 'the time of each word in VTT and ASS, and with --burn')
    .option('--names <list>', 'names of the speakers: 1=Anna,2=Ben')
    .option('--burn', 'draw the captions into the picture of the video; all of it is encoded again')
    .option('--font <name>', 'font of ASS and --burn (default: Arial, or what the machine has instead)')
    .option('--model <name>', 'recogniser that listens, as in earshot transcribe')
    .option(
      '-o, --output <path>',
      'a file, whose extension is the format unless --formats says it, or a folder (default: beside the input, ' +
        '<name>.<format>, with --burn <name>.captions.<extension>)',
    )
    .option('-y, --overwrite', 'replace existing files')
    .option('--json', 'write JSON lines to stdout: progress, warnings, and the result or the error')
    .addHelpText('after', examples)
    .action(async (file: string, flags: CaptionsFlags) =>
      context.finish(await runCaptions(file, flags, context.signal)),
    );
}

async function runCaptions(file: string, flags: CaptionsFlags, signal: AbortSignal): Promise<ExitCode> {
  return reporting({ json: flags.json ?? false, subject: file }, async (display) => {
    const names = readNames(flags.names);
    const targets = flags.burn ? [burnTarget(file, flags)] : targetsOf(file, flags);
    for (const { path } of targets) {
      refuseInput(path, { allInputs: [file, ...(flags.transcript === undefined ? [] : [flags.transcript])] });
      refuseExisting(path, flags.overwrite ?? false);
    }
    const transcript = await transcriptOf(file, flags, signal, display);
    const { profile = 'standard', karaoke = false } = flags;
    const recording = basename(file, extname(file));
    const options = { profile, karaoke, names, recording, ...(flags.font === undefined ? {} : { font: flags.font }) };
    if (flags.burn) {
      const { burnCaptions } = await import('../library/runtime/recipes/burn-captions.ts');
      const { warnings } = await burnCaptions(file, targets[0]?.path ?? '', transcript, {
        ...options,
        signal,
        onProgress: (progress) =>
          display.progress(file, { stage: 'drawing captions', progress, estimatedSecondsLeft: null }),
      });
      for (const warning of warnings) display.warning(file, warning);
    } else
      for (const { path, format } of targets)
        await writeFile(path, writeTranscript(transcript, format, options)).catch((thrown: unknown) => {
          throw pathError(thrown, path, 'output');
        });
    display.close();
    const paths = targets.map(({ path }) => path);
    display.result(
      file,
      { outputs: paths },
      `${shortPath(file)} -> ${paths.map((path) => shortPath(path)).join(', ')}`,
    );
    return exitCodes.ok;
  });
}

const isTranscript = (file: string): boolean => extname(file).toLowerCase() === '.json';
const isFolder = (path: string): boolean => path.endsWith('/') || (existsSync(path) && statSync(path).isDirectory());

/** "1=Anna,2=Ben" by number. */
function readNames(list: string | undefined): Record<number, string> {
  const names: Record<number, string> = {};
  for (const part of list?.split(',') ?? []) {
    const [, number, name = ''] = /^\s*(\d{1,4})\s*=(.*)$/.exec(part) ?? [];
    if (number === undefined || name.trim() === '') throw badValue('names', 'list such as 1=Anna,2=Ben', list);
    names[Number(number)] = name.trim();
  }
  return names;
}

interface Target {
  readonly path: string;
  readonly format: TranscriptFormat;
}

function targetsOf(file: string, { formats, output }: CaptionsFlags): Target[] {
  const stem = basename(file, extname(file));
  const into = output !== undefined && isFolder(output) ? resolve(output) : null;
  const named = output !== undefined && into === null ? extname(output).slice(1).toLowerCase() : undefined;
  const list =
    formats?.split(',').map((each) => each.trim().toLowerCase()) ?? (named === undefined ? ['srt', 'vtt'] : [named]);
  const chosen = list.map((each): TranscriptFormat => {
    const format = transcriptFormats.find((known) => known === each);
    if (format === undefined) throw badValue('formats', `some of ${transcriptFormats.join(', ')}`, each);
    return format;
  });
  if (named !== undefined && (chosen.length > 1 || chosen[0] !== named))
    throw new EarshotError(
      'bad_request',
      `Expected a folder, or a name ending in .${chosen[0]}, for -o but received ${output}`,
      {
        nextAction: 'Leave out one of --formats and -o, or name a folder.',
      },
    );
  return chosen.map((format) => ({
    format,
    path: named === undefined ? join(into ?? dirname(resolve(file)), `${stem}.${format}`) : resolve(output ?? ''),
  }));
}

function burnTarget(file: string, { output, formats }: CaptionsFlags): Target {
  if (formats !== undefined || isTranscript(file))
    throw new EarshotError(
      'bad_request',
      formats === undefined
        ? `Expected a video with --burn but received ${file}`
        : 'Expected either --burn or --formats but received both',
      { nextAction: 'Name the video, and its transcript with --transcript if there is one.' },
    );
  const name = `${basename(file, extname(file))}.captions${extname(file)}`;
  if (output === undefined) return { path: join(dirname(resolve(file)), name), format: 'ass' };
  return { path: isFolder(output) ? join(resolve(output), name) : resolve(output), format: 'ass' };
}

async function transcriptOf(
  file: string,
  flags: CaptionsFlags,
  signal: AbortSignal,
  display: Display,
): Promise<Transcript> {
  const given = flags.transcript ?? (isTranscript(file) ? file : undefined);
  if (given !== undefined)
    return parseTranscript(
      await readFile(given, 'utf8').catch((thrown: unknown) => {
        throw pathError(thrown, given, 'input');
      }),
    );
  if (flags.model !== undefined) process.env['EARSHOT_RECOGNISER'] = flags.model;
  const { createEngine } = await import('../library/runtime/engine/engine.ts');
  const folder = await mkdtemp(join(tmpdir(), 'earshot-captions-'));
  try {
    await using engine = createEngine({ concurrency: 1, runsPerProcess: 1 });
    const run = await engine.run(
      'transcribe_audio',
      file,
      {},
      {
        outputDir: folder,
        formats: ['json'],
        signal,
        onProgress: (progress) => display.progress(file, progress),
        onWarning: (warning) => display.warning(file, warning),
      },
    );
    return parseTranscript(await readFile(run.outputs[0]?.path ?? '', 'utf8'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
