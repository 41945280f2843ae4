import type { SpokenLanguage } from './spoken-language.ts';

/** Spanish. */
export const es: SpokenLanguage = {
  fillers: {
    always: 'e+h+m+|e+m+|h+m+|m{2,}|e{2,}h*|e{3,}'.split('|'),
    setApart: 'e+h+|este+|ah+'.split('|'),
    doubled: (
      'muy sí no ya bien bueno hola adiós casi poco claro vale tan más mucho nunca siempre vamos venga ay oye ja ' +
      'jaja uno dos tres cuatro cinco seis siete ocho nueve diez cero cien luego pronto'
    ).split(' '),
    joining: 'y o a por de en'.split(' '),
    hesitation: {
      prompt: 'Eh, em, yo, yo digo, este, bueno, eh, pues, mmm, o sea.',
      sounds: ['eh', 'em', 'm', 'hm', 'ah', 'este', 'ehm'],
    },
  },
  stops: {
    before: 'sr sra srta sres dr dra d dña ud uds vd lic ing prof gral p.ej av avda',
    beforeNumber: 'núm nº n.º pág págs art cap fig vol',
    either: 'etc ee.uu s.a a.c d.c',
  },
  spokenForms: {
    'sr.': 'señor',
    'sra.': 'señora',
    'srta.': 'señorita',
    'dr.': 'doctor',
    'dra.': 'doctora',
    'ud.': 'usted',
    'uds.': 'ustedes',
    'etc.': 'etcétera',
    'ee.uu.': 'Estados Unidos',
    'p.ej.': 'por ejemplo',
  },
  currencies: ['dólares', 'euros', 'libras', 'yenes'],
  commonWords: 'el los las y es que en una por con para no lo como pero su del más yo está',
};
