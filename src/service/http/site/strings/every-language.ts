// Made by scripts/write-lists.ts from src/service/http/site/strings: `npm run types:write`.

import { de } from './de/index.ts';
import { en } from './en/index.ts';

/** The texts of the website, by the code of their language, in the order in which people choose. */
export const texts = {
  en,
  de,
};
