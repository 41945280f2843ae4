import { crossfade } from '../kernels/ops.ts';
import type { AudioBlock } from '../pcm/block.ts';
import type { Emit, Stage } from '../pcm/stage.ts';
import type { EditList } from './edit-list.ts';
import { type FadeWindow, type Piece, planPieces } from './pieces.ts';

/** A stretch of the source for a crossfade, collected as it passes. */
interface Window extends FadeWindow {
  /** Allocated when the source reaches the window: ten thousand seams must not take memory at once. */
  planes: readonly Float32Array[] | null;
}

type Collected =
  | Extract<Piece, { kind: 'pass' }>
  | { readonly kind: 'fade'; readonly outgoing: Window; readonly incoming: Window };

const collecting = (piece: Piece): Collected =>
  piece.kind === 'pass'
    ? piece
    : {
        kind: 'fade',
        outgoing: { ...piece.outgoing, planes: null },
        incoming: { ...piece.incoming, planes: null },
      };

/**
 * Applies an edit list to sound: exact to the frame, equal-power crossfades centred on the seams, made of the material
 * on both sides of each cut (silence beyond the file's end). Memory: two windows of a crossfade's length per nearby
 * seam.
 */
export function renderEdits(edits: EditList): Stage {
  let pieces: Collected[] = [];
  /** Earlier pieces are done. */
  let current = 0;
  let channels = 0;
  let position = 0;

  const planesOf = (window: Window): readonly Float32Array[] =>
    (window.planes ??= Array.from({ length: channels }, () => new Float32Array(window.frames)));

  const collect = (window: Window, block: AudioBlock): void => {
    const from = Math.max(window.from, position);
    const to = Math.min(window.from + window.frames, position + block.frames);
    if (to <= from) return;
    const planes = planesOf(window);
    for (const [channel, plane] of block.planes.entries())
      planes[channel]?.set(plane.subarray(from - position, to - position), from - window.from);
  };

  const finishFade = (piece: Extract<Collected, { kind: 'fade' }>, emit: Emit): void => {
    const incoming = planesOf(piece.incoming);
    crossfade(planesOf(piece.outgoing), incoming, incoming, 'equal-power');
    emit({ planes: incoming, frames: piece.incoming.frames });
    piece.outgoing.planes = null;
    piece.incoming.planes = null;
  };

  return {
    latencyFrames: 0,
    open(format) {
      channels = format.channels;
      pieces = planPieces(edits).map(collecting);
      current = 0;
      position = 0;
      return format;
    },
    process(block, emit) {
      const end = position + block.frames;
      // Windows extend into neighbouring pieces, so they are filled before anything is emitted.
      for (let at = current; at < pieces.length; at += 1) {
        const piece = pieces[at] as Collected;
        if (piece.kind === 'pass') {
          if (piece.from >= end + edits.crossfadeFrames) break;
          continue;
        }
        if (piece.outgoing.from >= end) break;
        collect(piece.outgoing, block);
        collect(piece.incoming, block);
      }
      for (; current < pieces.length; current += 1) {
        const piece = pieces[current] as Collected;
        if (piece.kind === 'fade') {
          if (piece.incoming.from + piece.incoming.frames > end) break;
          finishFade(piece, emit);
          continue;
        }
        const from = Math.max(piece.from, position);
        const to = Math.min(piece.to, end);
        if (to > from)
          emit({
            planes: block.planes.map((plane) => plane.subarray(from - position, to - position)),
            frames: to - from,
          });
        if (piece.to > end) break;
      }
      position = end;
    },
    flush(emit) {
      // A crossfade at the very end of the source: silence after it.
      for (const piece of pieces.slice(current)) if (piece.kind === 'fade') finishFade(piece, emit);
      pieces = [];
    },
    close() {
      pieces = [];
    },
  };
}
