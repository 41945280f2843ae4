import type { SpokenLanguage } from './spoken-language.ts';

/** Russian. */
export const ru: SpokenLanguage = {
  fillers: null,
  stops: { before: 'ул им проф акад т.е т.к см св', beforeNumber: 'стр рис гл', either: 'г гг т.д т.п др руб тыс млн' },
  spokenForms: {},
  currencies: null,
  commonWords: null,
};
