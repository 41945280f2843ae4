// --report: a page for each run.
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { pathError } from '../../library/core/errors/file-errors.ts';
import type { ToolRun } from '../../library/runtime/engine/engine-types.ts';
import { nameKey } from '../../library/runtime/files/output-names.ts';
import type { AnyTool } from '../../library/tools/declare/define.ts';
import type { Display } from '../terminal/display.ts';
import { runFacts } from '../terminal/report.ts';
import { isFolder, refuseExisting, refuseInput } from './destination.ts';
import type { CommonFlags, Piece } from './pieces.ts';
import { isPipe } from './standard-streams.ts';

const filesOf = ({ files }: Piece): string[] => Object.values(files).flat();

/**
 * The path of each piece's report.
 * @throws EarshotError bad_request, conflict: before any run
 */
export function planReports(tool: AnyTool, pieces: readonly Piece[], flags: CommonFlags): ReadonlyMap<Piece, string> {
  const { report, overwrite = false } = flags;
  if (report === undefined) return new Map();
  if (pieces.some((piece) => filesOf(piece).some(isPipe)))
    throw new EarshotError(
      'bad_request',
      'Expected files for --report, because it reads the input again, but received a pipe',
      {
        nextAction: 'Name a file.',
      },
    );
  const inFolder = isFolder(report, pieces.length, '--report');
  const taken = new Set<string>();
  const planned = new Map<Piece, string>();
  for (const piece of pieces) {
    const stem = basename(piece.subject, extname(piece.subject));
    const named = (copy: number): string =>
      inFolder
        ? join(resolve(report), `${stem}.${tool.slug}.report${copy === 1 ? '' : `-${copy}`}.html`)
        : resolve(report);
    let path = named(1);
    for (let copy = 2; taken.has(nameKey(path)); copy += 1) path = named(copy);
    taken.add(nameKey(path));
    refusePage(path, {
      inputs: pieces.flatMap(filesOf),
      outputs: pieces.flatMap(({ destination }) => destination.expected),
    });
    if (!piece.destination.isThere) refuseExisting(path, overwrite);
    planned.set(piece, path);
  }
  return planned;
}

interface Reporting {
  readonly options: Readonly<Record<string, unknown>>;
  readonly flags: CommonFlags;
  readonly signal: AbortSignal;
  readonly display: Display;
}

/** Makes the report of a run. @throws EarshotError bad_request where it cannot be written */
export async function writeReport(
  path: string,
  piece: Piece,
  run: ToolRun<string>,
  { options, flags, signal, display }: Reporting,
): Promise<void> {
  const { reportRun } = await import('../../library/runtime/recipes/report/report.ts');
  const summary = runFacts(run.tool, run.result);
  const content = await reportRun(run, filesOf(piece), {
    options,
    signal,
    onProgress: (progress) => display.progress(piece.subject, progress),
    ...(summary === '' ? {} : { summary: `${summary[0]?.toUpperCase()}${summary.slice(1)}` }),
  });
  await writePage(path, content, flags.overwrite ?? false);
}

/** @throws EarshotError bad_request where it cannot be written */
export async function writePage(path: string, content: string, overwrite: boolean): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content, { flag: overwrite ? 'w' : 'wx' }).catch((thrown: unknown) => {
    throw pathError(thrown, path, 'output');
  });
}

/** @throws EarshotError bad_request where a page would take the place of an input or of an output */
export function refusePage(
  path: string,
  { inputs, outputs }: { readonly inputs: readonly string[]; readonly outputs: readonly string[] },
): void {
  if (outputs.some((output) => nameKey(resolve(output)) === nameKey(path)))
    throw new EarshotError(
      'bad_request',
      `Expected another file for --report than for the output but received ${path}`,
      {
        nextAction: 'Give the report a name of its own, such as report.html.',
      },
    );
  refuseInput(path, { allInputs: inputs });
}
