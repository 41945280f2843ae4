// Where people take short turns a change is easily missed. So every stretch is compared again in pieces of about a
// second, which are too short to find unknown speakers, but long enough to recognise known ones.
import { embeddingLength } from './networks.ts';
import { cutPieces, type Outline, type VoicePiece, pieceSeconds, takeoversOf } from './pieces.ts';
import { likenessToVoice, personOf, type Voices } from './voices.ts';

/** Length limit of a piece the second time, seconds. */
const longestSeconds = 1;
/** The voice changes where this share of the windows says so; for certain, and perhaps. */
export const sureShare = 0.5;
const perhapsShare = 0.25;
/** Longer pieces have no more weight than one of this many seconds. */
const mostWeight = 1.5;
/**
 * The gain in similarity times seconds that a change of speaker needs: where windows hear one, perhaps hear one, hear
 * none.
 */
const changeCost = { sure: 0.05, perhaps: 0.1, none: 0.15 };

export interface FinePieces {
  readonly pieces: readonly VoicePiece[];
  /** For each piece the cost of a change of speaker there. */
  readonly costs: readonly number[];
}

export function finePieces(outline: Outline): FinePieces {
  const sure = takeoversOf(outline, sureShare);
  const perhaps = takeoversOf(outline, perhapsShare);
  const pieces = cutPieces(outline, perhaps, longestSeconds);
  const costs = pieces.map(({ firstFrame }, index) => {
    // After a pause anyone may continue.
    if (pieces[index - 1]?.endFrame !== firstFrame || sure[firstFrame] === 1) return changeCost.sure;
    return perhaps[firstFrame] === 1 ? changeCost.perhaps : changeCost.none;
  });
  return { pieces, costs };
}

/**
 * Who speaks in each piece: the most similar sequence of speakers minus the cost of changes (Viterbi).
 * @param embeddings of the pieces, concatenated; zeros for pieces that are too short
 * @returns the speaker of each piece, see `personOf`
 */
export function tellApart({ pieces, costs }: FinePieces, embeddings: Float32Array, voices: Voices): Uint8Array {
  const { count } = voices;
  const people = new Uint8Array(pieces.length);
  if (count === 0 || embeddings.length < pieces.length * embeddingLength) return people;
  const from = new Uint8Array(pieces.length * count);
  let sums = new Float64Array(count);
  for (const [index, piece] of pieces.entries()) {
    const weight = Math.min(mostWeight, pieceSeconds(piece));
    // The best may change to any other.
    const best = sums.indexOf(sums.reduce((most, sum) => Math.max(most, sum), Number.NEGATIVE_INFINITY));
    const change = (sums[best] as number) - (costs[index] as number);
    sums = sums.map((sum, voice) => {
      from[index * count + voice] = change > sum ? best : voice;
      return Math.max(sum, change) + weight * likenessToVoice(voices, voice, embeddings, index);
    });
  }
  let voice = sums.indexOf(sums.reduce((most, sum) => Math.max(most, sum), Number.NEGATIVE_INFINITY));
  for (let index = pieces.length - 1; index >= 0; index -= 1) {
    people[index] = personOf(voice);
    voice = from[index * count + voice] as number;
  }
  return people;
}
