// Cuts inputs to their first seconds, in the job process before the tool runs.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FilesByField, InputFile } from '../../contract/tool-inputs.ts';
import type { Trimmed } from '../../media/write/trim.ts';
import type { JobWindow } from '../channel/protocol.ts';

interface Work {
  readonly inputs: FilesByField<InputFile>;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Packets round lengths; a remainder below this counts as nothing. */
const durationToleranceSeconds = 0.01;

interface Piece extends Trimmed, InputFile {}

/** The inputs cut to the window. `cut`: was anything left out? */
export async function applyWindow(
  whole: Work,
  window: JobWindow,
  workDir: string,
  signal: AbortSignal,
): Promise<Work & { readonly cut: boolean }> {
  const { trim } = await import('../../media/write/trim.ts');
  const folder = join(workDir, '.window');
  await mkdir(folder);
  let count = 0;
  const trimInto = async ({ path, name }: InputFile, seconds: number): Promise<Piece> => {
    count += 1;
    return { name, ...(await trim(path, join(folder, String(count)), seconds, { signal })) };
  };
  const inputs: Record<string, readonly InputFile[]> = {};
  let cut = false;
  for (const [field, files] of Object.entries(whole.inputs)) {
    const seconds = window.secondsByField[field];
    if (seconds === undefined) {
      inputs[field] = files;
      continue;
    }
    const pieces: Piece[] = [];
    if (window.joined?.field === field)
      pieces.push(...(await trimRow(files, window.seconds, window.joined.overlapSeconds, trimInto)));
    else for (const file of files) pieces.push(await trimInto(file, seconds));
    inputs[field] = pieces;
    cut ||= pieces.length < files.length || pieces.some((piece) => piece.cut);
  }
  return { inputs, options: cut ? (window.optionsWhenCut ?? whole.options) : whole.options, cut };
}

/**
 * Files in a row, each overlapping the one before, with a total of `seconds`. Overlaps are limited as in join_audio.
 */
async function trimRow(
  files: readonly InputFile[],
  seconds: number,
  overlapSeconds: number,
  trimInto: (file: InputFile, seconds: number) => Promise<Piece>,
): Promise<Piece[]> {
  const pieces: Piece[] = [];
  let total = 0;
  for (const [index, file] of files.entries()) {
    if (total >= seconds - durationToleranceSeconds) break;
    const before = pieces.at(-1);
    const room = before === undefined ? 0 : before.seconds / (index === 1 ? 1 : 2);
    const overlap = Math.min(overlapSeconds, room);
    const piece = await trimInto(file, seconds - total + overlap);
    pieces.push(piece);
    const isLast = piece.cut || index === files.length - 1;
    total += piece.seconds - Math.min(overlap, piece.seconds / (isLast || index === 0 ? 1 : 2));
  }
  return pieces;
}
