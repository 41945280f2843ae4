// All texts of the website, in one folder a language. English is the reference: a language that lacks a text does not
// compile. `{name}` in a text is filled in; what is counted has a form for each plural.
import type { Plural } from '../../../../../library/core/plural.ts';
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

/** English has two plurals; others have up to six. */
type InAnyLanguage<Texts> = {
  [Name in keyof Texts]: Texts[Name] extends { readonly one: string; readonly other: string }
    ? Plural
    : Texts[Name] extends Readonly<Record<string, unknown>>
      ? InAnyLanguage<Texts[Name]>
      : Texts[Name];
};

/** The texts of a language. */
export type Strings = InAnyLanguage<typeof en>;
