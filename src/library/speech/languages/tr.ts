import type { SpokenLanguage } from './spoken-language.ts';

/** Turkish. */
export const tr: SpokenLanguage = {
  fillers: null,
  stops: { before: 'dr prof doç av sn bkz', beforeNumber: 'no s', either: 'vb vs', ordinals: true },
  spokenForms: {},
  currencies: null,
  commonWords: 've bir bu da de için ne ben çok ama var daha gibi o mi kadar sonra değil şey olan',
};
