// Does the name behind -o promise what the run will write? Looked at before the work: afterwards it is a wrong file.
import { extname } from 'node:path';
import { EarshotError } from '../../library/core/errors.ts';
import { fitsExtension, isKnownExtension } from '../../library/runtime/output-names.ts';
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

/** Endings of a run that keeps the format of its input. */
function keptEndings(input: string): readonly string[] {
  const own = endingOf(input);
  // A video that nobody writes becomes Matroska, and what has no picture M4A.
  return own === '' ? [] : [own, 'mkv'];
}

/**
 * @param options parsed
 * @param formats those of --formats, where the tool has them
 * @param output a file that -o names
 * @throws EarshotError bad_request: the tool cannot write what the name promises, or a flag says otherwise. Endings that are
 *   no formats, and names without one, promise nothing
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
      throw refuse(dotted(formats), ` because of --formats ${formats.join(',')}`, output, 'Leave one of the two out.');
    return;
  }
  if (tool.id === 'analyze_audio') {
    if (ending !== 'json') throw refuse('.json', ', which is what a report is written as,', output, 'Rename it.');
    return;
  }
  const [name, schema] = formatOption(tool) ?? [];
  const chosen = name === undefined ? 'same' : String(options[name]);
  if (name !== undefined && chosen !== 'same') {
    if (fitsExtension(ending, chosen)) return;
    const writable = (schema?.enum ?? []).map(String).filter((format) => format !== 'same');
    if (writable.some((format) => fitsExtension(ending, format)))
      throw refuse(`.${chosen}`, ` because of ${optionFlag(name)} ${chosen}`, output, 'Leave one of the two out.');
    throw refuse(dotted(writable), `, which ${tool.slug} can write,`, output, 'Choose one of them.');
  }
  const kept = keptEndings(input ?? '');
  if (kept.length === 0 || kept.some((format) => fitsExtension(ending, format)) || ending === 'm4a') return;
  const writable = (schema?.enum ?? []).map(String).filter((format) => format !== 'same');
  throw refuse(
    dotted([...new Set([kept[0] ?? '', ...writable])]),
    `, which ${tool.slug} can write,`,
    output,
    writable.length > 0
      ? 'Choose one of them.'
      : `It keeps the input's format; earshot convert makes another one of it.`,
  );
}
