import { badValue } from './schema.ts';

/** What a number that comes as text must be. */
export interface NumberRule {
  readonly kind: 'integer' | 'number';
  /** Absent: no limit. */
  readonly minimum?: number;
  readonly maximum?: number;
}

/**
 * Reads a number of the environment or of a flag.
 * @param place its name in messages. Default: `name`
 * @throws EarshotError bad_request naming it, what was expected and what came
 */
export function readNumber(name: string, text: string, rule: NumberRule, place = name): number {
  const { kind, minimum = -Infinity, maximum = Infinity } = rule;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  const fits = kind === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (fits && value >= minimum && value <= maximum) return value;
  const range = maximum === Infinity ? `of at least ${minimum}` : `between ${minimum} and ${maximum}`;
  throw badValue(name, `${kind} ${range}`, text, place);
}
