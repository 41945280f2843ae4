import type { SpokenLanguage } from './spoken-language.ts';

/** Danish. */
export const da: SpokenLanguage = {
  fillers: null,
  stops: {
    before: 'f.eks bl.a dvs ca dr prof hr fr',
    beforeNumber: 'nr kap',
    either: 'osv etc m.m kl',
    ordinals: true,
  },
  spokenForms: {},
  currencies: null,
  commonWords: 'og at det er en på til for ikke jeg med af har men som vi den de der kan',
};
