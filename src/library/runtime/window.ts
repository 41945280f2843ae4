// Cuts inputs to their first seconds, in the job process before the tool runs.
import { mkdir } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { FilesByField } from '../contract/tool-inputs.ts';
import type { Trimmed } from '../media/write/trim.ts';
import { fittingPath } from './output-names.ts';
import type { JobWindow } from './protocol.ts';

interface Work {
  readonly inputs: FilesByField<string>;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Packets round lengths; a remainder below this counts as nothing. */
const durationToleranceSeconds = 0.01;

/** A file's stem, short enough for another container's extension. */
const windowStem = (path: string): string =>
  basename(fittingPath(`${basename(path, extname(path))}.matroska`), '.matroska');

/** The inputs cut to the window, under their own file names. `cut`: was anything left out? */
export async function applyWindow(
  whole: Work,
  window: JobWindow,
  workDir: string,
  signal: AbortSignal,
): Promise<Work & { readonly cut: boolean }> {
  const { trim } = await import('../media/write/trim.ts');
  let count = 0;
  const trimInto = async (path: string, seconds: number): Promise<Trimmed> => {
    count += 1;
    const folder = join(workDir, '.window', String(count));
    await mkdir(folder, { recursive: true });
    return trim(path, join(folder, windowStem(path)), seconds, { signal });
  };
  const inputs: Record<string, readonly string[]> = {};
  let cut = false;
  for (const [field, paths] of Object.entries(whole.inputs)) {
    const seconds = window.secondsByField[field];
    if (seconds === undefined) {
      inputs[field] = paths;
      continue;
    }
    const pieces: Trimmed[] = [];
    if (window.joined?.field === field)
      pieces.push(...(await trimRow(paths, window.seconds, window.joined.overlapSeconds, trimInto)));
    else for (const path of paths) pieces.push(await trimInto(path, seconds));
    inputs[field] = pieces.map(({ path }) => path);
    cut ||= pieces.length < paths.length || pieces.some((piece) => piece.cut);
  }
  return { inputs, options: cut ? (window.optionsWhenCut ?? whole.options) : whole.options, cut };
}

/**
 * Files in a row, each overlapping the one before, with a total of `seconds`. Overlaps are limited as in join_audio.
 */
async function trimRow(
  paths: readonly string[],
  seconds: number,
  overlapSeconds: number,
  trimInto: (path: string, seconds: number) => Promise<Trimmed>,
): Promise<Trimmed[]> {
  const pieces: Trimmed[] = [];
  let total = 0;
  for (const [index, path] of paths.entries()) {
    if (total >= seconds - durationToleranceSeconds) break;
    const before = pieces.at(-1);
    const room = before === undefined ? 0 : before.seconds / (index === 1 ? 1 : 2);
    const overlap = Math.min(overlapSeconds, room);
    const piece = await trimInto(path, seconds - total + overlap);
    pieces.push(piece);
    const isLast = piece.cut || index === paths.length - 1;
    total += piece.seconds - Math.min(overlap, piece.seconds / (isLast || index === 0 ? 1 : 2));
  }
  return pieces;
}
