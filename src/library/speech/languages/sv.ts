import type { SpokenLanguage } from './spoken-language.ts';

/** Swedish. */
export const sv: SpokenLanguage = {
  fillers: null,
  stops: { before: 't.ex bl.a dvs s.k ca dr prof', beforeNumber: 'nr kap', either: 'osv etc m.m kl' },
  spokenForms: {},
  currencies: null,
  commonWords: 'och att det som är en på för inte jag med av har men om så vi ett kan de',
};
