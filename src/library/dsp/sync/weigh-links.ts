// What every two recordings say of each other, weighed together: three and more that have their place agree at last.
import { rootOf, solveRoot, solveTransposed } from '../repair/cholesky.ts';
import { type ClockLine, lagAt } from './clock-lines.ts';
import type { SyncSound } from './delay-rows.ts';
import { refineLine } from './fine-line.ts';
import { pieceOf, type PairKind } from './match-pair.ts';
import type { Link, Placed, PlacedPiece } from './place-recordings.ts';

/** What a pair says: how far the second is from where its place has it, seconds. */
interface Look {
  readonly one: number;
  readonly other: number;
  /** On the reference's time, of the middle of its rows. */
  readonly atSeconds: number;
  readonly missSeconds: number;
  readonly slope: number;
  readonly kind: PairKind;
  /** As in `PairPiece`. */
  readonly levelsApartDb: number;
  readonly usualSlope: number;
}

/** Rows of a pair: as many as ten minutes have. */
const mostRows = 300;
const leastRows = 20;
/** Of the stacked peak: below, a pair says nothing. */
const leastContrast = 8;
/** By how much the offset may err, seconds: a recorder in a room is off by the sound's way. */
const usualMiss: Readonly<Record<PairKind, number>> = {
  copy: 0.0002,
  own_microphones: 0.0003,
  room: 0.006,
  call: 0.006,
};
/** What a row's lag errs by. */
const usualRow = 0.0002;
/** Looks that miss by more are of something else, as an echo. */
const mostMiss = 0.02;
/** How far a place may be moved at all, seconds, and a rate. */
const usualMove = 0.02;
const usualTurn = 5e-6;
const rounds = 4;
/** Two microphones whose levels change by less than this share of the most are not both near a talker. */
const nearShare = 0.7;

const isIn = (piece: PlacedPiece, seconds: number): boolean =>
  seconds >= piece.startSeconds && seconds <= piece.endSeconds;

/** The reference's time of a recording's second; NaN: it has no place. */
function referenceOf({ pieces }: Placed, seconds: number): number {
  const piece = pieces.find((each) => isIn(each, seconds));
  return piece === undefined ? Number.NaN : seconds + lagAt(piece.line, seconds);
}

/** The recording's second at a time of the reference; NaN: it has none. */
function ownOf({ pieces }: Placed, reference: number): number {
  for (const piece of pieces) {
    const own = (reference - piece.line.offsetSeconds) / (1 + piece.line.slope);
    if (isIn(piece, own)) return own;
  }
  return Number.NaN;
}

const straight: ClockLine = { offsetSeconds: 0, slope: 0 };

function lookAt(sounds: readonly SyncSound[], places: readonly Placed[], one: number, other: number): Look | null {
  const [own, its] = [places[one], places[other]] as [Placed, Placed];
  const [first, last] = [own.pieces[0], own.pieces.at(-1)];
  if (first === undefined || last === undefined) return null;
  const stretch = [first.startSeconds, last.endSeconds] as const;
  const follow = (seconds: number): number => ownOf(its, referenceOf(own, seconds)) - seconds;
  const fine = refineLine(sounds[one] as SyncSound, sounds[other] as SyncSound, straight, stretch, {
    follow,
    most: mostRows,
  });
  const { times = [] } = fine?.rows ?? {};
  if (fine === null || times.length < leastRows) return null;
  const [startSeconds, endSeconds] = stretch;
  const { line, kind, contrast, levelsApartDb } = pieceOf({ startSeconds, endSeconds }, straight, fine);
  if (contrast < leastContrast) return null;
  const middle = times.reduce((sum, each) => sum + each, 0) / times.length;
  const seconds = (times.at(-1) as number) - (times[0] as number);
  return {
    one,
    other,
    atSeconds: referenceOf(own, middle),
    missSeconds: lagAt(line, middle),
    slope: line.slope,
    kind,
    levelsApartDb,
    usualSlope: (4 * usualRow) / Math.max(1, seconds) / Math.sqrt(times.length / leastRows),
  };
}

interface Move {
  readonly seconds: number;
  readonly slope: number;
}

/** Least squares over all looks, those that miss by more than is usual counting less. */
function movesOf(looks: readonly Look[], indexes: readonly number[], middle: number): Map<number, Move> {
  const at = new Map(indexes.map((index, place) => [index, place]));
  const count = 2 * indexes.length;
  let found = new Float64Array(count);
  const moveOf = (index: number): Move => {
    const place = at.get(index);
    return place === undefined
      ? { seconds: 0, slope: 0 }
      : { seconds: found[2 * place] as number, slope: found[2 * place + 1] as number };
  };
  for (let round = 0; round < rounds; round += 1) {
    const matrix = Array.from({ length: count }, () => new Float64Array(count));
    const right = new Float64Array(count);
    for (let place = 0; place < count; place += 1)
      (matrix[place] as Float64Array)[place] = 1 / (place % 2 === 0 ? usualMove : usualTurn) ** 2;
    const add = (parts: readonly (readonly [number, number])[], value: number, usual: number): void => {
      for (const [row, a] of parts) {
        right[row] = (right[row] as number) + (a * value) / usual ** 2;
        const line = matrix[row] as Float64Array;
        for (const [column, b] of parts) line[column] = (line[column] as number) + (a * b) / usual ** 2;
      }
    };
    for (const { one, other, atSeconds, missSeconds, slope, kind, usualSlope } of looks) {
      const usualSeconds = usualMiss[kind];
      const [own, its] = [moveOf(one), moveOf(other)];
      const since = atSeconds - middle;
      const left = missSeconds - (own.seconds - its.seconds + (own.slope - its.slope) * since);
      if (round > 0 && Math.abs(left) > mostMiss) continue;
      const usual = usualSeconds * Math.sqrt(1 + (round === 0 ? 0 : (left / (3 * usualSeconds)) ** 2));
      const ends = [
        [one, 1],
        [other, -1],
      ] as const;
      const places = ends.flatMap(([index, sign]) => (at.has(index) ? [[2 * (at.get(index) as number), sign]] : []));
      add(
        places.flatMap(([place = 0, sign = 0]) => [
          [place, sign],
          [place + 1, sign * since],
        ]),
        missSeconds,
        usual,
      );
      add(
        places.map(([place = 0, sign = 0]) => [place + 1, sign]),
        slope,
        usualSlope,
      );
    }
    const root = rootOf(count, count - 1, (row, column) => matrix[row]?.[column] ?? 0);
    found = Float64Array.from(solveTransposed(root, solveRoot(root, right)));
  }
  return new Map(indexes.map((index) => [index, moveOf(index)]));
}

/**
 * Moves what is placed to where all pairs agree best (weighted least squares, each pair by what it can know): two
 * microphones that hear each other stay right to each other, though both have their place by a recorder far away.
 * @param turn called between pairs: lets others run
 */
export async function weighLinks(
  sounds: readonly SyncSound[],
  placed: readonly (Placed | null)[],
  { links, reference }: { readonly links: readonly Link[]; readonly reference: number },
  turn: () => Promise<void>,
): Promise<readonly (Placed | null)[]> {
  const indexes = placed.flatMap((each, index) => (each === null ? [] : [index]));
  if (indexes.length < 3) return placed;
  const looks: Look[] = [];
  for (const [place, one] of indexes.entries())
    for (const other of indexes.slice(place + 1)) {
      // A delay that jumps is known by the pair alone.
      const jumps = links.some(
        (link) => link.match.delays.length > 0 && [one, other].includes(link.one) && [one, other].includes(link.other),
      );
      const look = jumps ? null : lookAt(sounds, placed as readonly Placed[], one, other);
      if (look !== null && Math.abs(look.missSeconds) < mostMiss) looks.push(look);
      await turn();
    }
  // Beside a recorder in the room a microphone has two peaks, too, but no voice is nearer to the recorder.
  const most = Math.max(...looks.map(({ levelsApartDb }) => levelsApartDb));
  const trusted = looks.map((look): Look =>
    look.levelsApartDb < nearShare * most && look.kind === 'own_microphones' ? { ...look, kind: 'room' } : look,
  );
  const middle = (placed[reference]?.pieces.at(-1)?.endSeconds ?? 0) / 2;
  const moves = movesOf(
    trusted,
    indexes.filter((index) => index !== reference),
    middle,
  );
  return placed.map((each, index) => {
    const move = moves.get(index);
    if (each === null || move === undefined) return each;
    const moved = ({ offsetSeconds, slope }: ClockLine): ClockLine => ({
      offsetSeconds: offsetSeconds + move.seconds + move.slope * (offsetSeconds - middle),
      slope: slope + move.slope * (1 + slope),
    });
    return { ...each, pieces: each.pieces.map((piece) => ({ ...piece, line: moved(piece.line) })) };
  });
}
