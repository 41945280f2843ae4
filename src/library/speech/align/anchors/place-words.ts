// Decides which words of a script are spoken, and roughly when, from what a recogniser heard. Heard words are; for
// words between them it depends on the available time and on what was heard instead.
import type { TimeRange } from '../../../core/time-range.ts';
import type { Anchor, HeardWord } from './anchors.ts';
import { similarity } from './similarity.ts';

/** A word of the script with sound. */
export interface WordToPlace {
  readonly key: string;
  /** Its duration in the synthesiser's reading. */
  readonly seconds: number;
  /** Is it the last of its sentence? */
  readonly endsSentence: boolean;
}

export interface Placement {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Uncertainty of its position; undefined for a word that was heard. */
  readonly slackSeconds?: number;
}

export interface Surroundings {
  readonly durationSeconds: number;
  /** Approximate times of the words by the script's own times, where they are reliable. */
  readonly known: readonly (TimeRange | null)[];
  /**
   * Phonetic similarity of runs of words, 0 to 1: "1994" and "nineteen ninety-four". Indices of both lists, ends
   * exclusive.
   */
  /** Distance of the sound from a reading of the words, and the same for the words around them. */
  costs(
    run: readonly [number, number],
    placements: readonly Placement[],
  ): { readonly run: number; readonly around: number };
  soundAlike(run: readonly [number, number], heard: readonly [number, number]): number;
}

/**
 * Words that were not heard may still be spoken: if there is time, and their sound is as close as their neighbours'.
 */
const shortRun = { words: 2, tempo: 0.35, margin: 0.05 };
const longRun = { tempo: 0.5, margin: 0 };
const mostSecondsTried = 120;
const mostLettersSquared = 4e6;
const middleRun = { words: 4, tempo: 0.4, leastText: 0.5, mostText: 2 };
const likeRun = { similarity: 0.45, tempo: 0.4 };
const soundingRun = { similarity: 0.6, words: 16 };
/**
 * What was surely heard in a run's place and sounds like something else: of own words that were misheard at least a
 * quarter of the sounds are right, of other recordings' words at most .21. Much more may have been said there besides.
 */
const otherRun = { similarity: 0.25, confidence: 0.7, mostText: 3 };
const usualSlack = 0.6;
/** With more room than the words need, they are near the words of their own sentence. */
const roomSeconds = 3;
const wideSlack = 1.5;
const knownSlack = 1;

interface Run {
  readonly from: number;
  readonly to: number;
  /** Words that were heard in its place. */
  readonly heardFrom: number;
  readonly heardTo: number;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** @returns null for words that are not spoken */
export function placeWords(
  words: readonly WordToPlace[],
  anchors: readonly (Anchor | null)[],
  heard: readonly HeardWord[],
  around: Surroundings,
): (Placement | null)[] {
  const placed: (Placement | null)[] = anchors.map((anchor) => anchor);
  const tempo = tempoOf(words, anchors);
  for (const between of runsOf(anchors, heard, around.durationSeconds)) {
    const run = narrowed(between, around.known);
    const evidence = evidenceFor(run, words, heard, tempo, around);
    if (evidence === null) continue;
    place(run, words, heard, evidence).forEach((placement, index) => (placed[run.from + index] = placement));
  }
  return placed;
}

function runsOf(anchors: readonly (Anchor | null)[], heard: readonly HeardWord[], durationSeconds: number): Run[] {
  const runs: Run[] = [];
  for (let from = 0; from < anchors.length; from += 1) {
    if (anchors[from]) continue;
    let to = from;
    while (to < anchors.length && !anchors[to]) to += 1;
    const [before, after] = [anchors[from - 1], anchors[to]];
    runs.push({
      from,
      to,
      heardFrom: before ? before.lastHeard + 1 : 0,
      heardTo: after ? after.firstHeard : heard.length,
      startSeconds: before?.endSeconds ?? 0,
      endSeconds: after?.startSeconds ?? durationSeconds,
    });
    from = to;
  }
  return runs;
}

/** Known times narrow the search, instead of a whole pause of the recogniser. */
function narrowed(run: Run, known: readonly (TimeRange | null)[]): Run {
  const places = known.slice(run.from, run.to).flatMap((place) => place ?? []);
  const [first, last] = [places[0], places.at(-1)];
  if (!first || !last) return run;
  const startSeconds = Math.max(run.startSeconds, first.startSeconds - knownSlack);
  const endSeconds = Math.min(run.endSeconds, last.endSeconds + knownSlack);
  return endSeconds > startSeconds ? { ...run, startSeconds, endSeconds } : run;
}

/** Seconds of the recording per second of the synthesiser, from the words that were heard. */
function tempoOf(words: readonly WordToPlace[], anchors: readonly (Anchor | null)[]): number {
  let [said, read] = [0, 0];
  for (const [index, anchor] of anchors.entries()) {
    if (!anchor) continue;
    said += anchor.endSeconds - anchor.startSeconds;
    read += (words[index] as WordToPlace).seconds;
  }
  return read > 1 ? Math.min(2.5, Math.max(0.4, said / read)) : 1;
}

type Evidence = 'text' | 'sound';

function evidenceFor(
  run: Run,
  words: readonly WordToPlace[],
  heard: readonly HeardWord[],
  tempo: number,
  around: Surroundings,
): Evidence | null {
  const { from, to, heardFrom, heardTo, startSeconds, endSeconds } = run;
  const needed = words.slice(from, to).reduce((sum, { seconds }) => sum + seconds, 0) * tempo;
  const time = endSeconds - startSeconds;
  const said = heard.slice(heardFrom, heardTo);
  const textOf = (list: readonly { readonly key: string }[]): string => list.map(({ key }) => key).join('');
  const [text, heardText] = [textOf(words.slice(from, to)), textOf(said)];
  if (heardText !== '' && time >= likeRun.tempo * needed) {
    if (isComparable(text, heardText) && similarity(text, heardText) >= likeRun.similarity) return 'text';
    const share = heardText.length / text.length;
    if (text.length * heardText.length <= mostLettersSquared) {
      const alike = around.soundAlike([from, to], [heardFrom, heardTo]);
      const few = Math.max(to - from, heardTo - heardFrom) <= soundingRun.words;
      if (few && alike >= soundingRun.similarity) return 'text';
      const isSure = meanConfidence(said) >= otherRun.confidence;
      if (alike < otherRun.similarity && isSure && share <= otherRun.mostText) return null;
    }
    if (to - from <= middleRun.words && share >= middleRun.leastText && share <= middleRun.mostText) return 'text';
  }
  const { tempo: least, margin } = to - from <= shortRun.words ? shortRun : longRun;
  if (time < least * needed || needed > mostSecondsTried) return null;
  const costs = around.costs([from, to], place(run, words, heard, 'sound'));
  return costs.run <= costs.around + margin ? 'sound' : null;
}

/** Without a confidence no word is sure. */
const meanConfidence = (said: readonly HeardWord[]): number =>
  said.reduce((sum, { confidence = 0 }) => sum + confidence, 0) / said.length;

/** Texts whose lengths differ more cannot be that similar; a comparison of very long texts says nothing. */
const isComparable = (a: string, b: string): boolean =>
  Math.min(a.length, b.length) >= likeRun.similarity * Math.max(a.length, b.length) &&
  a.length * b.length <= mostLettersSquared;

function place(
  { from, to, heardFrom, heardTo, startSeconds, endSeconds }: Run,
  words: readonly WordToPlace[],
  heard: readonly HeardWord[],
  evidence: Evidence,
): Placement[] {
  const run = words.slice(from, to);
  const needed = run.reduce((sum, { seconds }) => sum + seconds, 0);
  let [begin, end] = [startSeconds, endSeconds];
  if (evidence === 'text') {
    begin = heard[heardFrom]?.startSeconds ?? begin;
    end = heard[heardTo - 1]?.endSeconds ?? end;
  }
  let slackSeconds = Math.max(usualSlack, (end - begin - needed) / 2 + 0.3);
  if (end - begin > needed + roomSeconds) {
    slackSeconds = wideSlack;
    // The words continue a sentence that was heard.
    const continues = from > 0 && !(words[from - 1] as WordToPlace).endsSentence;
    if (continues) end = begin + needed;
    else begin = end - needed;
  }
  let before = 0;
  return run.map(({ seconds }) => {
    const at = (part: number): number => begin + (needed > 0 ? part / needed : 0) * (end - begin);
    const placement = { startSeconds: at(before), endSeconds: at(before + seconds), slackSeconds };
    before += seconds;
    return placement;
  });
}
