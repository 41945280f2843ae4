import type { SpokenLanguage } from './spoken-language.ts';

/** Polish. */
export const pl: SpokenLanguage = {
  fillers: {
    always: 'y{2,}m*|y+m+|e{2,}m*|e+m{2,}|h+m+|m{2,}|y+h+m*|e+h+m+'.split('|'),
    setApart: 'y|e+h+'.split('|'),
    doubled: (
      'bardzo tak nie no dobrze już zaraz cześć pa długo daleko coraz wiele nigdy zawsze dawno proszę ha hej raz dwa ' +
      'trzy cztery pięć sześć siedem osiem dziewięć dziesięć zero sto'
    ).split(' '),
    joining: 'i lub albo za po w'.split(' '),
    hesitation: {
      prompt: 'Yyy, eee, ja, ja znaczy, no, ten, yyy, wiesz, hmm, ee.',
      sounds: ['y', 'e', 'hm', 'm', 'em', 'ym', 'eh', 'ah'],
    },
  },
  stops: {
    before: 'dr prof mgr inż hab ks płk gen św ul al np tzn tj tzw m.in ok pl os',
    beforeNumber: 'nr art str rys tom',
    either: 'itd itp r w godz tys zł in',
    ordinals: true,
  },
  spokenForms: {
    'np.': 'na przykład',
    'itd.': 'i tak dalej',
    'itp.': 'i tym podobne',
    'tzn.': 'to znaczy',
    'dr.': 'doktor',
    'ul.': 'ulica',
  },
  currencies: ['dolarów', 'euro', 'funtów', 'jenów'],
  commonWords: 'i w nie na się to że jest z do jak ale co tak o po czy tylko już ja',
};
