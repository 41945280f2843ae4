import type { FillerList } from './filler-list.ts';

export const pt: FillerList = {
  always: 'h+u+m+|h+m+|m{2,}|ã+h+|h+ã+|a+h*n+h+|e+h+m+|é{2,}|e{3,}'.split('|'),
  setApart: 'e+h+|a+h+|é+|ahn'.split('|'),
  doubled:
    'muito sim não já bem bom olá tchau quase logo pouco claro tão mais nunca sempre vamos ai ha um dois três quatro cinco seis sete oito nove dez zero cem está'.split(
      ' ',
    ),
  joining: 'e ou a por de em'.split(' '),
  hesitation: {
    prompt: 'Hum, é, eh, eu, eu quero dizer, ah, bem, hã, sabe, hmm.',
    sounds: ['hum', 'eh', 'ah', 'hã', 'hm', 'é', 'm', 'ahn', 'uh', 'um'],
  },
};
