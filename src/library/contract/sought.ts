// What can be looked for in what is said.

/**
 * What counts as a word: `words`, itself alone; `forms`, also with an ending (plurals, cases); `parts`, also within a
 * longer word, as in German compounds.
 */
export type WordMatch = 'words' | 'forms' | 'parts';

export const wordMatches = ['words', 'forms', 'parts'] as const satisfies readonly WordMatch[];

/** What has a form that is known. `number`: four digits and more, as account numbers and PINs are. */
export type PatternKind = 'card' | 'iban' | 'phone' | 'email' | 'web' | 'address' | 'number';

export const patternKinds = [
  'card',
  'iban',
  'phone',
  'email',
  'web',
  'address',
  'number',
] as const satisfies readonly PatternKind[];

export interface Sought {
  /** Words and phrases, as people write them. */
  readonly words: readonly string[];
  readonly match: WordMatch;
  readonly patterns: readonly PatternKind[];
}
