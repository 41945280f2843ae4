import type { SpokenLanguage } from './spoken-language.ts';

/** English. */
export const en: SpokenLanguage = {
  fillers: {
    always: 'u+h+|u+h*m+|u+r+m+|er|er{3,}|e{2,}r+|e+r+m+|e+h+m+|h+m+|m{2,}|u{2,}'.split('|'),
    setApart: 'e+h+|a+h+'.split('|'),
    notBefore: ['oh', 'huh', 'hm', 'hmm'],
    doubled: (
      'very really so much no yes yeah yep nope okay ok bye hey hi hello well now there come hear knock ha hah haha ' +
      'blah bla la that had is wait go many far long more never ever too please thank tick tut oh wow right sure ' +
      'good great fine chop night one two three four five six seven eight nine ten zero hundred big little old same ' +
      'way up down again deep out all alright cool nice stop help'
    ).split(' '),
    joining: 'and or by after to'.split(' '),
    hesitation: {
      prompt: 'Um, uh, I, I mean, er, well, um, you know, uh, hmm.',
      sounds: ['um', 'uh', 'er', 'erm', 'hm', 'm', 'ah', 'eh', 'mhm', 'uhm'],
    },
  },
  stops: {
    before:
      'mr mrs ms messrs mx dr prof rev hon st gen col capt cpt lt sgt cmdr maj adm pres gov sen rep supt mt ft vs ' +
      'approx dept e.g i.e cf viz ph.d m.d',
    beforeNumber: 'no nos fig figs vol p pp ch sec art pt jan feb mar apr jun jul aug sep sept oct nov dec',
    either: 'etc inc ltd co corp jr sr esq al a.m p.m a.d b.c u.s u.k u.s.a u.n d.c ave blvd rd',
  },
  spokenForms: {
    'mr.': 'mister',
    'mrs.': 'missus',
    'ms.': 'miz',
    'dr.': 'doctor',
    'prof.': 'professor',
    'jr.': 'junior',
    'sr.': 'senior',
    'vs.': 'versus',
    'etc.': 'et cetera',
    'approx.': 'approximately',
    'e.g.': 'e g',
    'i.e.': 'i e',
    'no.': 'no',
    'st.': 'saint',
  },
  currencies: ['dollars', 'euros', 'pounds', 'yen'],
  commonWords: 'the and of to is that it you was for with this have are not they we what but from',
};
