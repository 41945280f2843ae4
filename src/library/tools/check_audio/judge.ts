// Holds what was measured against rules.
import type { MediaFacts } from '../../media/facts.ts';
import { type Measured, measureOf, type Wanted } from './measures.ts';
import type { Rule } from './rules.ts';
import type { Check, Mend } from './result.ts';

const mostPlaces = 50;
/** What convert_audio writes. */
const writable = ['mp3', 'wav', 'm4a', 'flac', 'ogg', 'opus'];

/** Values are shown with two digits: what is shown is what is judged. */
const asShown = (value: number): number => (Number.isFinite(value) ? Number(value.toFixed(3)) : value);

export function judge({ measure, min, max, one_of, has }: Rule, measured: Measured): Check {
  const { title, unit, of, mend, where } = measureOf(measure);
  const found = of(measured);
  const value = typeof found === 'number' ? asShown(found) : found;
  const inLimits = (number: number): boolean =>
    (min === undefined || number >= min) && (max === undefined || number <= max);
  const names = Array.isArray(value) ? (value as readonly string[]).map((name) => name.toLowerCase()) : null;
  const passes =
    value !== null &&
    ((min === undefined && max === undefined) || (typeof value === 'number' && inLimits(value))) &&
    (one_of === undefined || one_of.includes(String(value))) &&
    (has === undefined || (names !== null && has.every((name) => names.includes(name.toLowerCase()))));
  const wanted: Wanted = { min: min ?? null, max: max ?? null, oneOf: one_of ?? null };
  return {
    measure,
    title,
    unit,
    // JSON has no infinity: the noise floor of digital silence is none.
    value: typeof value === 'number' && !Number.isFinite(value) ? null : value,
    ...wanted,
    has: has ?? null,
    passes,
    mend: passes ? null : (mend?.(wanted) ?? null),
    places: passes ? [] : (where?.(measured, (number) => !inLimits(number)) ?? []).slice(0, mostPlaces),
  };
}

/**
 * One conversion for all that a conversion mends: to the format that the rules want, else the recording's own, and with
 * the bit rate that they want.
 */
export function joinConversions(checks: readonly Check[], rules: readonly Rule[], facts: MediaFacts): Check[] {
  const wanted = checks.find(({ mend }) => mend?.options['format'] !== undefined)?.mend?.options['format'];
  const bitRate = rules.find(({ measure, min }) => measure === 'bitRateBps' && min !== undefined)?.min;
  const own = writable.includes(facts.format) ? { format: facts.format } : {};
  const format = wanted === undefined ? own : { format: wanted };
  const isLossy = !['wav', 'flac'].includes(format.format as string);
  const options: Mend['options'] = Object.assign(
    {},
    ...checks.map(({ mend }) => (mend?.tool === 'convert_audio' ? mend.options : {})),
    format,
    bitRate === undefined || !isLossy ? {} : { bitrate_kbps: Math.ceil(bitRate / 1000) },
  );
  return checks.map((check) =>
    check.mend?.tool === 'convert_audio' ? { ...check, mend: { tool: 'convert_audio', options } } : check,
  );
}
