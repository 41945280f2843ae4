import type { Strings } from '../en/index.ts';
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

/** German. */
export const de: Strings = {
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
