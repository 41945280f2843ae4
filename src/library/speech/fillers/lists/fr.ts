import type { FillerList } from './filler-list.ts';

export const fr: FillerList = {
  always: 'e+u+h+|h+e+u+|e+u+h*m+|h+u+m+|h+m+|m{2,}|e+h+m+'.split('|'),
  setApart: 'e+u+|e+h+|a+h+'.split('|'),
  doubled:
    'nous vous très oui non si bon bien ah oh eh hé ha allez merci petit tout toujours jamais là voilà plus trop vite doucement ouais bah un deux trois quatre cinq six sept huit neuf dix zéro cent pas cha'.split(
      ' ',
    ),
  joining: 'et ou à de en par pour'.split(' '),
  hesitation: {
    prompt: 'Euh, heu, je, je veux dire, hum, ben, euh, tu vois, bah, hein.',
    sounds: ['euh', 'heu', 'hum', 'hm', 'eh', 'ben', 'bah', 'hein', 'm', 'eu'],
  },
};
