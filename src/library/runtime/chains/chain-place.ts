// Where the results of a chain go, decided before its work.
import { basename, dirname, extname, join, resolve } from 'node:path';
import { isTaken, ofStep } from '../../contract/chain-calls.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { prepareDestination, refusePlace } from '../files/work-folder.ts';
import type { PlannedChain } from './chain.ts';
import type { ChainOptions } from './chain-run.ts';
import { isSoundFormat, requireSound } from './forms.ts';

/** Where results go. */
export interface Place {
  readonly folder: string;
  /** Of the names of all results. */
  readonly stem: string;
  /** Of the sound; null: as the first file. */
  readonly format: string | null;
  /** Of text, where `output` names one. */
  readonly textFormat: string | null;
}

/** @throws EarshotError bad_request, conflict */
export async function placeOf(
  { name, steps }: PlannedChain,
  files: readonly string[],
  first: string,
  { output, outputDir, baseName, format: asked, overwrite = false }: ChainOptions,
): Promise<Place> {
  const own = output === undefined ? '' : extname(output).slice(1).toLowerCase();
  const makesSound = steps.some(({ tool, isResult }) => isResult && tool.writesText !== true);
  const isVideosOwn = !isSoundFormat(own) && own === extname(first).slice(1).toLowerCase();
  const format = asked ?? (own !== '' && makesSound && !isVideosOwn ? own : null);
  if (format !== null && !isSoundFormat(format))
    throw new EarshotError(
      'bad_request',
      `Expected wav, mp3, m4a, flac, ogg, opus or a video's own extension but received ${format}`,
      { details: { field: asked === undefined ? 'output' : 'format', expected: 'a sound format', received: format } },
    );
  requireSound(steps, format);
  const destination = await prepareDestination(
    output === undefined ? { outputDir: resolve(outputDir ?? dirname(first)) } : { output: resolve(output), overwrite },
    files,
    [],
  );
  const folder = destination?.outputDir ?? resolve(dirname(first));
  const usual = baseName ?? `${basename(first, extname(first))}.${name}`;
  const stem = output === undefined ? usual : basename(output, extname(output));
  const textFormat = output !== undefined && !makesSound && own !== '' ? own : null;
  for (const step of steps) {
    const { tool, isResult, formats, soundFormat } = step;
    if (!isResult || isTaken(steps, step.name)) continue;
    if (format !== null && soundFormat !== null && soundFormat !== format)
      throw ofStep(
        step.name,
        new EarshotError(
          'bad_request',
          `Expected ${format} as its format, as the result is to have, but it says ${soundFormat}`,
          {
            nextAction: 'Leave the format out of the step, or give the result the extension of it.',
          },
        ),
      );
    const extension = format ?? soundFormat ?? extname(first).slice(1).toLowerCase();
    const extensions = tool.writesText === true ? (formats ?? tool.formats ?? []) : [extension];
    for (const each of extensions) await refusePlace(join(folder, `${stem}.${each}`), files, overwrite);
  }
  return { folder, stem, format, textFormat };
}
