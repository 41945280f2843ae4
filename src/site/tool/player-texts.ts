// The texts of the player, which several kinds of pages have.
import type { BenchTexts } from '../bench-data.ts';
import { pageData } from '../ui.tsx';

export const { t } = pageData<{ readonly t: BenchTexts }>();
