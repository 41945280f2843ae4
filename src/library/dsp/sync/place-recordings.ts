// All recordings on the time of one of them.
import type { ClockLine } from './clock-lines.ts';
import type { PairMatch, PairPiece } from './match-pair.ts';

/** Two recordings that hold the same event: the pieces are of `one`, their lines lead into `other`. */
export interface Link {
  readonly one: number;
  readonly other: number;
  readonly match: PairMatch;
}

/** A stretch of a recording, and its line into the reference's time. */
export interface PlacedPiece {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly line: ClockLine;
}

export interface Placed {
  readonly pieces: readonly PlacedPiece[];
  /** Of the least sure link on the way to the reference. */
  readonly confidence: number;
  /** As in `PairPiece`, against the reference. */
  readonly polarity: number;
}

/** The line back. */
const inverse = ({ offsetSeconds, slope }: ClockLine): ClockLine => ({
  offsetSeconds: -offsetSeconds / (1 + slope),
  slope: 1 / (1 + slope) - 1,
});

/** First along `one`, then along `two`. */
const along = (one: ClockLine, two: ClockLine): ClockLine => ({
  offsetSeconds: one.offsetSeconds * (1 + two.slope) + two.offsetSeconds,
  slope: (1 + one.slope) * (1 + two.slope) - 1,
});

/** Also of endless times. */
const moved = ({ offsetSeconds, slope }: ClockLine, seconds: number): number => seconds * (1 + slope) + offsetSeconds;

/** Nothing is known before the first and after the last of the pieces: they go on. */
const openEnded = (pieces: readonly PlacedPiece[]): PlacedPiece[] =>
  pieces.map((piece, index) => ({
    ...piece,
    startSeconds: index === 0 ? Number.NEGATIVE_INFINITY : piece.startSeconds,
    endSeconds: index === pieces.length - 1 ? Number.POSITIVE_INFINITY : piece.endSeconds,
  }));

/** The pieces of `from` with their lines into the other recording of the link. */
function piecesFrom({ one, match }: Link, from: number): PlacedPiece[] {
  const own = match.pieces.flatMap(({ startSeconds, endSeconds, line, bends }): readonly PlacedPiece[] =>
    bends.length > 0 ? bends : [{ startSeconds, endSeconds, line }],
  );
  if (from === one) return openEnded(own);
  return openEnded(
    own.map(({ startSeconds, endSeconds, line }) => ({
      startSeconds: moved(line, startSeconds),
      endSeconds: moved(line, endSeconds),
      line: inverse(line),
    })),
  );
}

/** Pieces of a recording with their lines into a second, whose own lead into the reference. */
function through(pieces: readonly PlacedPiece[], onward: readonly PlacedPiece[]): PlacedPiece[] {
  return pieces.flatMap(({ startSeconds, endSeconds, line }) => {
    const back = inverse(line);
    return openEnded(onward).flatMap((next): PlacedPiece[] => {
      const start = Math.max(startSeconds, moved(back, next.startSeconds));
      const end = Math.min(endSeconds, moved(back, next.endSeconds));
      return end > start ? [{ startSeconds: start, endSeconds: end, line: along(line, next.line) }] : [];
    });
  });
}

/** How much a link is trusted beside others. */
const weightOf = ({ match: { confidence, pieces } }: Link): number =>
  (confidence * pieces.reduce((sum, { rows }) => sum + rows + 1, 0)) / pieces.length;

const polarityOf = (pieces: readonly PairPiece[]): number =>
  pieces.reduce((sum, { polarity }) => sum + polarity, 0) / Math.max(1, pieces.length);

/**
 * Places every recording that a chain of links leads to from the reference; null: none does.
 * @param durations of the recordings, seconds
 */
export function placeRecordings(
  durations: readonly number[],
  links: readonly Link[],
  reference: number,
): readonly (Placed | null)[] {
  const placed: (Placed | null)[] = durations.map(() => null);
  const whole = { startSeconds: 0, endSeconds: durations[reference] ?? 0, line: { offsetSeconds: 0, slope: 0 } };
  placed[reference] = { pieces: [whole], confidence: 1, polarity: 1 };
  for (;;) {
    const steps = links.filter(({ one, other }) => (placed[one] === null) !== (placed[other] === null));
    const [best] = steps.sort((a, b) => weightOf(b) - weightOf(a));
    if (best === undefined) return placed;
    const [from, to] = placed[best.one] === null ? [best.one, best.other] : [best.other, best.one];
    const parent = placed[to] as Placed;
    const seconds = durations[from] ?? 0;
    placed[from] = {
      pieces: through(piecesFrom(best, from), parent.pieces)
        .map((piece) => ({
          ...piece,
          startSeconds: Math.max(0, piece.startSeconds),
          endSeconds: Math.min(seconds, piece.endSeconds),
        }))
        .filter(({ startSeconds, endSeconds }) => endSeconds > startSeconds),
      confidence: Math.min(parent.confidence, best.match.confidence),
      polarity: parent.polarity * polarityOf(best.match.pieces),
    };
  }
}
