// All texts of the website, in one folder a language. English says what there is: a language that lacks a text does not
// compile. `{name}` in a text is filled in; what is counted has a form for each plural.
import { account, credits, files, jobs, keys, me, operator, receipts, signIn } from './account.ts';
import { front, groups } from './front.ts';
import { frame, problem, units } from './frame.ts';

export const en = {
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

/** The texts of a language. */
export type Strings = typeof en;
