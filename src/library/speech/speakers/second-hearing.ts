// Where people take short turns a change is easily missed. So every stretch is heard once more in pieces of about a
// second, which alone say too little to find out who there is, but enough to tell those who are known.
import { embeddingLength } from './networks.ts';
import { cutPieces, type Outline, type Piece, pieceSeconds, takeoversOf } from './pieces.ts';
import { likeness, type Voices } from './voices.ts';

/** So long a piece is the second time, seconds. */
const longestSeconds = 1;
/** A voice takes over where such a share of the windows says so; surely, and perhaps. */
export const sureShare = 0.5;
const perhapsShare = 0.25;
/** A longer piece says no more about who speaks than one of so many seconds. */
const mostWeight = 1.5;
/** What a change of person must gain in likeness times seconds: where windows hear one, perhaps hear one, hear none. */
const changeCost = { sure: 0.05, perhaps: 0.1, none: 0.15 };

export interface FinePieces {
  readonly pieces: readonly Piece[];
  /** Of each piece what it costs that somebody else begins there. */
  readonly costs: readonly number[];
}

export function finePieces(outline: Outline): FinePieces {
  const sure = takeoversOf(outline, sureShare);
  const perhaps = takeoversOf(outline, perhapsShare);
  const pieces = cutPieces(outline, perhaps, longestSeconds);
  const costs = pieces.map(({ firstFrame }, index) => {
    // Behind a pause everybody may go on.
    if (pieces[index - 1]?.endFrame !== firstFrame || sure[firstFrame] === 1) return changeCost.sure;
    return perhaps[firstFrame] === 1 ? changeCost.perhaps : changeCost.none;
  });
  return { pieces, costs };
}

/**
 * Who speaks in each piece: the people who are most like them together, less what their changes cost (Viterbi).
 * @param embeddings of the pieces, one after the other; zeros where one is too short to say
 * @returns the number of each piece's voice
 */
export function tellApart({ pieces, costs }: FinePieces, embeddings: Float32Array, voices: Voices): Uint8Array {
  const { count } = voices;
  const people = new Uint8Array(pieces.length);
  if (count === 0 || embeddings.length < pieces.length * embeddingLength) return people;
  const from = new Uint8Array(pieces.length * count);
  let sums = new Float64Array(count);
  for (const [index, piece] of pieces.entries()) {
    const weight = Math.min(mostWeight, pieceSeconds(piece));
    // Whoever is best may hand over to everybody.
    const best = sums.indexOf(sums.reduce((most, sum) => Math.max(most, sum), Number.NEGATIVE_INFINITY));
    const change = (sums[best] as number) - (costs[index] as number);
    sums = sums.map((sum, voice) => {
      from[index * count + voice] = change > sum ? best : voice;
      return Math.max(sum, change) + weight * likeness(voices, voice, embeddings, index);
    });
  }
  let voice = sums.indexOf(sums.reduce((most, sum) => Math.max(most, sum), Number.NEGATIVE_INFINITY));
  for (let index = pieces.length - 1; index >= 0; index -= 1) {
    people[index] = voice;
    voice = from[index * count + voice] as number;
  }
  return people;
}
