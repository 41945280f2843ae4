import type { SpokenLanguage } from './spoken-language.ts';

/** Italian. */
export const it: SpokenLanguage = {
  fillers: {
    always: 'e+h+m+|u+h*m+|m{2,}|h+m+|e{3,}|m+h+'.split('|'),
    setApart: 'e+h+|a+h+'.split('|'),
    doubled: (
      'molto sì no ciao bene piano così quasi ancora sempre mai bravo dai ecco subito poco presto adagio via su ' +
      'tanto certo va ah oh ahi ma uno due tre quattro cinque sei sette otto nove dieci zero cento man'
    ).split(' '),
    joining: 'e o a per di in'.split(' '),
    hesitation: {
      prompt: 'Ehm, eh, io, io dico, uhm, cioè, ehm, allora, mmm, boh.',
      sounds: ['ehm', 'em', 'eh', 'uhm', 'um', 'm', 'hm', 'ah', 'mh', 'beh', 'boh'],
    },
  },
  stops: {
    before: 'sig sigg sig.ra sig.na dott dott.ssa dr prof prof.ssa ing avv arch on mons p.es es ca cfr',
    beforeNumber: 'n nn art cap fig pag pagg vol',
    either: 'ecc s.p.a s.r.l a.c d.c',
  },
  spokenForms: {
    'sig.': 'signor',
    'sig.ra': 'signora',
    'dott.': 'dottor',
    'ecc.': 'eccetera',
    'es.': 'esempio',
  },
  currencies: ['dollari', 'euro', 'sterline', 'yen'],
  commonWords: 'il che di e è non per una sono con come gli della mi ma anche ho si nel più',
};
