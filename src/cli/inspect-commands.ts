import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { Command } from 'commander';
import { isAbortError } from '../library/core/abort.ts';
import { EarshotError } from '../library/core/errors.ts';
import { pathError } from '../library/core/file-errors.ts';
import { badValue } from '../library/core/schema.ts';
import { shortPath } from '../library/core/short-path.ts';
import { podcastChapters } from '../library/media/chapters/podcast.ts';
import { tools } from '../library/tools/registry.ts';
import type { WaveformPeaks } from '../library/waveform/peaks.ts';
import { refuseExisting, refuseInput } from './tool/destination.ts';
import { checkStandardInput, standardInputName, standardStream } from './tool/standard-streams.ts';
import { terminalWords } from './terminal/wording.ts';
import { createDisplay } from './terminal/display.ts';
import { exitCodeOf, exitCodes, type ExitCode } from './terminal/exit.ts';
import { formatClock } from './terminal/clock.ts';
import { probeReport } from './terminal/report.ts';
import type { CommandContext } from './terminal/command-context.ts';

/** `earshot probe`, `earshot chapters`, `earshot peaks`, `earshot tools`: commands that only read. */
export function addInspectCommands(program: Command, context: CommandContext): void {
  program
    .command('probe')
    .helpGroup('Files and formats:')
    .description('Show what media files contain, without decoding them')
    .argument('<files...>', 'one or more files; - is standard input')
    .option('--json', 'write one JSON line per file')
    .action(async (files: string[], flags: { json?: boolean }) =>
      context.finish(await runProbe(files, flags, context.signal)),
    );

  program
    .command('chapters')
    .helpGroup('Files and formats:')
    .description('Write the chapters of a file as the JSON of the podcast namespace, or give a file chapters')
    .argument('<file>', 'a file; - is standard input')
    .option(
      '--set <file>',
      'copy the recording with these chapters: lines of a time and a title ("12:30 Questions"), labels of Audacity, or ' +
        'JSON of the podcast namespace. Nothing is encoded again',
    )
    .option(
      '-o, --output <path>',
      'write them to a file (default: -, standard output); with --set the copy (default: beside the input, ' +
        '<name>.chapters.<extension>)',
    )
    .option('-y, --overwrite', 'replace an existing file')
    .action(async (file: string, flags: ChaptersFlags) =>
      context.finish(await runChapters(file, flags, context.signal)),
    );

  program
    .command('peaks')
    .helpGroup('Files and formats:')
    .description('Compute the waveform of a file, at 500, 50 and 5 bins a second, and draw it')
    .argument('<file>', 'a file; - is standard input')
    .option('--png <path>', 'draw it as a picture (WebP when the name ends in .webp); - is standard output')
    .option('--width <pixels>', 'width of the picture, 16 to 16384 (default: 1600)')
    .option('--height <pixels>', 'height of the picture, 16 to 4096 (default: 320)')
    .option(
      '-o, --output <path>',
      'write the peaks as JSON; data is Base64 of signed byte pairs, minimum and maximum; - is standard output',
    )
    .option('--json', 'write the peaks as JSON to stdout, after lines of progress')
    .option('-y, --overwrite', 'replace existing files')
    .action(async (file: string, flags: PeaksFlags) => context.finish(await runPeaks(file, flags, context.signal)));

  program
    .command('tools')
    .helpGroup('Earshot itself:')
    .description('List the tools')
    .option('--json', 'write JSON')
    .action(async (flags: { json?: boolean }) => {
      const listed = await Promise.all(
        tools.map(async ({ id, slug, title, description, unavailable }) => ({
          id,
          slug,
          title,
          description,
          available: (await unavailable()) === null,
        })),
      );
      const width = Math.max(...listed.map(({ slug }) => slug.length));
      const lines = flags.json
        ? [JSON.stringify(listed)]
        : listed.map(
            ({ slug, title, description, available }) =>
              `${slug.padEnd(width)}  ` +
              `${title}${available ? '' : ' (not available here)'}\n${' '.repeat(width + 2)}${terminalWords(description)}`,
          );
      process.stdout.write(`${lines.join('\n')}\n`);
    });
}

/** A file's name in messages. */
const nameOf = (file: string): string => (file === standardStream ? standardInputName : file);

/** @throws EarshotError bad_request where the output is the input, conflict where it exists and may not be replaced */
function refusePlace(path: string, input: string, overwrite: boolean): void {
  if (input !== standardStream) refuseInput(path, { allInputs: [input] });
  refuseExisting(path, overwrite);
}

/** Writes to a file or to standard output. */
async function writeTo(path: string, content: Buffer | string): Promise<void> {
  if (path === standardStream) process.stdout.write(content);
  else await writeFile(path, content);
}

/** Calls `use` with a file's path and name; standard input is copied to a file first. */
async function withInput<T>(
  file: string,
  signal: AbortSignal,
  use: (path: string, name: string) => Promise<T>,
): Promise<T> {
  if (file !== standardStream) return use(file, file);
  checkStandardInput([file]);
  const { withFile } = await import('../library/runtime/spooled-inputs.ts');
  return withFile(process.stdin, (path) => use(path, standardInputName), signal);
}

async function runProbe(files: readonly string[], flags: { json?: boolean }, signal: AbortSignal): Promise<ExitCode> {
  const display = createDisplay({ json: flags.json ?? false });
  const { probe } = await import('../library/media/read/probe.ts');
  const codes: ExitCode[] = [];
  for (const file of files) {
    if (signal.aborted) return exitCodes.interrupted;
    try {
      const [subject, facts] = await withInput(file, signal, async (path, name) => {
        const found = await probe(path);
        return [name, path === file ? found : { ...found, path: name }];
      });
      display.result(subject, { result: facts }, probeReport(subject, facts));
    } catch (thrown) {
      display.error(nameOf(file), thrown);
      codes.push(exitCodeOf(thrown));
    }
  }
  return files.length === 1 ? (codes[0] ?? exitCodes.ok) : codes.length > 0 ? exitCodes.failed : exitCodes.ok;
}

interface ChaptersFlags {
  readonly set?: string;
  readonly output?: string;
  readonly overwrite?: boolean;
}

async function runChapters(file: string, flags: ChaptersFlags, signal: AbortSignal): Promise<ExitCode> {
  const { output = standardStream, overwrite = false } = flags;
  const display = createDisplay({ json: false });
  try {
    if (flags.set !== undefined) {
      const target = await withChapters(file, { ...flags, set: flags.set }, signal);
      display.result(file, {}, `${shortPath(file)} -> ${shortPath(target.path)}: ${target.count} chapters`);
      return exitCodes.ok;
    }
    if (output !== standardStream) refusePlace(output, file, overwrite);
    const { probe } = await import('../library/media/read/probe.ts');
    const { chapters } = await withInput(file, signal, (path) => probe(path));
    const found = podcastChapters(chapters);
    await writeTo(output, `${JSON.stringify(found, null, 2)}\n`);
    return exitCodes.ok;
  } catch (thrown) {
    const error = asFileError(thrown);
    display.error(nameOf(file), error);
    return exitCodeOf(error);
  } finally {
    display.close();
  }
}

/** Copies a recording with the chapters of a list. */
async function withChapters(
  file: string,
  { set: list, output, overwrite = false }: ChaptersFlags & { readonly set: string },
  signal: AbortSignal,
): Promise<{ path: string; count: number }> {
  const extension = extname(file);
  const path = output ?? join(dirname(file), `${basename(file, extension)}.chapters${extension}`);
  if (file === standardStream || path === standardStream || extname(path).toLowerCase() !== extension.toLowerCase())
    throw new EarshotError(
      'bad_request',
      `Expected a file ending in ${extension || 'its format'} for the copy but received ${path}`,
      {
        nextAction: 'Nothing is encoded again: give the copy the ending of the recording.',
      },
    );
  refusePlace(path, file, overwrite);
  const [{ setChapters }, { readChapterMarks }] = await Promise.all([
    import('../library/media/write/set-chapters.ts'),
    import('./chapter-marks.ts'),
  ]);
  const text = await readFile(list, 'utf8').catch((thrown: unknown) => {
    throw pathError(thrown, list, 'input');
  });
  const chapters = await setChapters(file, path, readChapterMarks(text, basename(list)), { signal });
  return { path, count: chapters.length };
}

interface PeaksFlags {
  readonly png?: string;
  readonly width?: string;
  readonly height?: string;
  readonly output?: string;
  readonly json?: boolean;
  readonly overwrite?: boolean;
}

async function runPeaks(file: string, flags: PeaksFlags, signal: AbortSignal): Promise<ExitCode> {
  const places = [flags.png, flags.output].filter((path) => path !== undefined);
  const isAside = places.includes(standardStream);
  const display = createDisplay({ json: flags.json ?? false, aside: isAside });
  const subject = nameOf(file);
  try {
    if (isAside && (flags.json || places.length > 1))
      throw new EarshotError('bad_request', 'Expected - alone, without --json or another file', {
        nextAction: 'Standard output takes one result: name a file for the other.',
      });
    const size = { ...pixels('width', flags.width), ...pixels('height', flags.height) };
    for (const path of places) if (path !== standardStream) refusePlace(path, file, flags.overwrite ?? false);
    const { peaks } = await import('../library/waveform/peaks.ts');
    const found = await withInput(file, signal, (path, name) =>
      peaks(path, { signal, onProgress: (progress) => display.progress(name, progress) }),
    );
    if (flags.png !== undefined) {
      const { renderWaveform } = await import('../library/waveform/render.ts');
      await writeTo(
        flags.png,
        await renderWaveform(found, { ...size, format: flags.png.toLowerCase().endsWith('.webp') ? 'webp' : 'png' }),
      );
    }
    const json = peaksJson(found);
    if (flags.output !== undefined) await writeTo(flags.output, `${JSON.stringify(json)}\n`);
    display.close();
    const written = places.map((path) => (path === standardStream ? 'standard output' : path));
    const summary =
      `${subject}${written.length === 0 ? ':' : ` -> ${written.join(', ')}:`} ` +
      `${formatClock(found.durationSeconds)}, loudest sample ${found.peak.toFixed(3)}, ` +
      found.levels.map(({ count, perSecond }) => `${count} bins at ${perSecond}/s`).join(', ');
    display.result(subject, { result: json }, summary);
    return exitCodes.ok;
  } catch (thrown) {
    display.close();
    const error = asFileError(thrown);
    if (isAbortError(error)) display.note('earshot: interrupted');
    else display.error(subject, error);
    return exitCodeOf(error);
  } finally {
    display.close();
  }
}

function pixels(name: 'width' | 'height', text: string | undefined): { width?: number; height?: number } {
  if (text === undefined) return {};
  if (!/^\d+$/.test(text)) throw badValue(name, 'whole number of pixels', text);
  return { [name]: Number(text) };
}

function peaksJson({ durationSeconds, peak, levels }: WaveformPeaks): object {
  const encoded = levels.map(({ perSecond, count, data }) => ({
    perSecond,
    count,
    data: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64'),
  }));
  return { durationSeconds, peak, levels: encoded };
}

/** A picture or JSON file that cannot be written is an error of the caller. */
function asFileError(thrown: unknown): unknown {
  const { code, path } = thrown as NodeJS.ErrnoException;
  if (thrown instanceof EarshotError || code === undefined || path === undefined) return thrown;
  const { message } = pathError(thrown, path, 'output') as EarshotError;
  return new EarshotError('bad_request', `Cannot write ${path}: ${message}`, {
    nextAction: 'Choose an existing, writable folder.',
    cause: thrown,
  });
}
