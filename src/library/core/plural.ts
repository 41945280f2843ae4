// What is counted, in the forms of its language.

/** A text for each plural that a language has (CLDR); where a form is missing, `other` is said. */
export interface Plural {
  readonly zero?: string;
  readonly one: string;
  readonly two?: string;
  readonly few?: string;
  readonly many?: string;
  readonly other: string;
}

export const formOf = (language: string | Intl.PluralRules, forms: Plural, n: number): string =>
  forms[(typeof language === 'string' ? new Intl.PluralRules(language) : language).select(n)] ?? forms.other;
