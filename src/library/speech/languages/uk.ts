import type { SpokenLanguage } from './spoken-language.ts';

/** Ukrainian. */
export const uk: SpokenLanguage = {
  fillers: null,
  stops: { before: 'вул ім проф акад див св', beforeNumber: 'стор рис', either: 'р рр т.д т.п ін грн тис млн' },
  spokenForms: {},
  currencies: null,
  commonWords: null,
};
