// Searches for words that are known to be spoken near some time, one piece of the recording after the other.
import type { TimeRange } from '../../core/time-range.ts';
import type { AlignedWords, AlignmentWindows } from '../../kernels/alignment.ts';
import type { SpeechSound } from '../speech-sound.ts';
import { alignWords, pauseEntry } from './align-words.ts';
import { hear } from './heard.ts';
import { hopsPerSecond } from './reference/mel-bands.ts';
import type { Espeak } from './reference/espeak.ts';
import { type ReferenceWord, speak } from './reference/reference.ts';
import type { SpokenReference } from './reference/spoken-words.ts';

/** What reads the words aloud. */
export interface Pronunciation {
  readonly espeak: Espeak;
  /** eSpeak NG's name for it. */
  readonly voice: string;
  /** ISO 639 code. */
  readonly language: string;
}

/** A word with its approximate time. */
export interface RoughWord extends ReferenceWord {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Uncertainty of the time. Default 0.6. */
  readonly slackSeconds?: number;
}

export interface FoundWord {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Mean distance from its reading: about .6 for spoken words, 1 for a random pair. */
  readonly cost: number;
}

/** Error of a recogniser's times, seconds. */
const usualSlack = 0.6;
const afterEndSlack = 0.2;
/** Used when there is no path that close. */
const wideSlack = 2.5;
const pauseSeconds = 1.5;
const fewestSeconds = 45;
const mostSeconds = 90;
const leadSeconds = 1;
const tailSeconds = 1.2;
const wordsAhead = 8;
const closeSeconds = 3;
/** Of a plosive: its closure. */
const longestHoldFrames = 15;
const leastHoldFrames = 3;
/**
 * Between the pauses (0) and the loud parts (1) around: digital silence. A room's own noise is louder half of the time.
 */
const silentLoudness = 0.02;

/** A run of words that is aligned at once. */
export interface WordBatch<Word> {
  readonly words: readonly Word[];
  /** Words of the next piece that follow closely: aligned as well, so that their sound does not go to the last word. */
  readonly next: readonly Word[];
}

/** Cuts at long pauses, and at the longest pause before a piece gets too long. */
export function piecesOf<Word extends TimeRange>(words: readonly Word[]): WordBatch<Word>[] {
  const runs: Word[][] = [];
  let run: Word[] = [];
  for (const word of words) {
    const [first, last] = [run[0], run.at(-1)];
    if (first && last && word.startSeconds - last.endSeconds > pauseSeconds) {
      runs.push(run);
      run = [];
    } else if (first && word.endSeconds - first.startSeconds > mostSeconds) {
      const cut = longestPause(run, first.startSeconds + fewestSeconds);
      runs.push(run.slice(0, cut));
      run = run.slice(cut);
    }
    run.push(word);
  }
  if (run.length > 0) runs.push(run);
  return runs.map((own, index) => {
    const end = (own.at(-1)?.endSeconds ?? 0) + closeSeconds;
    const following = (runs[index + 1] ?? []).slice(0, wordsAhead);
    return { words: own, next: following.filter(({ startSeconds }) => startSeconds < end) };
  });
}

/** Index of the word after it, among those that start later; the number of words if there is none. */
function longestPause(words: readonly TimeRange[], afterSeconds: number): number {
  let [best, longest] = [words.length, -Infinity];
  for (const [index, { startSeconds }] of words.entries()) {
    const before = words[index - 1];
    if (!before || startSeconds <= afterSeconds || startSeconds - before.endSeconds <= longest) continue;
    [best, longest] = [index, startSeconds - before.endSeconds];
  }
  return best;
}

/**
 * @param piece at least one word, all with sound
 * @param notBefore seconds
 * @returns null when there is no room for the words
 */
export function findPiece(
  { espeak, voice, language }: Pronunciation,
  sound: SpeechSound,
  piece: readonly RoughWord[],
  notBefore: number,
): FoundWord[] | null {
  const [first, last] = [piece[0], piece.at(-1)];
  if (!first || !last) return [];
  const lead = Math.max(leadSeconds, first.slackSeconds ?? 0);
  const tail = Math.max(tailSeconds, (last.slackSeconds ?? 0) + afterEndSlack);
  const from = Math.max(0, notBefore, first.startSeconds - lead);
  const to = Math.min(sound.durationSeconds, Math.max(from, last.endSeconds) + tail);
  const begin = Math.floor(from * hopsPerSecond);
  const frames = Math.floor(to * hopsPerSecond) - begin;
  if (frames <= 0) return null;
  const reference = speak(espeak, voice, language, piece);
  const heard = hear(sound, begin, frames);
  const pauses = pausesOf(piece);
  const within = (widest: number): AlignedWords | null =>
    alignWords(heard, reference, pauses, windowsOf(piece, reference, widest, begin, frames));
  const aligned = within(0) ?? within(wideSlack);
  if (!aligned) return null;
  const seconds = (frame: number | undefined): number => (begin + (frame ?? 0)) / hopsPerSecond;
  return piece.map((_, index) => ({
    startSeconds: seconds(onsetOf(aligned, index, heard.loudness)),
    endSeconds: seconds(aligned.ends[index]),
    cost: aligned.costs[index] ?? 0,
  }));
}

/** The frame in which a word begins behind a pause: with its sound, not while its first consonant is held back. */
export function onsetOf({ starts, ends }: AlignedWords, index: number, loudness: Float32Array): number {
  const [start, end] = [starts[index] as number, ends[index] as number];
  if (index > 0 && (ends[index - 1] as number) >= start) return start;
  const latest = Math.min(start + longestHoldFrames, end - 1);
  let onset = start;
  while (onset < latest && (loudness[onset] as number) < silentLoudness) onset += 1;
  return onset < latest && onset - start >= leastHoldFrames ? onset : start;
}

/** Per frame of these words; infinite without words. */
export function meanCost(words: readonly (FoundWord | null)[]): number {
  let [cost, seconds] = [0, 0];
  for (const word of words) {
    if (!word) continue;
    cost += word.cost * (word.endSeconds - word.startSeconds);
    seconds += word.endSeconds - word.startSeconds;
  }
  return seconds > 0 ? cost / seconds : Infinity;
}

/** Before each word, and after the last; entering a pause at both ends costs nothing. */
export function pausesOf(words: readonly ReferenceWord[]): Float32Array {
  const costs = words.map(({ mark }) => (mark === '' ? pauseEntry.betweenWords : pauseEntry.afterMark));
  return Float32Array.of(0, ...costs.slice(0, -1), 0);
}

function windowsOf(
  words: readonly RoughWord[],
  { wordStarts }: SpokenReference,
  leastSlack: number,
  begin: number,
  frames: number,
): AlignmentWindows {
  const placedSeconds = words.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);
  const tempo = Math.min(2.5, Math.max(0.4, (placedSeconds * hopsPerSecond) / (wordStarts.at(-1) as number)));
  const frame = (seconds: number): number => Math.min(frames, Math.max(0, Math.round(seconds * hopsPerSecond) - begin));
  return risingWindows(
    words.map(({ startSeconds: s, endSeconds: e, slackSeconds }, index) => {
      const slack = Math.max(slackSeconds ?? usualSlack, leastSlack);
      const states = (wordStarts[index + 1] as number) - (wordStarts[index] as number);
      const d = (states / hopsPerSecond) * tempo;
      return {
        earliestStart: frame(Math.min(s, e - d) - slack),
        latestStart: frame(Math.max(s + slack, e - 0.5 * d)),
        earliestEnd: frame(e - slack),
        latestEnd: frame(e + slack + afterEndSlack),
      };
    }),
    frames,
  );
}

type Limits = Readonly<Record<keyof AlignmentWindows, number>>;

/** Falling limits are widened until they rise. */
export function risingWindows(rows: readonly Limits[], frames: number): AlignmentWindows {
  const rising = (limit: keyof Limits): Int32Array => {
    let most = 0;
    return Int32Array.from(rows, (row) => (most = Math.max(most, row[limit])));
  };
  const risingBack = (limit: keyof Limits): Int32Array => {
    let least = frames;
    return Int32Array.from(rows.toReversed(), (row) => (least = Math.min(least, row[limit]))).toReversed();
  };
  return {
    earliestStart: risingBack('earliestStart'),
    latestStart: rising('latestStart'),
    earliestEnd: risingBack('earliestEnd'),
    latestEnd: rising('latestEnd'),
  };
}
