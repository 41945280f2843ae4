import { languages } from './every-language.ts';
import type { SpokenLanguage } from './spoken-language.ts';

const known: Readonly<Record<string, SpokenLanguage>> = languages;

/** @returns null for a language without a file, and for other text */
export const languageOf = (code: string): SpokenLanguage | null =>
  Object.hasOwn(known, code) ? (known[code] ?? null) : null;
