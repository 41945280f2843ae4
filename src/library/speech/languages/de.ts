import type { SpokenLanguage } from './spoken-language.ts';

/** German. */
export const de: SpokenLanguage = {
  fillers: {
    always: 'ä+h+m*|ö+h+m*|ä+m+|h+m+|m{2,}|ehm+|eh+m+|uhm+|äh+m*'.split('|'),
    setApart: 'u+h+|u+m+|eh+|e+h+|ah+'.split('|'),
    doubled: (
      'sehr ganz nein ja doch so na nun gut hallo tschüss bitte danke weg immer nie viel lange gar los komm halt ' +
      'langsam schnell schön genau okay ok ach ha haha bla die das der den dem wo oh ne nee eins zwei drei vier fünf ' +
      'sechs sieben acht neun zehn null hundert'
    ).split(' '),
    joining: 'und oder für um an zu'.split(' '),
    hesitation: {
      prompt: 'Ähm, äh, ich, ich meine, hm, also, ähm, na ja, äh, mhm.',
      sounds: ['ähm', 'äh', 'hm', 'öh', 'öhm', 'em', 'ehm', 'eh', 'mhm', 'm', 'ah'],
    },
  },
  stops: {
    before:
      'dr prof dipl ing hr hrn fr st z.b z d.h d bzw ca evtl ggf inkl exkl vgl bzgl geb gest gem sog u.a v.a i.d.r ' +
      'zzgl abzgl mag tel allg ehem jhd',
    beforeNumber: 'nr abs art bd kap abb tab s jan feb apr jun jul aug sep sept okt nov dez',
    either: 'usw etc jh std min sek mio mrd mrd str u.ä o.ä u.s.w n.chr v.chr co jr sen',
    ordinals: true,
  },
  spokenForms: {
    'z.b.': 'zum Beispiel',
    'd.h.': 'das heißt',
    'u.a.': 'unter anderem',
    'usw.': 'und so weiter',
    'bzw.': 'beziehungsweise',
    'ca.': 'circa',
    'nr.': 'Nummer',
    'dr.': 'Doktor',
    'prof.': 'Professor',
    'str.': 'Straße',
    'evtl.': 'eventuell',
    'ggf.': 'gegebenenfalls',
    'inkl.': 'inklusive',
    'vgl.': 'vergleiche',
  },
  currencies: ['Dollar', 'Euro', 'Pfund', 'Yen'],
  commonWords: 'der die das und ist nicht ich ein eine mit sich auf für dem den wir auch wie es zu',
};
