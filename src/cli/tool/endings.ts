// Does the extension of -o match what the run will write? Checked before the work.
import { extname } from 'node:path';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { answersOnly, fitsExtension, isKnownExtension } from '../../library/runtime/files/output-names.ts';
import type { AnyTool } from '../../library/tools/declare/define.ts';
import { optionFlag } from '../terminal/flag-names.ts';
import { formatOption } from './flags.ts';

const endingOf = (name: string): string => extname(name).slice(1).toLowerCase();
const dotted = (formats: readonly string[]): string => formats.map((format) => `.${format}`).join(', ');

function refuse(expected: string, why: string, output: string, nextAction: string): EarshotError {
  return new EarshotError(
    'bad_request',
    `Expected a name that ends in ${expected} for -o${why} but received ${output}`,
    {
      nextAction,
      details: { field: 'output', expected, received: output },
    },
  );
}

/** Extensions of a run that keeps its input's format. */
function keptEndings(input: string): readonly string[] {
  const own = endingOf(input);
  // A video format that cannot be written becomes Matroska; audio becomes M4A.
  return own === '' ? [] : [own, 'mkv'];
}

/**
 * @param options parsed
 * @param formats those of --formats, where the tool has them
 * @param output a file that -o names
 * @throws EarshotError bad_request when the tool cannot write the format of the extension, or a flag contradicts it.
 *   Unknown
 * and missing extensions are not checked.
 */
export function checkEnding(
  tool: AnyTool,
  options: Readonly<Record<string, unknown>>,
  formats: readonly string[] | undefined,
  input: string | undefined,
  output: string,
): void {
  const ending = endingOf(output);
  if (!isKnownExtension(ending)) return;
  if (tool.formats !== undefined) {
    if (formats !== undefined && !formats.includes(ending))
      throw refuse(dotted(formats), ` because of --formats ${formats.join(',')}`, output, 'Leave out one of the two.');
    return;
  }
  if (answersOnly(tool, options)) {
    if (ending !== 'json') throw refuse('.json', ', the format of a report,', output, 'Rename it.');
    return;
  }
  const [name, schema] = formatOption(tool) ?? [];
  const chosen = name === undefined ? 'same' : String(options[name]);
  if (name !== undefined && chosen !== 'same') {
    if (fitsExtension(ending, chosen)) return;
    const writable = (schema?.enum ?? []).map(String).filter((format) => format !== 'same');
    if (writable.some((format) => fitsExtension(ending, format)))
      throw refuse(`.${chosen}`, ` because of ${optionFlag(name)} ${chosen}`, output, 'Leave out one of the two.');
    throw refuse(dotted(writable), `, which ${tool.slug} can write,`, output, 'Choose one of them.');
  }
  const kept = keptEndings(input ?? '');
  if (kept.length === 0 || kept.some((format) => fitsExtension(ending, format)) || ending === 'm4a') return;
  const writable = (schema?.enum ?? []).map(String).filter((format) => format !== 'same');
  throw refuse(
    dotted([...new Set([kept[0] ?? '', ...writable])]),
    `, which ${tool.slug} can write,`,
    output,
    writable.length > 0 ? 'Choose one of them.' : `It keeps the input's format; use earshot convert to change it.`,
  );
}
