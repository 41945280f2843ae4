// Made by scripts/write-lists.ts from src/library/speech/fillers/lists: `npm run types:write`.

import type { FillerLanguage } from '../../contract/filler-languages.ts';
import { de } from './lists/de.ts';
import { en } from './lists/en.ts';
import { es } from './lists/es.ts';
import { fr } from './lists/fr.ts';
import { it } from './lists/it.ts';
import { ja } from './lists/ja.ts';
import { ko } from './lists/ko.ts';
import { nl } from './lists/nl.ts';
import { pl } from './lists/pl.ts';
import { pt } from './lists/pt.ts';
import type { FillerList } from './lists/filler-list.ts';

export const fillerLists: Readonly<Record<FillerLanguage, FillerList>> = { de, en, es, fr, it, ja, ko, nl, pl, pt };
