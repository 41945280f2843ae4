import { textHeight, textWidth, type Canvas, type Rgba } from './canvas.ts';
import { timeTicks } from './ticks.ts';

/** Pixels of a dot in letters, so that they stay readable in a large picture. */
export const labelScale = ({ width, height }: { readonly width: number; readonly height: number }): number =>
  Math.max(1, Math.min(Math.round(width / 800), Math.floor(height / 100)));

/** Height of a time axis with its labels. */
export const axisHeight = (letters: number): number => textHeight(letters) + 6 * letters;

/** Where a time axis is painted, in pixels, and what it spans. */
export interface TimeAxis {
  readonly left: number;
  readonly width: number;
  readonly top: number;
  readonly seconds: number;
  readonly ink: Rgba;
  readonly letters: number;
}

/** A line with ticks, and a label under every tick that has one. */
export function paintTimeAxis(canvas: Canvas, { left, width, top, seconds, ink, letters }: TimeAxis): void {
  canvas.rectangle(left, top, width, letters, ink);
  if (seconds <= 0) return;
  const pixelsPerSecond = width / seconds;
  const ticks = timeTicks(
    0,
    seconds,
    // The labels at both ends are moved inwards by half their width.
    (step, label) => step * pixelsPerSecond >= 1.5 * textWidth(label, letters) + 6 * letters,
  );
  for (const { at, label } of ticks) {
    const x = Math.min(left + width - letters, left + Math.round(at * pixelsPerSecond));
    canvas.rectangle(x, top, letters, letters * (label === '' ? 2 : 4), ink);
    if (label === '') continue;
    const wide = textWidth(label, letters);
    // Within the picture at both ends.
    const from = Math.max(0, Math.min(canvas.width - wide, Math.round(x + letters / 2 - wide / 2)));
    canvas.text(from, top + 5 * letters, label, ink, letters);
  }
}
