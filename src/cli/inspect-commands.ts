import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { pathError } from '../library/core/errors/file-errors.ts';
import { shortPath } from '../library/core/files/short-path.ts';
import type { Warning } from '../library/core/progress/progress.ts';
import type { MediaFacts } from '../library/media/facts.ts';
import type { CopyingOptions } from '../library/media/write/copy-changed.ts';
import { podcastChapters } from '../library/media/chapters/podcast.ts';
import { tools } from '../library/tools/registry.ts';
import { asFileError, placeOfCopy, refusePlace, withInput, writeTo } from './plain-files.ts';
import { nameOf, standardStream } from './tool/standard-streams.ts';
import { terminalWords } from './terminal/wording.ts';
import { createDisplay } from './terminal/display.ts';
import { exitCodeOf, exitCodes, type ExitCode } from './terminal/exit.ts';
import { probeReport } from './terminal/report.ts';
import type { CommandContext } from './terminal/command-context.ts';

/** `earshot probe`: what files contain. */
export function defineProbe(command: Command, context: CommandContext): void {
  command
    .argument('<files...>', 'one or more files; - is standard input')
    .option('--json', 'write one JSON line per file')
    .action(async (files: string[], flags: { json?: boolean }) =>
      context.finish(await runProbe(files, flags, context.signal)),
    );
}

/** `earshot chapters`: shows them, or sets them. */
export function defineChapters(command: Command, context: CommandContext): void {
  command
    .argument('<file>', 'a file; - is standard input')
    .option(
      '--set <file>',
      'copy the recording with these chapters: lines of a time and a title ("12:30 Questions"), labels of Audacity, ' +
        'or JSON of the podcast namespace. Nothing is encoded again',
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
}

/** `earshot tools`: the tools of this build. */
export function defineTools(command: Command): void {
  command.option('--json', 'write JSON').action(async (flags: { json?: boolean }) => {
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
            `${slug.padEnd(width)}  ${title}${available ? '' : ' (not available here)'}\n` +
            `${' '.repeat(width + 2)}${terminalWords(description)}`,
        );
    process.stdout.write(`${lines.join('\n')}\n`);
  });
}

async function runProbe(files: readonly string[], flags: { json?: boolean }, signal: AbortSignal): Promise<ExitCode> {
  const display = createDisplay({ json: flags.json ?? false });
  const { probe } = await import('../library/media/read/probe.ts');
  const codes: ExitCode[] = [];
  for (const file of files) {
    if (signal.aborted) return exitCodes.interrupted;
    try {
      const [subject, facts] = await withInput(file, signal, (path, name): [string, MediaFacts] => {
        const found = probe(path);
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
      const onWarning = (warning: Warning): void => display.warning(file, warning);
      const target = await withChapters(file, { ...flags, set: flags.set }, { signal, onWarning });
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
  { set: list, ...place }: ChaptersFlags & { readonly set: string },
  options: CopyingOptions,
): Promise<{ path: string; count: number }> {
  const path = placeOfCopy(file, 'chapters', place);
  const [{ setChapters }, { readChapterMarks }] = await Promise.all([
    import('../library/media/write/set-chapters.ts'),
    import('../library/tools/chapter-marks.ts'),
  ]);
  const text = await readFile(list, 'utf8').catch((thrown: unknown) => {
    throw pathError(thrown, list, 'input');
  });
  const chapters = await setChapters(file, path, readChapterMarks(text, basename(list)), options);
  return { path, count: chapters.length };
}
