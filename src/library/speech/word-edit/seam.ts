// Where the sound is cut between two words that become neighbours. How quiet places are found differs: the command line
// reads the sound (text-edit/seams.ts), the website's editor its peaks (quiet-places.ts). What is made of them does
// not.
import type { TimeRange } from '../../core/time-range.ts';

/** The end of what stays before a seam, and the start of what stays after it, in seconds of the recording. */
export interface Seam {
  readonly endSeconds: number;
  readonly startSeconds: number;
}

/** A word that stays, and the word beside it that does not; null at the ends of the recording. */
export interface SeamSide {
  readonly stays: TimeRange;
  readonly goes: TimeRange | null;
}

/**
 * Finds a seam.
 * @param isMoved the second word was said elsewhere: a pause stays with the word before it, or it would come twice
 */
export type SeamFinder = (before: SeamSide, after: SeamSide, isMoved?: boolean) => Seam;

/** One side of a seam: the best place, and the pause that it is in. */
export interface QuietPlace {
  /** Seconds of the recording. */
  readonly at: number;
  readonly pause: TimeRange | null;
}

/** Words start and end softly: breath, reverberation, an s. */
export const wordGuardSeconds = 0.08;
export const fillerGuardSeconds = 0.04;
/** A word's time is rarely wrong by more. */
export const searchSeconds = 0.22;
/** Edges are searched outwards from this distance inside the word that goes. */
export const insideSeconds = 0.06;
/**
 * How far a seam may be within a word that stays. Less than around fillers: edges of words are better known, and the
 * closure before a k is no gap between words.
 */
const reachSeconds = 0.04;
/** Shorter cuts are audible and save nothing. */
export const shortestSeconds = 0.04;

/** Where one side of a seam is looked for, in seconds of the recording. */
export interface SearchRange {
  /** The edge of the word that goes, or of the word that stays where there is none. */
  readonly given: number;
  /** The end towards what goes. */
  readonly outer: number;
  /** The end towards, or just inside, the word that stays. */
  readonly inner: number;
}

/** @param edge of the word that stays */
export function searchRange({ stays, goes }: SeamSide, edge: 'start' | 'end'): SearchRange {
  const isEnd = edge === 'end';
  const half = (stays.startSeconds + stays.endSeconds) / 2;
  const ownEdge = isEnd ? stays.endSeconds : stays.startSeconds;
  const given = goes === null ? ownEdge : isEnd ? goes.startSeconds : goes.endSeconds;
  const reach = goes === null ? searchSeconds : Math.min(insideSeconds, (goes.endSeconds - goes.startSeconds) / 3);
  return {
    given,
    outer: given + (isEnd ? reach : -reach),
    inner: isEnd
      ? Math.max(half, Math.min(given, ownEdge) - reachSeconds)
      : Math.min(half, Math.max(given, ownEdge) + reachSeconds),
  };
}

/** Around the start of a word that is heard without the pause before it, no further back than the word before that. */
export function startRange({ stays, goes }: SeamSide): SearchRange {
  const range = searchRange({ stays, goes: null }, 'start');
  const least = goes === null ? range.outer : searchRange({ stays, goes }, 'start').outer;
  return { ...range, outer: Math.min(range.given, Math.max(range.outer, least)) };
}

/**
 * Of the pauses on both sides the longer one is kept whole, with its breath, and of the other only the guard of its
 * word.
 * @param isMoved the left one is kept
 * @returns null where neither side has a pause
 */
export function seamInPauses(left: QuietPlace, right: QuietPlace, isMoved = false): Seam | null {
  const lengthOf = ({ pause }: QuietPlace): number => (pause === null ? 0 : pause.endSeconds - pause.startSeconds);
  const guard = (side: QuietPlace): number => Math.min(fillerGuardSeconds, lengthOf(side) / 3);
  if (left.pause !== null && (isMoved || lengthOf(left) >= lengthOf(right)))
    return {
      endSeconds: left.pause.endSeconds - guard(left),
      startSeconds: right.pause === null ? right.at : Math.max(right.at, right.pause.endSeconds - wordGuardSeconds),
    };
  if (right.pause !== null)
    return {
      endSeconds: left.pause === null ? left.at : Math.min(left.at, left.pause.startSeconds + wordGuardSeconds),
      startSeconds: right.pause.startSeconds + guard(right),
    };
  return null;
}
