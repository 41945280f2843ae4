// Endings by which a word changes its form, per language: plurals, and the cases of names.

type Stems = (letters: string) => string[];

const endings: Readonly<Record<string, readonly string[]>> = {
  en: ['s', 'es', 'ed', 'ing'],
  de: ['s', 'es', 'e', 'en', 'n', 'er', 'ern', 'em', 'in', 'innen'],
  nl: ['s', 'en', 'n', 'e'],
  sv: ['s', 'en', 'n', 'ar', 'or', 'er', 'et', 'erna', 'arna'],
  da: ['s', 'en', 'er', 'e', 'et', 'ne'],
  no: ['s', 'en', 'er', 'e', 'et', 'ne'],
  fr: ['s', 'x', 'es', 'e'],
  es: ['s', 'es'],
  pt: ['s', 'es'],
  it: ['i', 'e', 'a', 'o'],
  pl: ['a', 'u', 'owi', 'em', 'ie', 'y', 'i', 'e', 'ow', 'om', 'ami', 'ach'],
  cs: ['a', 'u', 'ovi', 'em', 'e', 'y', 'i', 'u', 'um', 'ami', 'ech'],
  ru: ['а', 'у', 'ом', 'е', 'ы', 'и', 'ов', 'ам', 'ами', 'ах', 'ой', 'ю', 'я'],
  uk: ['а', 'у', 'ом', 'і', 'ові', 'и', 'ів', 'ам', 'ами', 'ах', 'ою', 'ю', 'я'],
};

/** Where the language has no list: the plural that most have. */
const usual = ['s', 'es', 'e', 'n', 'en'];

/** Endings that take another one's place: "cities" is of "city", "Annas" case in Polish is "Anny" of "Anna". */
const exchanged: Readonly<Record<string, readonly (readonly [ending: string, instead: string])[]>> = {
  en: [['ies', 'y']],
  it: [
    ['i', 'o'],
    ['i', 'e'],
    ['e', 'a'],
  ],
  pl: [
    ['y', 'a'],
    ['e', 'a'],
    ['i', 'a'],
  ],
  cs: [
    ['y', 'a'],
    ['e', 'a'],
    ['u', 'a'],
  ],
  ru: [
    ['ы', 'а'],
    ['е', 'а'],
    ['у', 'а'],
    ['и', 'а'],
  ],
};

/**
 * @param language ISO 639 code
 * @returns gives for a word in lower case without accents what it may be a form of
 */
export function endingsOf(language: string): Stems {
  const own = endings[language] ?? usual;
  const other = exchanged[language] ?? [];
  return (letters) => [
    ...own.flatMap((ending) => (letters.endsWith(ending) ? [letters.slice(0, -ending.length)] : [])),
    ...other.flatMap(([ending, instead]) =>
      letters.endsWith(ending) ? [`${letters.slice(0, -ending.length)}${instead}`] : [],
    ),
  ];
}
