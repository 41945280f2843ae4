import type { SpokenLanguage } from './spoken-language.ts';

/** French. */
export const fr: SpokenLanguage = {
  fillers: {
    always: 'e+u+h+|h+e+u+|e+u+h*m+|h+u+m+|h+m+|m{2,}|e+h+m+'.split('|'),
    setApart: 'e+u+|e+h+|a+h+'.split('|'),
    doubled: (
      'nous vous très oui non si bon bien ah oh eh hé ha allez merci petit tout toujours jamais là voilà plus trop ' +
      'vite doucement ouais bah un deux trois quatre cinq six sept huit neuf dix zéro cent pas cha'
    ).split(' '),
    joining: 'et ou à de en par pour'.split(' '),
    hesitation: {
      prompt: 'Euh, heu, je, je veux dire, hum, ben, euh, tu vois, bah, hein.',
      sounds: ['euh', 'heu', 'hum', 'hm', 'eh', 'ben', 'bah', 'hein', 'm', 'eu'],
    },
  },
  stops: {
    before: 'm mm mme mmes mlle dr pr me st ste mgr p.ex c.-à-d cf env av apr',
    beforeNumber: 'no n art vol chap fig p pp',
    either: 'etc ex cie j.-c',
  },
  spokenForms: {
    'm.': 'monsieur',
    mme: 'madame',
    mlle: 'mademoiselle',
    'dr.': 'docteur',
    'etc.': 'et cetera',
    'p.ex.': 'par exemple',
    'env.': 'environ',
  },
  currencies: ['dollars', 'euros', 'livres', 'yens'],
  commonWords: 'le la les et est des une dans pour que qui pas vous nous avec sur ce il je mais',
};
