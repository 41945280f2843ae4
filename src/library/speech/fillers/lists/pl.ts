import type { FillerList } from './filler-list.ts';

export const pl: FillerList = {
  always: 'y{2,}m*|y+m+|e{2,}m*|e+m{2,}|h+m+|m{2,}|y+h+m*|e+h+m+'.split('|'),
  setApart: 'y|e+h+'.split('|'),
  doubled:
    'bardzo tak nie no dobrze już zaraz cześć pa długo daleko coraz wiele nigdy zawsze dawno proszę ha hej raz dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć zero sto'.split(
      ' ',
    ),
  joining: 'i lub albo za po w'.split(' '),
  hesitation: {
    prompt: 'Yyy, eee, ja, ja znaczy, no, ten, yyy, wiesz, hmm, ee.',
    sounds: ['y', 'e', 'hm', 'm', 'em', 'ym', 'eh', 'ah'],
  },
};
