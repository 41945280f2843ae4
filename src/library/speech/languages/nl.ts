import type { SpokenLanguage } from './spoken-language.ts';

/** Dutch. */
export const nl: SpokenLanguage = {
  fillers: {
    always: 'u+h+m*|e+h+m*|e+u+h+m*|h+m+|m{2,}|u+m{2,}'.split('|'),
    setApart: 'euh*|u+m+|ah+'.split('|'),
    doubled: (
      'heel ja nee zo wel nou dag hoi hallo goed steeds toe kom langzaam ver veel nooit altijd lekker mooi snel oké ' +
      'ok ha bla die dat een twee drie vier vijf zes zeven acht negen tien nul honderd'
    ).split(' '),
    joining: 'en of voor om aan'.split(' '),
    hesitation: {
      prompt: 'Eh, ehm, ik, ik bedoel, uh, nou, eh, weet je, uhm, hm.',
      sounds: ['eh', 'ehm', 'uh', 'uhm', 'hm', 'm', 'euh', 'ah', 'um', 'er'],
    },
  },
  stops: {
    before: 'dhr mevr mw dr drs prof ir ing mr st bijv bv b.v d.w.z o.a m.b.t t.a.v ca evt incl excl',
    beforeNumber: 'nr art blz fig',
    either: 'enz etc n.chr v.chr jr sr',
  },
  spokenForms: {
    'bijv.': 'bijvoorbeeld',
    'enz.': 'enzovoort',
    'dhr.': 'de heer',
    'mevr.': 'mevrouw',
    'd.w.z.': 'dat wil zeggen',
    'o.a.': 'onder andere',
  },
  currencies: ['dollar', 'euro', 'pond', 'yen'],
  commonWords: 'de het een en van ik is dat niet op te zijn met voor maar ook je wat er hij',
};
