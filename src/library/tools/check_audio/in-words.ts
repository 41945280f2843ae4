// A check as people read it.
import { withUnit } from '../../core/readable.ts';
import type { Check } from './result.ts';

/** "-16.2 LUFS", "mp3", "none". */
export const measuredInWords = ({ value, unit }: Check): string =>
  typeof value === 'number' ? withUnit(value, unit, 2).trim() : value === null ? 'none' : [value].flat().join(', ');

/** "-17 to -15 LUFS", "at most -1 dBTP", "mp3 or m4a", "with title, artist". */
export function wantedInWords({ min, max, oneOf, has, unit }: Check): string {
  const number = (value: number): string => withUnit(value, unit, 2).trim();
  const range =
    min !== null && max !== null
      ? `${Number(min.toFixed(2))} to ${number(max)}`
      : min !== null
        ? `at least ${number(min)}`
        : max === null
          ? ''
          : `at most ${number(max)}`;
  return [range, oneOf?.join(' or ') ?? '', has === null ? '' : `with ${has.join(', ')}`]
    .filter((part) => part !== '')
    .join(', ');
}
