// Divides a transcript into captions: the cheapest division by dynamic programming, with costs for a break inside a
// phrase, an orphan, a hurried or a flickering caption.
import type { Transcript } from '../../../contract/transcript.ts';
import {
  type CaptionLimits,
  captionLimits,
  type CaptionProfile,
  linesPerCaption,
  longestSeconds,
  shortestSeconds,
} from './limits.ts';
import { type CaptionPiece, type CaptionRun, captionRuns } from './pieces.ts';
import { type CaptionsByHand, movedByHand } from './by-hand.ts';
import type { Caption, CaptionWord, SpokenCaption } from './caption.ts';
import { timeCaptions } from './caption-times.ts';
import { shortCaptions } from './short-captions.ts';

/** Prefix for a speaker's name on the first line of a turn; '' for none. */
export type SpeakerPrefix = (speaker: number) => string;

/**
 * The captions of a transcript, in order of their start.
 * @param byHand what people set, in words that have numbers. Default: nothing
 * @param prefix put before the first line where the speaker changes; `shorts` have none
 */
export function captionsOf(
  transcript: Transcript,
  prefix: SpeakerPrefix = () => '',
  profile: CaptionProfile = 'standard',
  byHand?: CaptionsByHand,
): Caption[] {
  if (profile === 'shorts') return shortCaptions(transcript);
  const limits = captionLimits(transcript.language, profile);
  let speaker: number | null = null;
  const spoken = captionRuns(transcript, limits, byHand).flatMap((run) => {
    const turn = run.speaker === speaker ? null : run.speaker;
    speaker = run.speaker ?? speaker;
    return divide(run, limits, turn === null ? '' : prefix(turn));
  });
  spoken.sort((a, b) => a.spokenFrom - b.spokenFrom);
  const timed = timeCaptions(spoken, limits, transcript.durationSeconds);
  return byHand === undefined ? timed : movedByHand(timed, byHand);
}

const captionCost = 1;
const sentenceInsideCost = 0.35;
const breakWeight = 2.2;
const orphanCells = 0.3;

function divide(run: CaptionRun, limits: CaptionLimits, prefix: string): SpokenCaption[] {
  const { pieces } = run;
  const least = new Float64Array(pieces.length + 1).fill(Number.POSITIVE_INFINITY);
  const from = new Int32Array(pieces.length + 1);
  least[0] = 0;
  for (let begin = 0; begin < pieces.length; begin++) {
    const lead = begin === 0 ? prefix.length : 0;
    let cells = lead;
    for (let end = begin + 1; end <= pieces.length; end++) {
      const piece = pieces[end - 1]!;
      cells += piece.cells + (end - 1 > begin && piece.spaced ? 1 : 0);
      const isOne = end === begin + 1;
      if (!isOne && cells > linesPerCaption * limits.lineCells + 1) break;
      if (!isOne && piece.endSeconds - pieces[begin]!.startSeconds > longestSeconds) break;
      const lineCost = lineBreak(pieces, begin, end, limits, lead)?.cost ?? (isOne ? 0 : null);
      if (lineCost === null) continue;
      const cost = least[begin]! + captionCost + lineCost + costOf(pieces, begin, end, cells, limits);
      if (cost < least[end]!) {
        least[end] = cost;
        from[end] = begin;
      }
    }
  }
  const captions: SpokenCaption[] = [];
  for (let end = pieces.length; end > 0; end = from[end]!) {
    const begin = from[end]!;
    const at = lineBreak(pieces, begin, end, limits, begin === 0 ? prefix.length : 0)?.at ?? end;
    const lines = [textOf(pieces, begin, at), ...(at < end ? [textOf(pieces, at, end)] : [])];
    if (begin === 0) lines[0] = prefix + lines[0]!;
    captions.push({
      lines,
      speaker: run.speaker,
      words: wordsOf(pieces.slice(begin, end), at - begin),
      spokenFrom: pieces[begin]!.startSeconds,
      spokenTo: pieces[end - 1]!.endSeconds,
      cells: pieces.slice(begin, end).reduce((sum, piece) => sum + piece.cells + 1, -1),
    });
  }
  return captions.toReversed();
}

/** The cost of one caption of these pieces. */
function costOf(
  pieces: readonly CaptionPiece[],
  begin: number,
  end: number,
  cells: number,
  limits: CaptionLimits,
): number {
  const first = pieces[begin]!;
  const last = pieces[end - 1]!;
  const untilNext = (pieces[end]?.startSeconds ?? last.endSeconds + 1) - first.startSeconds;
  let cost = last.endsSentence ? 0 : breakWeight * last.breakCost;
  // More than captions cost by themselves: what people set is left only where two lines cannot hold it.
  if (pieces[end]?.begins === 0) cost += 1000;
  if (
    cells < orphanCells * limits.lineCells &&
    !(last.endsSentence && (begin === 0 || pieces[begin - 1]!.endsSentence))
  )
    cost += 1;
  cost += 5 * Math.max(0, shortestSeconds - untilNext);
  cost += 4 * Math.max(0, cells / limits.cellsPerSecond / Math.max(untilNext, 0.1) - 1);
  for (let at = begin; at + 1 < end; at++) {
    if (pieces[at + 1]!.begins === 1) cost += 1000;
    if (pieces[at]!.endsSentence) cost += sentenceInsideCost;
    cost += 1.5 * Math.max(0, pieces[at + 1]!.startSeconds - pieces[at]!.endSeconds - 0.3);
  }
  return cost;
}

/** Start of the second line (`end`: there is none); null when two lines cannot hold the pieces. */
function lineBreak(
  pieces: readonly CaptionPiece[],
  begin: number,
  end: number,
  { lineCells }: CaptionLimits,
  lead: number,
): { readonly at: number; readonly cost: number } | null {
  const width = (from: number, to: number): number => {
    let cells = from === begin ? lead : 0;
    for (let at = from; at < to; at++) cells += pieces[at]!.cells + (at > from && pieces[at]!.spaced ? 1 : 0);
    return cells;
  };
  const total = width(begin, end);
  if (total <= lineCells) return { at: end, cost: 0 };
  let best: { at: number; cost: number } | null = null;
  let first = lead;
  for (let at = begin + 1; at < end; at++) {
    first += pieces[at - 1]!.cells + (at - 1 > begin && pieces[at - 1]!.spaced ? 1 : 0);
    if (first > lineCells) break;
    const second = total - first - (pieces[at]!.spaced ? 1 : 0);
    if (second > lineCells) continue;
    const uneven = Math.abs(first - second) / lineCells;
    // Of two equal ones, a longer second line covers less of the picture.
    const cost = 0.7 * pieces[at - 1]!.breakCost + uneven * 0.5 + (first > second ? 0.05 : 0);
    if (best === null || cost < best.cost) best = { at, cost };
  }
  return best;
}

/** @param second index of the first piece of the second line */
const wordsOf = (pieces: readonly CaptionPiece[], second: number): CaptionWord[] =>
  pieces.map(({ text, startSeconds, endSeconds, spaced, number }, at) => ({
    ...(number === undefined ? {} : { number }),
    text,
    startSeconds,
    endSeconds,
    line: at < second ? 0 : 1,
    spaced: spaced && at > 0 && at !== second,
  }));

function textOf(pieces: readonly CaptionPiece[], from: number, to: number): string {
  let text = '';
  for (let at = from; at < to; at++) text += (at > from && pieces[at]!.spaced ? ' ' : '') + pieces[at]!.text;
  return text;
}
