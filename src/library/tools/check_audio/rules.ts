// What a rule is.
import { badValue } from '../../core/checks/schema.ts';
import type { MeasureName } from './options.ts';

/** One rule: a measure and what it has to be. At least one of the four is given. */
export interface Rule {
  readonly measure: MeasureName;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** The value is one of these; numbers as text. */
  readonly one_of?: readonly string[] | undefined;
  /** The list has all of these. */
  readonly has?: readonly string[] | undefined;
}

/** @throws EarshotError bad_request */
export function checkRule(rule: Rule): void {
  const { measure, min, max, one_of, has } = rule;
  const bad = (expected: string): never => {
    throw badValue('rules', expected, rule);
  };
  if (min === undefined && max === undefined && one_of === undefined && has === undefined)
    bad(`min, max, one_of or has for ${measure}`);
  if (min !== undefined && max !== undefined && min > max) bad(`min up to max for ${measure}`);
  const isNamed = measure === 'format' || measure === 'codec';
  if (isNamed && (min !== undefined || max !== undefined || has !== undefined)) bad(`one_of for ${measure}`);
  if (
    measure === 'tags'
      ? has === undefined || min !== undefined || max !== undefined || one_of !== undefined
      : has !== undefined
  )
    bad(measure === 'tags' ? 'has for tags' : `min, max or one_of for ${measure}`);
}
