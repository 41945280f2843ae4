// Makes the sound of an edit out of its parts, as the service renders it: unchanged stretches, and equal-power
// crossfades.
import { likeness, likenessGain } from '../../library/edit/likeness.ts';
import { framesOf, type Piece } from '../../library/edit/pieces.ts';

/** Reads frames of the recording; silence outside of it. */
export type ReadFrames = (from: number, frames: number) => Promise<Float32Array<ArrayBuffer>[]>;

/** Starts of the parts in the output, in frames; one more at the end: its length. */
export function outputStarts(pieces: readonly Piece[]): Float64Array {
  const starts = new Float64Array(pieces.length + 1);
  for (const [at, piece] of pieces.entries()) starts[at + 1] = (starts[at] ?? 0) + framesOf(piece);
  return starts;
}

/** The last part that begins at or before the frame. */
function partAt(starts: Float64Array, frame: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= frame) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Frames [from, from + count) of the output, fewer at its end.
 * @param starts as of `outputStarts`
 */
export async function renderFrames(
  pieces: readonly Piece[],
  starts: Float64Array,
  from: number,
  count: number,
  channels: number,
  read: ReadFrames,
): Promise<Float32Array<ArrayBuffer>[]> {
  const total = starts.at(-1) ?? 0;
  const frames = Math.max(0, Math.min(count, total - from));
  const out = Array.from({ length: channels }, () => new Float32Array(frames));
  for (let index = partAt(starts, from); index < pieces.length; index++) {
    const [piece, start] = [pieces[index] as Piece, starts[index] ?? 0];
    if (start >= from + frames) break;
    const first = Math.max(0, from - start);
    const length = Math.min(framesOf(piece) - first, from + frames - start - first);
    const place = start + first - from;
    if (piece.kind === 'pass') {
      const planes = await read(piece.from + first, length);
      for (const [channel, plane] of out.entries()) plane.set(planes[channel] ?? [], place);
    } else {
      // Where the edit goes back, what is faded may be alike: that is told by the whole crossfade.
      const isBack = piece.incoming.from < piece.outgoing.from;
      const [skip, whole] = [isBack ? first : 0, piece.incoming.frames];
      const [from, frames] = isBack ? [0, whole] : [first, length];
      const [outgoing, incoming] = await Promise.all([
        read(piece.outgoing.from + from, frames),
        read(piece.incoming.from + from, frames),
      ]);
      const alike = isBack ? likeness(outgoing, incoming, whole) : 0;
      for (const [channel, plane] of out.entries())
        for (let frame = 0; frame < length; frame++) {
          const angle = (((first + frame + 0.5) / whole) * Math.PI) / 2;
          const faded =
            Math.cos(angle) * (outgoing[channel]?.[skip + frame] ?? 0) +
            Math.sin(angle) * (incoming[channel]?.[skip + frame] ?? 0);
          plane[place + frame] = faded * likenessGain(alike, first + frame, whole);
        }
    }
  }
  return out;
}
