import type { TimeRange } from '../../core/time-range.ts';
import { type ClickCandidate, ClickCandidates } from './click-candidates.ts';
import { hopsPerSecond } from './hop-levels.ts';

const hops = (seconds: number): number => Math.round(seconds * hopsPerSecond);

/** What a click rises from: the loudest of this time on either side of it, from its nearest on. */
const nearBefore = hops(0.002);
const nearAfter = hops(0.004);
const around = hops(0.015);
/** It is over half its height, dB, for so long. */
const highestOf = hops(0.002);
/** It rises by so much from both sides, dB; a sound that rises by less is not looked at. */
const leastExcessDb = 8;
/** Within a vowel by this much, and shorter than a beat of the vocal cords in a creaking voice, s. */
const vowelExcessDb = 12;
const vowelClickSeconds = 0.0035;
/** Beats of a creaking voice follow each other: no other sound of its kind is so near, s. */
const aloneSeconds = 0.05;
/** No sound of a pause is louder than this so long before and after, dB against the voice; a t has its vowel. */
const pauseDb = -20;
const pauseBefore = hops(0.1);
const pauseAfter = hops(0.06);
const pauseClickSeconds = 0.008;
/** In a vowel a voice goes on at this level on both sides, dB, in the mean; a burst has a closure before it. */
const vowelDb = -25;
const vowelAround = hops(0.02);
const besideClick = hops(0.003);
/** Softer ones are not heard beside the voice, dB. */
const leastDb = -35;
/** It reaches to where its power is under twice what is around it; at most so far before and behind its peak. */
const mostBefore = hops(0.005);
const mostAfter = hops(0.007);
const edgeDb = 3;

/** Hops that are looked at together, besides what is around them. */
const stretch = 8192;
const reach = Math.ceil(Math.max(around, pauseBefore, pauseAfter) + mostAfter);

export interface ClickFinder {
  /** Levels of the next hop, dB. */
  push(highDb: number, middleDb: number): void;
  flush(): void;
  /** @param loudDb level of the voice */
  result(loudDb: number): TimeRange[];
}

function most(levels: Float32Array, from: number, to: number): number {
  let top = levels[from] as number;
  for (let i = from + 1; i < to; i += 1) if ((levels[i] as number) > top) top = levels[i] as number;
  return top;
}

function mean(levels: Float32Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i += 1) sum += levels[i] as number;
  return sum / (to - from);
}

/** The level of what is around a click, between the means of both sides, dB. */
export const aroundDb = (high: Float32Array, from: number, to: number): number =>
  (mean(high, from - around, from) + mean(high, to, to + around)) / 2;

/** Hops that `aroundDb` needs on either side. */
export const hopsAround = around;

/** @param first number of the first level */
function candidateAt(high: Float32Array, middle: Float32Array, at: number, first: number): ClickCandidate | null {
  const peakDb = high[at] as number;
  if (peakDb < (high[at - 1] as number) || peakDb <= (high[at + 1] as number)) return null;
  if (peakDb < most(high, at - highestOf, at + highestOf + 1)) return null;
  const before = most(high, at - around, at - nearBefore);
  if (peakDb - before < leastExcessDb) return null;
  const after = most(high, at + nearAfter, at + around);
  const excessDb = peakDb - Math.max(before, after);
  if (excessDb < leastExcessDb) return null;
  const floor = edgeDb + (mean(high, at - around, at - nearBefore) + mean(high, at + nearAfter, at + around)) / 2;
  let [from, to] = [at, at + 1];
  while (at - from < mostBefore && (high[from - 1] as number) > floor) from -= 1;
  while (to - at < mostAfter && (high[to] as number) > floor) to += 1;
  return {
    // With a hop more at both ends.
    fromHop: first + from - 1,
    toHop: first + to + 1,
    peakHop: first + at,
    peakDb,
    excessDb,
    pauseDb: Math.max(most(middle, at - pauseBefore, at - besideClick), most(middle, at + nearAfter, at + pauseAfter)),
    vowelDb: Math.min(mean(middle, at - vowelAround, at - besideClick), mean(middle, at + nearAfter, at + vowelAround)),
  };
}

function isClick(
  one: ClickCandidate,
  before: ClickCandidate | undefined,
  after: ClickCandidate | undefined,
  { loudDb, hopSeconds }: { readonly loudDb: number; readonly hopSeconds: number },
): boolean {
  if (one.peakDb < loudDb + leastDb) return false;
  const length = (one.toHop - one.fromHop) * hopSeconds;
  if (one.pauseDb < loudDb + pauseDb) return length <= pauseClickSeconds;
  const isAlone =
    (one.peakHop - (before?.peakHop ?? Number.NEGATIVE_INFINITY)) * hopSeconds > aloneSeconds &&
    ((after?.peakHop ?? Number.POSITIVE_INFINITY) - one.peakHop) * hopSeconds > aloneSeconds;
  return isAlone && one.vowelDb > loudDb + vowelDb && one.excessDb >= vowelExcessDb && length <= vowelClickSeconds;
}

/**
 * Finds clicks in one channel: sounds of less than 8 ms in the highs that rise from both sides, in a pause or within a
 * vowel. The burst of a p, t or k is neither: it has a closure before it and its vowel or breath behind it.
 * @param hopSeconds about 0.25 ms
 */
export function findClicks(hopSeconds: number): ClickFinder {
  const high = new Float32Array(stretch + 2 * reach);
  const middle = new Float32Array(stretch + 2 * reach);
  const found = new ClickCandidates();
  let [count, first] = [reach, -reach];
  high.fill(-120, 0, reach);
  middle.fill(-120, 0, reach);

  const look = (): void => {
    for (let at = reach; at < count - reach; at += 1) {
      const candidate = candidateAt(high, middle, at, first);
      if (candidate) found.push(candidate);
    }
    const seen = Math.max(0, count - 2 * reach);
    high.copyWithin(0, seen, count);
    middle.copyWithin(0, seen, count);
    first += seen;
    count -= seen;
  };

  const push = (highDb: number, middleDb: number): void => {
    high[count] = highDb;
    middle[count] = middleDb;
    count += 1;
    if (count === high.length) look();
  };
  return {
    push,
    flush() {
      for (let i = 0; i < reach; i += 1) push(-120, -120);
      look();
    },
    result(loudDb) {
      const clicks: TimeRange[] = [];
      let [before, one] = [undefined, found.at(0)] as [ClickCandidate | undefined, ClickCandidate | undefined];
      for (let index = 1; one !== undefined; index += 1) {
        const after = found.at(index);
        if (isClick(one, before, after, { loudDb, hopSeconds })) {
          const startSeconds = Math.max(one.fromHop * hopSeconds, clicks.at(-1)?.endSeconds ?? 0);
          const endSeconds = one.toHop * hopSeconds;
          if (startSeconds < endSeconds) clicks.push({ startSeconds, endSeconds });
        }
        [before, one] = [one, after];
      }
      return clicks;
    },
  };
}
