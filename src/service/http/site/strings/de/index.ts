import type { Strings } from '../en/index.ts';
import { account, credits, files, jobs, keys, me, operator, receipts, signIn } from './account.ts';
import { front, groups } from './front.ts';
import { frame, problem, units } from './frame.ts';

/** German. */
export const de: Strings = {
  account,
  credits,
  files,
  frame,
  front,
  groups,
  jobs,
  keys,
  me,
  operator,
  problem,
  receipts,
  signIn,
  units,
};
