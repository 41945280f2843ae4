// A plan that comes back: the result of a run that only looked, perhaps edited.
import { readFileSync } from 'node:fs';
import { patternKinds, type Sought, wordMatches } from '../../contract/sought.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { Place, PlaceKind } from '../../speech/redact/places.ts';

/** A place of a plan. */
export interface PlannedPlace extends Place {
  readonly keep: boolean;
}

export interface RedactionPlan {
  readonly places: readonly PlannedPlace[];
  readonly sought: Sought;
}

const mostPlaces = 20_000;
const kinds: readonly string[] = ['word', 'speaker', 'range', ...patternKinds];

const bad = (why: string): EarshotError =>
  new EarshotError('wrong_file_type', `Expected the result of a run with find_only as plan but ${why}`, {
    nextAction: 'Run with find_only, keep its JSON, and change only places, their times and "keep".',
    details: { field: 'plan_file_id' },
  });

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @throws EarshotError wrong_file_type, with what was expected */
export function readPlan(path: string): RedactionPlan {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch {
    throw bad('it is not JSON');
  }
  // As the command line and the service wrap it.
  const plan = isObject(value) && isObject(value['result']) ? value['result'] : value;
  if (!isObject(plan) || !Array.isArray(plan['places'])) throw bad('it has no places');
  if (plan['places'].length > mostPlaces) throw bad(`it has more than ${mostPlaces} places`);
  return { places: plan['places'].map(placeOf), sought: soughtOf(plan['sought']) };
}

function placeOf(value: unknown, index: number): PlannedPlace {
  if (!isObject(value)) throw bad(`places[${index}] is no object`);
  const { startSeconds, endSeconds, kind = 'range', text = '', keep = false } = value;
  const isTime = (time: unknown): time is number => typeof time === 'number' && time >= 0 && time <= 1e9;
  if (!isTime(startSeconds) || !isTime(endSeconds) || endSeconds <= startSeconds)
    throw bad(`places[${index}] has no startSeconds before its endSeconds`);
  if (typeof kind !== 'string' || !kinds.includes(kind))
    throw bad(`places[${index}].kind is none of ${kinds.join(', ')}`);
  if (typeof keep !== 'boolean') throw bad(`places[${index}].keep is neither true nor false`);
  return {
    startSeconds,
    endSeconds,
    kind: kind as PlaceKind,
    text: typeof text === 'string' ? text : '',
    checked: typeof value['checked'] === 'boolean' ? value['checked'] : null,
    keep,
  };
}

function soughtOf(value: unknown): Sought {
  const { words = [], match = 'words', patterns = [] } = isObject(value) ? value : {};
  const isList = (list: unknown): list is string[] =>
    Array.isArray(list) && list.length <= 1000 && list.every((one) => typeof one === 'string' && one.length <= 1000);
  const known = wordMatches.find((one) => one === match);
  if (!isList(words) || !isList(patterns) || known === undefined) throw bad('its "sought" was changed');
  return { words, match: known, patterns: patternKinds.filter((kind) => patterns.includes(kind)) };
}
