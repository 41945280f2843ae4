import type { SpokenLanguage } from './spoken-language.ts';

/** Portuguese. */
export const pt: SpokenLanguage = {
  fillers: {
    always: 'h+u+m+|h+m+|m{2,}|ã+h+|h+ã+|a+h*n+h+|e+h+m+|é{2,}|e{3,}'.split('|'),
    setApart: 'e+h+|a+h+|é+|ahn'.split('|'),
    doubled: (
      'muito sim não já bem bom olá tchau quase logo pouco claro tão mais nunca sempre vamos ai ha um dois três ' +
      'quatro cinco seis sete oito nove dez zero cem está'
    ).split(' '),
    joining: 'e ou a por de em'.split(' '),
    hesitation: {
      prompt: 'Hum, é, eh, eu, eu quero dizer, ah, bem, hã, sabe, hmm.',
      sounds: ['hum', 'eh', 'ah', 'hã', 'hm', 'é', 'm', 'ahn', 'uh', 'um'],
    },
  },
  stops: {
    before: 'sr sra srta dr dra prof profa eng exmo exma d av p.ex',
    beforeNumber: 'n nº art cap fig pág págs vol',
    either: 'etc ltda s.a a.c d.c',
  },
  spokenForms: {
    'sr.': 'senhor',
    'sra.': 'senhora',
    'dr.': 'doutor',
    'dra.': 'doutora',
    'etc.': 'et cetera',
    'p.ex.': 'por exemplo',
  },
  currencies: ['dólares', 'euros', 'libras', 'ienes'],
  commonWords: 'o os e é que não uma para com do da em se mais por como mas eu você são',
};
