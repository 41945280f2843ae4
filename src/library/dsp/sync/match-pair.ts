// Do two recordings hold the same event, and how do their clocks lie?
import type { BentPart } from './clock-bends.ts';
import { type ClockLine, lagAt, linesOf, type AgreedLine } from './clock-lines.ts';
import type { SyncSound } from './delay-rows.ts';
import { type DelayStep, steppedDelay } from './delay-steps.ts';
import { activeSegments, type Place, type SegmentSearch } from './find-segments.ts';
import { type FineLine, type FinePeak, refineLine } from './fine-line.ts';
import { piecesOfLines } from './line-pieces.ts';
import { marksPerSecond } from './marks.ts';

/** What two recordings of one event are to each other. */
export type PairKind = 'copy' | 'own_microphones' | 'room' | 'call';

/** A stretch of the first recording and where it is in the second. */
export interface PairPiece {
  /** In the first recording. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** What is at t in the first is at t + lag in the second. */
  readonly line: ClockLine;
  /** Its parts, where the clock does not keep one rate. */
  readonly bends: readonly BentPart[];
  readonly kind: PairKind;
  /** Of the highest peak, over the usual size; 0: the line is that of the segments, good to 20 ms. */
  readonly contrast: number;
  /** -1: one is upside down, 1: they are not; near 0: not known. */
  readonly polarity: number;
  /** Of two microphones, how much their levels change by who talks, dB: more than beside a recorder in the room. */
  readonly levelsApartDb: number;
  readonly rows: number;
}

export interface PairMatch {
  readonly related: boolean;
  /** 0 to 1. */
  readonly confidence: number;
  readonly segments: number;
  readonly agreeing: number;
  /** The shorter has too few segments for a place, even if all agreed. */
  readonly tooLittle: boolean;
  readonly share: number;
  readonly pieces: readonly PairPiece[];
  /** Of a call whose delay jumps; [] elsewhere. */
  readonly delays: readonly DelayStep[];
  /** The one repeats itself: it fits in many places. */
  readonly repeats: boolean;
  /** Both play the same music, with little else in common. */
  readonly sharesMusic: boolean;
}

const usualRows = 30 * marksPerSecond;
const shortRows = 10 * marksPerSecond;
/** Recordings that are shorter have short segments. */
const shortRecording = 150 * marksPerSecond;
const usualSegments = 24;
const allSegments = 400;
/** Third place over the first: a loop. */
const repeatShare = 0.9;
const repeatContrast = 6;
const leastShare = 0.6;
const leastAgreeing = 3;
/** Of a short recording more segments agree. */
const shortAgreeing = 4;
const shortShare = 0.6;
const mostPpm = 300;
const backwardsSeconds = 5;
const leastPieceSeconds = 45;
/** Peaks in so many rows at least are talkers. */
const talkerRows = 2;
const talkerShare = 0.04;
const mostTalkers = 4;
const nearerDb = 4;
const mostApartSeconds = 0.04;
const copyContrast = 30;
/** Delays of a call differ by no more, seconds. */
const mostJump = 0.4;
const musicAlike = 0.45;
const surePolarity = 30;
const clearContrast = 6;

const unrelated = { related: false, confidence: 0, share: 0, pieces: [], delays: [], sharesMusic: false };

/**
 * Two personal microphones give two peaks, each talker reaching the other's later. The later one's level is the lower,
 * by 4 dB at least; the clocks' offset is the middle.
 */
function twoMicrophones(peaks: readonly FinePeak[]): readonly [FinePeak, FinePeak] | null {
  const pairs = peaks
    .flatMap((late) => peaks.map((early): readonly [FinePeak, FinePeak] => [late, early]))
    .filter(
      ([late, early]) =>
        late.lagSeconds > early.lagSeconds &&
        early.levelDb - late.levelDb > nearerDb &&
        late.lagSeconds - early.lagSeconds < mostApartSeconds,
    );
  const rowsOf = ([late, early]: readonly [FinePeak, FinePeak]): number => late.rows + early.rows;
  return pairs.reduce<readonly [FinePeak, FinePeak] | null>(
    (best, each) => (best === null || rowsOf(each) > rowsOf(best) ? each : best),
    null,
  );
}

interface Stretch {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

export function pieceOf({ startSeconds, endSeconds }: Stretch, coarse: ClockLine, fine: FineLine | null): PairPiece {
  const [first] = fine?.peaks ?? [];
  const stretch = { startSeconds, endSeconds };
  if (fine === null || first === undefined)
    return {
      ...stretch,
      line: coarse,
      bends: [],
      kind: 'room',
      contrast: 0,
      polarity: 0,
      levelsApartDb: 0,
      rows: 0,
    };
  const rows = fine.rows.times.length;
  const talkers = fine.peaks
    .filter((peak) => peak.rows >= Math.max(talkerRows, talkerShare * rows))
    .sort((one, two) => two.rows - one.rows)
    .slice(0, mostTalkers);
  const own = talkers.length > 1 ? twoMicrophones(talkers) : null;
  const lag = own === null ? first.lagSeconds : (own[0].lagSeconds + own[1].lagSeconds) / 2;
  const kind = own !== null ? 'own_microphones' : talkers.length < 2 && first.contrast > copyContrast ? 'copy' : 'room';
  const later = ({ offsetSeconds, slope }: ClockLine): ClockLine => ({ offsetSeconds: offsetSeconds + lag, slope });
  return {
    ...stretch,
    line: later(fine.line),
    bends: (fine.bends ?? []).map((part) => ({ ...part, line: later(part.line) })),
    kind,
    contrast: first.contrast,
    polarity: Math.sign(first.height) * Math.min(1, first.contrast / surePolarity),
    levelsApartDb: own === null ? 0 : own[1].levelDb - own[0].levelDb,
    rows,
  };
}

/** Later here is earlier there: the same music at both ends, no event. */
const runBackwards = (pieces: readonly PairPiece[]): boolean =>
  pieces.some((piece, index) => {
    const next = pieces[index + 1];
    const placeOf = ({ startSeconds, line }: PairPiece): number => startSeconds + lagAt(line, startSeconds);
    return next !== undefined && placeOf(next) < placeOf(piece) - backwardsSeconds;
  });

/** Another take: its tempo wanders, so that it falls into many short pieces, or its line is too steep. */
const isOtherTake = (pieces: readonly PairPiece[]): boolean =>
  pieces.some(({ line }) => Math.abs(line.slope) * 1e6 > mostPpm) ||
  (pieces.length > 2 &&
    pieces.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0) / pieces.length <
      leastPieceSeconds);

const alikeOf = (lines: readonly AgreedLine[]): number => {
  const all = lines.flatMap(({ places }) => places.map(({ alike }) => alike)).sort((one, two) => one - two);
  return all[all.length >> 1] ?? 0;
};

/** Third place of a segment over its first, in most segments: a loop. */
function isLoop(segments: readonly (readonly Place[])[]): boolean {
  const shares = segments
    .flatMap(([first, , third]) =>
      first && third && first.contrast > repeatContrast && first.alike > 0 ? [third.alike / first.alike] : [],
    )
    .sort((one, two) => one - two);
  return (
    shares.length >= 3 && shares.length > segments.length / 2 && (shares[shares.length >> 1] as number) > repeatShare
  );
}

export interface CoarseMatch {
  readonly segments: readonly (readonly Place[])[];
  readonly lines: readonly AgreedLine[];
  readonly short: boolean;
}

/**
 * Where segments of the shorter recording lie in the other.
 * @param turn called between segments: lets others run
 */
export async function findLines(one: SyncSound, other: SegmentSearch, turn: () => Promise<void>): Promise<CoarseMatch> {
  const short = one.marks.count < shortRecording;
  const rows = Math.min(one.marks.count, short ? shortRows : usualRows);
  const find = async (most: number): Promise<CoarseMatch> => {
    const segments: Place[][] = [];
    for (const from of activeSegments(one.marks, rows, most)) {
      segments.push(other.find(one.marks, from, rows));
      await turn();
    }
    return { segments, lines: linesOf(segments), short };
  };
  const some = await find(usualSegments);
  // A stretch of a minute in hours lies between the segments: then all of them.
  return some.lines.length === 0 && one.marks.count > usualSegments * (rows / 2) ? await find(allSegments) : some;
}

/** One piece of a call whose delay jumps, on the clocks' own line; null: it does not jump. */
function calledOf(
  one: SyncSound,
  other: SyncSound,
  lines: readonly AgreedLine[],
  pieces: readonly PairPiece[],
): { readonly piece: PairPiece; readonly delays: readonly DelayStep[] } | null {
  const [first, last] = [pieces[0], pieces.at(-1)];
  const [line] = lines;
  if (first === undefined || last === undefined || line === undefined) return null;
  const isOne = pieces.length === 1 && first.kind === 'copy' && first.bends.length === 0;
  if (isOne || pieces.some(({ kind }) => kind === 'own_microphones')) return null;
  if (lines.some((each) => Math.abs(each.offsetSeconds - line.offsetSeconds) > mostJump)) return null;
  const stepped = steppedDelay(one, other, line);
  if (stepped === null) return null;
  const { startSeconds } = first;
  const contrast = Math.max(clearContrast, ...pieces.map((piece) => piece.contrast));
  const piece = { ...last, startSeconds, line: stepped.line, bends: [], kind: 'call', contrast } as const;
  return { piece, delays: stepped.steps };
}

/** What the lines of two recordings come to. @param one the shorter */
export async function matchPair(
  one: SyncSound,
  other: SyncSound,
  { segments, lines, short }: CoarseMatch,
  turn: () => Promise<void>,
): Promise<PairMatch> {
  const repeats = isLoop(segments);
  const agreeing = Math.max(0, ...lines.map(({ places }) => places.length));
  const least = short ? Math.max(shortAgreeing, shortShare * segments.length) : leastAgreeing;
  const counts = { segments: segments.length, agreeing, tooLittle: segments.length < least, repeats };
  if (lines.length === 0) return { ...unrelated, ...counts };
  const { pieces: stretches, share } = piecesOfLines(one.marks, other.marks, lines);
  // What is refused anyway needs no fine look.
  if (agreeing < least || share < leastShare || repeats) return { ...unrelated, ...counts, share };
  let pieces: PairPiece[] = [];
  for (const stretch of stretches) {
    const coarse = lines[stretch.line] as AgreedLine;
    const endSeconds = Math.min(stretch.endSeconds, one.marks.count / marksPerSecond + 1);
    const fine = refineLine(one, other, coarse, [stretch.startSeconds, endSeconds]);
    pieces.push(pieceOf({ startSeconds: stretch.startSeconds, endSeconds }, coarse, fine));
    await turn();
  }
  const called = calledOf(one, other, lines, pieces);
  if (called !== null) pieces = [called.piece];
  const contrast = Math.max(0, ...pieces.map((piece) => piece.contrast));
  const related = pieces.length > 0 && !runBackwards(pieces) && !isOtherTake(pieces);
  const sure = (1 - 0.5 ** (agreeing - 2)) * Math.min(1, share / 0.8);
  return {
    related,
    confidence: related ? sure * (contrast < clearContrast ? 0.5 : 1) : 0,
    ...counts,
    share,
    pieces,
    delays: called?.delays ?? [],
    sharesMusic: related && contrast > copyContrast && alikeOf(lines) < musicAlike,
  };
}
