// All texts of the website, in one folder a language. English is the reference: a language that lacks a text does not
// compile. `{name}` in a text is filled in; what is counted has a form for each plural.
import { help, kept, legal, prices } from './about.ts';
import { account, credits, jobs, keys, me, operator, receipts, signIn } from './account.ts';
import { bench } from './bench.ts';
import { docs } from './docs.ts';
import { editor } from './editor.ts';
import { errors } from './errors.ts';
import { files } from './files.ts';
import { front, groups } from './front.ts';
import { frame, problem, units } from './frame.ts';
import { pay } from './pay.ts';
import { consent, programs } from './programs.ts';
import { recipes } from './recipes.ts';
import { inputs, options, toolTexts } from './tools.ts';
import { shared } from './shared.ts';
import { warnings } from './warnings.ts';
import { webhooks } from './webhooks.ts';

export const en = {
  account,
  bench,
  consent,
  credits,
  docs,
  editor,
  errors,
  files,
  frame,
  front,
  groups,
  help,
  inputs,
  jobs,
  kept,
  keys,
  legal,
  me,
  operator,
  options,
  pay,
  prices,
  problem,
  programs,
  receipts,
  recipes,
  shared,
  signIn,
  toolTexts,
  units,
  warnings,
  webhooks,
};

/** The texts of a language. */
export type Strings = typeof en;
