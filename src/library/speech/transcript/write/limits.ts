// Limits of captions for screens and readers. Figures of the Netflix Timed Text Style Guides (general and by language),
// which agree with EBU Tech 3380 and the BBC's Subtitle Guidelines where these have any: two lines of 42, 5/6 s to 7 s
// on screen, two frames between captions.

import type { captionProfiles } from '../../../contract/text-files.ts';

export interface CaptionLimits {
  /** In cells: one per letter. With `halfCells`, one per ideograph and half per letter. */
  readonly lineCells: number;
  readonly halfCells: boolean;
  /** Cells that a viewer reads per second. */
  readonly cellsPerSecond: number;
}

export const linesPerCaption = 2;
export const shortestSeconds = 5 / 6;
export const longestSeconds = 7;
/** Two frames at 24 per second, without which a change of captions is not noticed. */
export const gapSeconds = 0.084;
/** A gap under half a second flickers: the earlier caption stays until the next one. */
export const flickerSeconds = 0.5;
/** How long a caption stays after the last word when there is time. */
export const lingerSeconds = 0.5;

const latin: CaptionLimits = { lineCells: 42, halfCells: false, cellsPerSecond: 20 };
const byLanguage: Readonly<Record<string, CaptionLimits>> = {
  ja: { lineCells: 13, halfCells: true, cellsPerSecond: 7 },
  ko: { lineCells: 16, halfCells: true, cellsPerSecond: 12 },
  zh: { lineCells: 16, halfCells: true, cellsPerSecond: 9 },
  yue: { lineCells: 16, halfCells: true, cellsPerSecond: 9 },
  th: { lineCells: 35, halfCells: false, cellsPerSecond: 17 },
};

/** What captions are for. */
export type CaptionProfile = (typeof captionProfiles)[number];

/** Narrower and slower: BBC Subtitle Guidelines (37 cells, 180 words a minute), YouTube's help. */
const byProfile: Readonly<Record<CaptionProfile, Partial<CaptionLimits>>> = {
  standard: {},
  broadcast: { lineCells: 37, cellsPerSecond: 15 },
  youtube: { lineCells: 32 },
  shorts: { lineCells: 18 },
};

/** @param language ISO 639 code */
export function captionLimits(language: string, profile: CaptionProfile = 'standard'): CaptionLimits {
  const own = byLanguage[language] ?? latin;
  const { lineCells = own.lineCells, cellsPerSecond = own.cellsPerSecond } = byProfile[profile];
  return {
    ...own,
    lineCells: Math.min(own.lineCells, lineCells),
    cellsPerSecond: Math.min(own.cellsPerSecond, cellsPerSecond),
  };
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\u30FC\uFF01-\uFF60\p{Emoji_Presentation}]/u;
const ascii = /^[ -~]*$/;

/** Cells of a text; combined characters count once. */
export function cellsOf(text: string, { halfCells }: Pick<CaptionLimits, 'halfCells'>): number {
  if (ascii.test(text)) return halfCells ? text.length / 2 : text.length;
  let cells = 0;
  for (const { segment } of graphemes.segment(text)) cells += wide.test(segment) ? 2 : 1;
  return halfCells ? cells / 2 : cells;
}
