import type { FillerList } from './filler-list.ts';

export const es: FillerList = {
  always: 'e+h+m+|e+m+|h+m+|m{2,}|e{2,}h*|e{3,}'.split('|'),
  setApart: 'e+h+|este+|ah+'.split('|'),
  doubled:
    'muy sí no ya bien bueno hola adiós casi poco claro vale tan más mucho nunca siempre vamos venga ay oye ja jaja uno dos tres cuatro cinco seis siete ocho nueve diez cero cien luego pronto'.split(
      ' ',
    ),
  joining: 'y o a por de en'.split(' '),
  hesitation: {
    prompt: 'Eh, em, yo, yo digo, este, bueno, eh, pues, mmm, o sea.',
    sounds: ['eh', 'em', 'm', 'hm', 'ah', 'este', 'ehm'],
  },
};
