// How much of a caption fits on a screen and into a reader. Figures of the Netflix Timed Text Style Guides (general and
// by language), which agree with EBU Tech 3380's and the BBC's Subtitle Guidelines where these name any: lines of 42,
// two of them, 5/6 s to 7 s on screen, two pictures between captions.

export interface CaptionLimits {
  /** In cells: a letter is one. Where `halfCells`, an ideograph is one and a letter half of one. */
  readonly lineCells: number;
  readonly halfCells: boolean;
  /** Cells a second that a viewer reads. */
  readonly cellsPerSecond: number;
}

export const linesPerCaption = 2;
export const shortestSeconds = 5 / 6;
export const longestSeconds = 7;
/** Two pictures at 24 a second, without which one caption changes into the next unnoticed. */
export const gapSeconds = 0.084;
/** A gap under half a second flickers: the caption before it stays until the next one. */
export const flickerSeconds = 0.5;
/** How long a caption stays behind the last word where nothing hurries it. */
export const lingerSeconds = 0.5;

const latin: CaptionLimits = { lineCells: 42, halfCells: false, cellsPerSecond: 20 };
const byLanguage: Readonly<Record<string, CaptionLimits>> = {
  ja: { lineCells: 13, halfCells: true, cellsPerSecond: 7 },
  ko: { lineCells: 16, halfCells: true, cellsPerSecond: 12 },
  zh: { lineCells: 16, halfCells: true, cellsPerSecond: 9 },
  yue: { lineCells: 16, halfCells: true, cellsPerSecond: 9 },
  th: { lineCells: 35, halfCells: false, cellsPerSecond: 17 },
};

/** @param language ISO 639 code */
export const captionLimits = (language: string): CaptionLimits => byLanguage[language] ?? latin;

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\u30FC\uFF01-\uFF60\p{Emoji_Presentation}]/u;
const ascii = /^[ -~]*$/;

/** Cells that a text takes; what combines into one sign counts once. */
export function cellsOf(text: string, { halfCells }: Pick<CaptionLimits, 'halfCells'>): number {
  if (ascii.test(text)) return halfCells ? text.length / 2 : text.length;
  let cells = 0;
  for (const { segment } of graphemes.segment(text)) cells += wide.test(segment) ? 2 : 1;
  return halfCells ? cells / 2 : cells;
}
