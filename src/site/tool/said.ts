import type { Problem } from '../account/requests.ts';
import { helpIn, saidIn } from '../account/said.ts';
import type { RunRecord } from '../bench-data.ts';
import { data } from './items.ts';

export const said = (problem: Pick<Problem, 'code' | 'message' | 'details'>): string => saidIn(data.errors, problem);
export const help = (problem: Problem): string | undefined => helpIn(data.errors, problem);

/** What to know of a run. Several places or tracks of it may have the same. */
export const saidOf = ({ warnings }: RunRecord): readonly string[] => [
  ...new Set(warnings.map((warning) => saidIn(data.warnings, warning))),
];
