import type { SpokenLanguage } from './spoken-language.ts';

/** Norwegian. */
export const no: SpokenLanguage = {
  fillers: null,
  stops: { before: 'f.eks bl.a dvs ca dr prof', beforeNumber: 'nr kap', either: 'osv etc m.m kl', ordinals: true },
  spokenForms: {},
  currencies: null,
  commonWords: 'og å det er en på til for ikke jeg med av har men som vi den at de kan',
};
