import type { Problem } from '../account/requests.ts';
import { helpIn, saidIn } from '../account/said.ts';
import { data } from './items.ts';

export const said = (problem: Pick<Problem, 'code' | 'message'>): string => saidIn(data.errors, problem);
export const help = (problem: Problem): string | undefined => helpIn(data.errors, problem);
