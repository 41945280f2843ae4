// What the page says, and how its texts are filled in.
import type { EditorData } from '../editor-data.ts';
import type { Plural } from '../../library/core/plural.ts';
import { pageData, plural } from '../ui.tsx';

export const data = pageData<EditorData>();
export const { t } = data;
const { units } = data;

/** "1 word", "12 words". */
export const count = (forms: Plural, n: number, more: Readonly<Record<string, string | number>> = {}): string =>
  plural(data.language, forms, n, more);

/** In which the texts of the page run; a transcript has its own. */
export const pageDirection = document.documentElement.dir === 'rtl' ? 'rtl' : 'ltr';

/** Seconds to two places, as this language writes them. */
export const seconds = (value: number, places = 2): string =>
  value.toLocaleString(data.language, { minimumFractionDigits: places, maximumFractionDigits: places });

export const credits = (n: number): string => count(units.credits, n);
