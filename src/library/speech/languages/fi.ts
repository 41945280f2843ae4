import type { SpokenLanguage } from './spoken-language.ts';

/** Finnish. */
export const fi: SpokenLanguage = {
  fillers: null,
  stops: { before: 'esim ts eli n dr prof', beforeNumber: 'nro', either: 'jne ym klo', ordinals: true },
  spokenForms: {},
  currencies: null,
  commonWords: 'ja on ei se että hän minä mutta niin kun oli ovat tämä mitä kuin sitä myös olen nyt vain',
};
