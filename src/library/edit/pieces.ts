// An edit list as the parts that its rendering is made of. The website's editor plays the same parts.
import { type EditList, seamsOf } from './edit-list.ts';

/** A stretch of the source for a crossfade. */
export interface FadeWindow {
  /** Frame of the source; below 0 and beyond its end is silence. */
  readonly from: number;
  readonly frames: number;
}

/** The output's parts in order: unchanged stretches, and crossfades between two windows. */
export type Piece =
  | { readonly kind: 'pass'; readonly from: number; readonly to: number }
  | { readonly kind: 'fade'; readonly outgoing: FadeWindow; readonly incoming: FadeWindow };

export function planPieces(edits: EditList): Piece[] {
  const { keeps } = edits;
  const seams = seamsOf(edits);
  const window = (center: number, reach: number): FadeWindow => ({ from: center - reach, frames: 2 * reach });
  const pieces: Piece[] = [];
  for (const [index, keep] of keeps.entries()) {
    const before = seams[index - 1];
    const after = seams[index];
    const from = keep.start + (before?.reach ?? 0);
    const to = keep.end - (after?.reach ?? 0);
    if (to > from) pieces.push({ kind: 'pass', from, to });
    if (after && after.reach > 0)
      pieces.push({
        kind: 'fade',
        outgoing: window(after.before, after.reach),
        incoming: window(after.after, after.reach),
      });
  }
  return pieces;
}

/** Frames of the output that a part makes. */
export const framesOf = (piece: Piece): number =>
  piece.kind === 'pass' ? piece.to - piece.from : piece.incoming.frames;
