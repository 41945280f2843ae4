// The files that are typed, looked at before any work: what is missing, and what is the name of an output.
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { closestName } from '../../library/core/checks/names.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { fitsExtension, isKnownExtension } from '../../library/runtime/files/output-names.ts';
import type { AnyTool } from '../../library/tools/declare/define.ts';
import { formatOption, positionalInputs, takesOneFile } from './flags.ts';
import { standardStream } from './standard-streams.ts';
import { line } from './as-typed.ts';

const endingOf = (name: string): string => extname(name).slice(1).toLowerCase();

/** A pattern is expanded later, and says itself that nothing matches. */
const isMissing = (file: string): boolean => file !== standardStream && !existsSync(file) && !/[*?[\]{}]/.test(file);

/** What lies in the same folder and is called nearly so. */
function meantFile(file: string): string | undefined {
  const folder = dirname(file);
  try {
    const found = closestName(basename(file), readdirSync(folder));
    return found === undefined ? undefined : join(folder, found);
  } catch {
    return undefined;
  }
}

/** Of another kind than each of the files, and of one that we know. */
const isOfAnotherKind = (name: string, files: readonly string[]): boolean =>
  isKnownExtension(endingOf(name)) && files.every((file) => !fitsExtension(endingOf(name), endingOf(file)));

/**
 * `convert talk.wav talk.mp3` once more: as two inputs it would end well and leave talk.mp3 as it was.
 * @throws EarshotError bad_request
 */
function refuseEither(tool: AnyTool, [file, last, ...others]: readonly string[]): void {
  const [, format] = formatOption(tool) ?? [];
  if (file === undefined || last === undefined || others.length > 0 || !takesOneFile(tool)) return;
  if (format === undefined || format.default === 'same' || !isOfAnotherKind(last, [file])) return;
  const kind = endingOf(last);
  // A film is a recording here, whose sound is written.
  if (!(format.enum ?? []).includes(kind)) return;
  throw new EarshotError('bad_request', `${last} is there, and may be a second recording or the output`, {
    nextAction:
      `To replace it: ${line(tool.slug, file, '-o', last, '-y')}. ` +
      `To convert both: ${line(tool.slug, file, last, '--format', kind)}.`,
    details: { field: 'files', received: last },
  });
}

/**
 * The files, and the output where the last name is one: `convert talk.wav talk.mp3`. A single missing file is left to
 * the run.
 * @param hasFormat is the format of the output typed?
 * @throws EarshotError bad_request, with the right command, before any work
 */
export function filesAsMeant(
  tool: AnyTool,
  typed: readonly string[],
  output: string | undefined,
  hasFormat: boolean,
): { readonly files: readonly string[]; readonly output: string | undefined } {
  const missing = typed.filter(isMissing);
  const last = typed.at(-1);
  if (missing.length === 0 && output === undefined && !hasFormat) refuseEither(tool, typed);
  if (last === undefined || missing.length === 0 || typed.length === 1) return { files: typed, output };
  const before = typed.slice(0, -1);
  const least = positionalInputs(tool).reduce((sum, [, { min }]) => sum + min, 0);
  const isOutput =
    output === undefined &&
    missing.length === 1 &&
    isMissing(last) &&
    before.length >= least &&
    (!takesOneFile(tool) || before.length === 1);
  if (isOutput && isOfAnotherKind(last, before)) return { files: before, output: last };
  const there = typed.filter((file) => !isMissing(file));
  const meant = missing.map(meantFile).find((file) => file !== undefined && !typed.includes(file));
  const advice = [
    ...(meant === undefined ? [] : [`Did you mean ${meant}?`]),
    ...(isOutput ? [`To write it: ${line(tool.slug, ...before, '-o', last)}.`] : []),
    ...(there.length >= Math.max(1, least) ? [`Without it: ${line(tool.slug, ...there)}.`] : []),
  ];
  throw new EarshotError('bad_request', `There is no file ${missing.join(', ')}; nothing was done`, {
    nextAction: advice.length === 0 ? 'Check the names.' : advice.join(' '),
    details: { field: 'files', expected: 'files that are there', received: missing[0] },
  });
}
