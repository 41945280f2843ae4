import type { FillerList } from './filler-list.ts';

export const de: FillerList = {
  always: 'ä+h+m*|ö+h+m*|ä+m+|h+m+|m{2,}|ehm+|eh+m+|uhm+|äh+m*'.split('|'),
  setApart: 'u+h+|u+m+|eh+|e+h+|ah+'.split('|'),
  doubled:
    'sehr ganz nein ja doch so na nun gut hallo tschüss bitte danke weg immer nie viel lange gar los komm halt langsam schnell schön genau okay ok ach ha haha bla die das der den dem wo oh ne nee eins zwei drei vier fünf sechs sieben acht neun zehn null hundert'.split(
      ' ',
    ),
  joining: 'und oder für um an zu'.split(' '),
  hesitation: {
    prompt: 'Ähm, äh, ich, ich meine, hm, also, ähm, na ja, äh, mhm.',
    sounds: ['ähm', 'äh', 'hm', 'öh', 'öhm', 'em', 'ehm', 'eh', 'mhm', 'm', 'ah'],
  },
};
