// "0:10-end": the length of the recording, in ranges that were typed.
import { EarshotError } from '../../library/core/errors/errors.ts';
import { isPipe } from './standard-streams.ts';
import { untilEnd } from './typed-values.ts';

const isOpen = (value: unknown): value is readonly (readonly number[])[] =>
  Array.isArray(value) && value.some((range) => Array.isArray(range) && range[1] === untilEnd);

/**
 * The typed options with the recording's length, counted, where a range goes to its end.
 * @throws EarshotError bad_request for several recordings, whose lengths differ, or a pipe
 */
export async function withEnds(
  typed: Readonly<Record<string, unknown>>,
  files: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const [name, ranges] = Object.entries(typed).find(([, value]) => isOpen(value)) ?? [];
  if (name === undefined || !isOpen(ranges)) return typed;
  const [file] = files;
  if (file === undefined || files.length > 1 || isPipe(file))
    throw new EarshotError('bad_request', `Expected one recording, as a file, with a range to its end`, {
      nextAction: 'Write where it ends: 0:10-0:20.',
      details: { field: name },
    });
  const { lengthOf } = await import('../../library/media/read/length.ts');
  const seconds = await lengthOf(file);
  return { ...typed, [name]: ranges.map(([start, end]) => [start, end === untilEnd ? seconds : end]) };
}
