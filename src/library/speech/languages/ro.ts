import type { SpokenLanguage } from './spoken-language.ts';

/** Romanian. */
export const ro: SpokenLanguage = {
  fillers: null,
  stops: null,
  spokenForms: {},
  currencies: null,
  commonWords: 'și este nu în de la o că pe cu mai se să din un care pentru am dar ce',
};
