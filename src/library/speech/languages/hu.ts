import type { SpokenLanguage } from './spoken-language.ts';

/** Hungarian. */
export const hu: SpokenLanguage = {
  fillers: null,
  stops: { before: 'dr prof pl ún ill kb', beforeNumber: 'sz', either: 'stb', ordinals: true },
  spokenForms: {},
  currencies: null,
  commonWords: 'a az és hogy nem is egy ez van meg de csak volt már mint ki ha el kell mert',
};
