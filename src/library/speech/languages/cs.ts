import type { SpokenLanguage } from './spoken-language.ts';

/** Czech. */
export const cs: SpokenLanguage = {
  fillers: null,
  stops: { before: 'dr prof ing mgr např tzv tj sv p', beforeNumber: 'č str', either: 'atd apod tis', ordinals: true },
  spokenForms: {},
  currencies: null,
  commonWords: 'a je se v na to že jsem s z do jak ale tak co by jsou pro není když',
};
