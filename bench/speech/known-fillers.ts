import type { CutPiece } from '../../test/fixtures/sounds/cut-measures.ts';

/** Fillers of acoustic_corpus, where the phonetician heard them; the second is where the grid has a pause. */
export const acousticFillers: readonly CutPiece[] = [
  { startSeconds: 8.02, endSeconds: 8.57 },
  { startSeconds: 14.53, endSeconds: 14.86 },
  { startSeconds: 22.9, endSeconds: 23.53 },
];
