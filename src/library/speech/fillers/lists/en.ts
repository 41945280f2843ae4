import type { FillerList } from './filler-list.ts';

export const en: FillerList = {
  always: 'u+h+|u+h*m+|u+r+m+|er|er{3,}|e{2,}r+|e+r+m+|e+h+m+|h+m+|m{2,}|u{2,}'.split('|'),
  setApart: 'e+h+|a+h+'.split('|'),
  notBefore: ['oh', 'huh', 'hm', 'hmm'],
  doubled:
    'very really so much no yes yeah yep nope okay ok bye hey hi hello well now there come hear knock ha hah haha blah bla la that had is wait go many far long more never ever too please thank tick tut oh wow right sure good great fine chop night one two three four five six seven eight nine ten zero hundred big little old same way up down again deep out all alright cool nice stop help'.split(
      ' ',
    ),
  joining: 'and or by after to'.split(' '),
  hesitation: {
    prompt: 'Um, uh, I, I mean, er, well, um, you know, uh, hmm.',
    sounds: ['um', 'uh', 'er', 'erm', 'hm', 'm', 'ah', 'eh', 'mhm', 'uhm'],
  },
};
