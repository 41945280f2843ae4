import type { FillerList } from './filler-list.ts';

export const it: FillerList = {
  always: 'e+h+m+|u+h*m+|m{2,}|h+m+|e{3,}|m+h+'.split('|'),
  setApart: 'e+h+|a+h+'.split('|'),
  doubled:
    'molto sì no ciao bene piano così quasi ancora sempre mai bravo dai ecco subito poco presto adagio via su tanto certo va ah oh ahi ma uno due tre quattro cinque sei sette otto nove dieci zero cento man'.split(
      ' ',
    ),
  joining: 'e o a per di in'.split(' '),
  hesitation: {
    prompt: 'Ehm, eh, io, io dico, uhm, cioè, ehm, allora, mmm, boh.',
    sounds: ['ehm', 'em', 'eh', 'uhm', 'um', 'm', 'hm', 'ah', 'mh', 'beh', 'boh'],
  },
};
