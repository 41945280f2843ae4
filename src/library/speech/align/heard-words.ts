import type { SpokenWord } from '../spoken-word.ts';
import type { HeardWord } from './anchors/anchors.ts';
import { comparable } from './anchors/similarity.ts';
import { spokenForm } from './script/spoken-form.ts';

/** The comparable forms of the recogniser's words. */
export const heardWordsOf = (recognised: readonly SpokenWord[], language: string): HeardWord[] =>
  recognised.flatMap(({ text, startSeconds, endSeconds, confidence }): HeardWord[] => {
    const { spoken, mark } = spokenForm(text, language);
    const key = comparable(spoken);
    return key === ''
      ? []
      : [{ key, spoken, mark, startSeconds, endSeconds, ...(confidence === undefined ? {} : { confidence }) }];
  });
