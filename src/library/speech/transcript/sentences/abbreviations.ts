// Words with a full stop that does not end a sentence, by language. Lower case, without the last stop.

interface Abbreviations {
  /** Always followed by a name or a word: "Dr. Weber", "z. B. morgen". */
  readonly before: string;
  /** Only before a number: "No. 5", but "No. I won't." */
  readonly beforeNumber?: string;
  /** Inside a sentence or at its end: "etc.", "p.m." */
  readonly either?: string;
  /** "am 3. Mai": ordinal numbers have a full stop. */
  readonly ordinals?: boolean;
}

const byLanguage: Readonly<Record<string, Abbreviations>> = {
  en: {
    before:
      'mr mrs ms messrs mx dr prof rev hon st gen col capt cpt lt sgt cmdr maj adm pres gov sen rep supt mt ft vs approx dept ' +
      'e.g i.e cf viz ph.d m.d',
    beforeNumber: 'no nos fig figs vol p pp ch sec art pt jan feb mar apr jun jul aug sep sept oct nov dec',
    either: 'etc inc ltd co corp jr sr esq al a.m p.m a.d b.c u.s u.k u.s.a u.n d.c ave blvd rd',
  },
  de: {
    before:
      'dr prof dipl ing hr hrn fr st z.b z d.h d bzw ca evtl ggf inkl exkl vgl bzgl geb gest gem sog u.a v.a i.d.r zzgl abzgl ' +
      'mag tel allg ehem jhd',
    beforeNumber: 'nr abs art bd kap abb tab s jan feb apr jun jul aug sep sept okt nov dez',
    either: 'usw etc jh std min sek mio mrd mrd str u.ä o.ä u.s.w n.chr v.chr co jr sen',
    ordinals: true,
  },
  fr: {
    before: 'm mm mme mmes mlle dr pr me st ste mgr p.ex c.-à-d cf env av apr',
    beforeNumber: 'no n art vol chap fig p pp',
    either: 'etc ex cie j.-c',
  },
  es: {
    before: 'sr sra srta sres dr dra d dña ud uds vd lic ing prof gral p.ej av avda',
    beforeNumber: 'núm nº n.º pág págs art cap fig vol',
    either: 'etc ee.uu s.a a.c d.c',
  },
  it: {
    before: 'sig sigg sig.ra sig.na dott dott.ssa dr prof prof.ssa ing avv arch on mons p.es es ca cfr',
    beforeNumber: 'n nn art cap fig pag pagg vol',
    either: 'ecc s.p.a s.r.l a.c d.c',
  },
  pt: {
    before: 'sr sra srta dr dra prof profa eng exmo exma d av p.ex',
    beforeNumber: 'n nº art cap fig pág págs vol',
    either: 'etc ltda s.a a.c d.c',
  },
  nl: {
    before: 'dhr mevr mw dr drs prof ir ing mr st bijv bv b.v d.w.z o.a m.b.t t.a.v ca evt incl excl',
    beforeNumber: 'nr art blz fig',
    either: 'enz etc n.chr v.chr jr sr',
  },
  pl: {
    before: 'dr prof mgr inż hab ks płk gen św ul al np tzn tj tzw m.in ok pl os',
    beforeNumber: 'nr art str rys tom',
    either: 'itd itp r w godz tys zł in',
    ordinals: true,
  },
  ru: { before: 'ул им проф акад т.е т.к см св', beforeNumber: 'стр рис гл', either: 'г гг т.д т.п др руб тыс млн' },
  uk: { before: 'вул ім проф акад див св', beforeNumber: 'стор рис', either: 'р рр т.д т.п ін грн тис млн' },
  sv: { before: 't.ex bl.a dvs s.k ca dr prof', beforeNumber: 'nr kap', either: 'osv etc m.m kl' },
  da: { before: 'f.eks bl.a dvs ca dr prof hr fr', beforeNumber: 'nr kap', either: 'osv etc m.m kl', ordinals: true },
  no: { before: 'f.eks bl.a dvs ca dr prof', beforeNumber: 'nr kap', either: 'osv etc m.m kl', ordinals: true },
  fi: { before: 'esim ts eli n dr prof', beforeNumber: 'nro', either: 'jne ym klo', ordinals: true },
  cs: { before: 'dr prof ing mgr např tzv tj sv p', beforeNumber: 'č str', either: 'atd apod tis', ordinals: true },
  hu: { before: 'dr prof pl ún ill kb', beforeNumber: 'sz', either: 'stb', ordinals: true },
  tr: { before: 'dr prof doç av sn bkz', beforeNumber: 'no s', either: 'vb vs', ordinals: true },
};

interface Lists {
  readonly before: ReadonlySet<string>;
  readonly beforeNumber: ReadonlySet<string>;
  readonly either: ReadonlySet<string>;
  readonly ordinals: boolean;
}

const made = new Map<string, Lists>();

/** Those of a language; by default those of English, which are most widely used. */
export function abbreviationsOf(language: string): Lists {
  const known = made.get(language);
  if (known) return known;
  const { before, beforeNumber = '', either = '', ordinals = false } = byLanguage[language] ?? byLanguage['en']!;
  const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));
  const lists = { before: set(before), beforeNumber: set(beforeNumber), either: set(either), ordinals };
  made.set(language, lists);
  return lists;
}
