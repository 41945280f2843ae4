import type { FillerList } from './filler-list.ts';

export const nl: FillerList = {
  always: 'u+h+m*|e+h+m*|e+u+h+m*|h+m+|m{2,}|u+m{2,}'.split('|'),
  setApart: 'euh*|u+m+|ah+'.split('|'),
  doubled:
    'heel ja nee zo wel nou dag hoi hallo goed steeds toe kom langzaam ver veel nooit altijd lekker mooi snel oké ok ha bla die dat een twee drie vier vijf zes zeven acht negen tien nul honderd'.split(
      ' ',
    ),
  joining: 'en of voor om aan'.split(' '),
  hesitation: {
    prompt: 'Eh, ehm, ik, ik bedoel, uh, nou, eh, weet je, uhm, hm.',
    sounds: ['eh', 'ehm', 'uh', 'uhm', 'hm', 'm', 'euh', 'ah', 'um', 'er'],
  },
};
