// --timeline: what a run did, as files of editing programs.
import { basename, dirname, extname, join, resolve } from 'node:path';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { closestName } from '../../library/core/checks/names.ts';
import type { ToolRun } from '../../library/runtime/engine/engine-types.ts';
import { type TimelineFormat, timelineFormatNames } from '../../library/timeline/form/timeline.ts';
import type { AnyTool } from '../../library/tools/declare/define.ts';
import type { Display } from '../terminal/display.ts';
import { refuseInput } from './destination.ts';
import type { CommonFlags, Piece } from './pieces.ts';
import { writePage } from './reports.ts';
import { isPipe, standardStream } from './standard-streams.ts';

const isFormat = (name: string): name is TimelineFormat => timelineFormatNames.some((known) => known === name);

/** The formats in --timeline. @throws EarshotError bad_request, before any run */
export function timelineFormatsOf(pieces: readonly Piece[], { timeline, output }: CommonFlags): TimelineFormat[] {
  if (timeline === undefined) return [];
  if (output === standardStream || pieces.some(({ files }) => Object.values(files).flat().some(isPipe)))
    throw new EarshotError(
      'bad_request',
      'Expected files for --timeline, because editing programs open the recording itself, but received a pipe',
      { nextAction: 'Name a file.' },
    );
  return timeline.split(',').map((typed) => {
    const name = typed.trim().toLowerCase();
    if (isFormat(name)) return name;
    const closest = closestName(name, timelineFormatNames);
    throw new EarshotError(
      'bad_request',
      `Expected formats of ${timelineFormatNames.join(', ')} for --timeline but received ${name}`,
      closest === undefined ? {} : { nextAction: `Did you mean ${closest}?` },
    );
  });
}

/**
 * The ranges of --ranges-from, as the flags that say the same.
 * @throws EarshotError bad_request beside ranges, for several recordings or a pipe; as `readTimelineRanges`
 */
export async function rangesOfTimeline(
  files: readonly string[],
  typed: Readonly<Record<string, unknown>>,
  { rangesFrom, rangesRate }: CommonFlags,
  display: Display,
): Promise<Readonly<Record<string, unknown>>> {
  if (rangesFrom === undefined) return {};
  const [recording] = files;
  if (recording === undefined || files.length > 1 || isPipe(recording) || recording === standardStream)
    throw new EarshotError('bad_request', 'Expected one recording, as a file, with --ranges-from', {
      nextAction: 'Name the recording that the timeline was made of.',
    });
  const beside = ['ranges', 'mode'].find((name) => typed[name] !== undefined);
  if (beside !== undefined)
    throw new EarshotError('bad_request', `Expected either --ranges-from or --${beside} but received both`);
  const frameRate = rangesRate === undefined ? undefined : Number(rangesRate);
  if (frameRate !== undefined && !(frameRate >= 1 && frameRate <= 120))
    throw new EarshotError('bad_request', `Expected 1 to 120 for --ranges-rate but received ${rangesRate}`);
  const { timelineRanges } = await import('../../library/runtime/recipes/timeline-ranges.ts');
  const { ranges, ignored } = timelineRanges(rangesFrom, recording, { frameRate });
  if (ignored.length > 0)
    display.note(`earshot: ${recording}: note: of ${basename(rangesFrom)} these are not done: ${ignored.join(', ')}`);
  return { ranges: JSON.stringify(ranges), mode: 'keep' };
}

/** Beside the outputs, with their name; without outputs beside the recording. */
function placeOf(tool: AnyTool, { destination, subject, files }: Piece): { folder: string; stem: string } {
  const [output] = destination.expected;
  if (output !== undefined) return { folder: dirname(output), stem: basename(output, extname(output)) };
  const [first = subject] = Object.values(files).flat();
  return { folder: dirname(resolve(first)), stem: `${basename(first, extname(first))}.${tool.slug}` };
}

/** Writes a run's timelines. @returns lines about them @throws EarshotError bad_request where one cannot be written */
export async function writeTimelines(
  tool: AnyTool,
  piece: Piece,
  run: ToolRun<string>,
  formats: readonly TimelineFormat[],
  { overwrite = false }: CommonFlags,
  display: Display,
): Promise<string[]> {
  if (tool.placed !== undefined && tool.passed?.(run.result) === false) {
    display.note(`earshot: ${piece.subject}: note: no timeline is written, since nothing has a place in it`);
    return [];
  }
  const { runTimeline } = await import('../../library/runtime/recipes/timeline-of-run.ts');
  const inputs = Object.keys(tool.inputs).flatMap((field) => piece.files[field] ?? []);
  const { folder, stem } = placeOf(tool, piece);
  const paths: string[] = [];
  for (const format of formats) {
    const { text, extension, leftOut } = runTimeline({ ...run }, inputs, format);
    const path = join(folder, `${stem}.${extension}`);
    refuseInput(path, { allInputs: inputs });
    await writePage(path, text, overwrite);
    if (leftOut.length > 0)
      display.note(`earshot: ${piece.subject}: note: the timeline ${basename(path)} is without ${leftOut.join(', ')}`);
    paths.push(path);
  }
  return paths;
}
