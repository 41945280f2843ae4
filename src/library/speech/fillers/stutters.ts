// Stutters: the first sound or syllable of a word once or more before it ("h-h-here"). Recognisers write it with
// hyphens, as words of their own, within the word's time, or not at all. What counts is the sound: pieces between short
// stops, each of which sounds like the beginning of the next.
import { throwIfAborted } from '../../core/abort.ts';
import type { TimeRange } from '../../core/time-range.ts';
import { speechRate, type SpeechSound } from '../speech-sound.ts';
import { bareWord } from './bare-word.ts';
import { contextSeconds, hopSeconds, type LevelTrack, levelTrack } from './level-track.ts';
import { frame, frameHop, timbreLikeness, type Timbre, timbresOf } from './timbre.ts';

export interface Stutter extends TimeRange {
  /** Index of the word that it begins. */
  readonly word: number;
  /** The text without it: "here" of "h-h-here". */
  readonly fluent: string;
  /** Why it stays; null: nothing of the word is in it. */
  readonly kept: 'inside_a_word' | null;
}

interface Word extends TimeRange {
  readonly text: string;
}

/** Looked through at a time. */
const blockSeconds = 20;
/** Before the start of a word. */
const reachSeconds = 1.2;
const shortestPieceSeconds = 0.03;
const longestPieceSeconds = 0.35;
/** Stops between the pieces. */
const shortestStopSeconds = 0.03;
const longestStopSeconds = 0.4;
/** From here on a piece is the beginning of the next one: mean similarity along the best way through both. */
const alike = 0.92;
/** The same where the text has the stutter, and for the pieces before one that is found. */
const alikeSure = 0.85;
/** How much faster the word may be said than its stutter. */
const stretch = 1.5;
/** Times of words are rarely wrong by more. */
const wordErrorSeconds = 0.08;
/** Words start softly. */
const wordGuardSeconds = 0.045;
const mostPieces = 6;
/** A piece may be so much softer than the next one. */
const mostSofterDb = 12;

const hyphens = /[-\u2010-\u2015]+/u;
const mostLetters = 3;
/** "D-Day", "T-test", "re-record", "so-so". */
const meant = /^(?:d-day|t-tests?|b-boys?|(?:re|co|de|pre|so|no|ha|bye|go|tut|ta)-\p{L}+)$/iu;

/**
 * "here" of "h-h-here"; null of a word without a written stutter. One short piece before a whole word is only taken
 * for a stutter where it is a single letter, or the word is no prefix.
 */
export function fluentText(text: string): string | null {
  const parts = bareWord(text).split(hyphens);
  const last = parts.at(-1) ?? '';
  const pieces = parts.slice(0, -1);
  if (pieces.length === 0 || last === '' || (pieces.length === 1 && meant.test(bareWord(text)))) return null;
  if (!pieces.every((piece) => piece !== '' && piece.length <= mostLetters && last.startsWith(piece))) return null;
  if (pieces.some((piece) => piece === last) && last.length > mostLetters - 1) return null;
  const at = Math.max(...Array.from(text.matchAll(/[-\u2010-\u2015]/gu), ({ index }) => index));
  const [rest, first] = [text.slice(at + 1), text.replace(/^[^\p{L}\p{N}]+/u, '')];
  return /^\p{Lu}/u.test(first) ? rest.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase()) : rest;
}

/**
 * @param words in order of their starts
 * @param others sounds that are something else: breaths, clicks
 */
export async function findStutters(
  sound: SpeechSound,
  words: readonly Word[],
  others: readonly TimeRange[],
  { signal, onProgress }: { readonly signal: AbortSignal; onProgress(fraction: number): void },
): Promise<Stutter[]> {
  const found: Stutter[] = [];
  let block = -1;
  let track: LevelTrack | null = null;
  let ends = 0;
  for (const [index, word] of words.entries()) {
    const at = Math.floor(word.startSeconds / blockSeconds);
    if (track === null || at !== block) {
      onProgress(index / words.length);
      await new Promise(setImmediate);
      throwIfAborted(signal);
      block = at;
      track = levelTrack(sound, at * blockSeconds - contextSeconds, (at + 1) * blockSeconds + contextSeconds);
    }
    const one = stutterOf({ sound, track, others }, words, index, ends);
    if (one !== null) found.push(one);
    ends = Math.max(ends, word.endSeconds);
  }
  onProgress(1);
  return found;
}

interface StutterPlace {
  readonly sound: SpeechSound;
  readonly track: LevelTrack;
  readonly others: readonly TimeRange[];
}

/** @param ends where the words before end */
function stutterOf(
  { sound, track, others }: StutterPlace,
  words: readonly Word[],
  index: number,
  ends: number,
): Stutter | null {
  const word = words[index]!;
  const limits = {
    startSeconds: Math.max(0, ends - wordErrorSeconds, word.startSeconds - reachSeconds),
    endSeconds: Math.min(word.endSeconds, words[index + 1]?.startSeconds ?? Number.POSITIVE_INFINITY),
  };
  const written = fluentText(word.text);
  const pieces = piecesIn(track, limits).filter(
    (piece) => !others.some((other) => other.startSeconds < piece.endSeconds && other.endSeconds > piece.startSeconds),
  );
  // The last piece that others may lead to begins before the word's last third.
  const latest = word.endSeconds - (word.endSeconds - word.startSeconds) / 3;
  for (let main = Math.min(pieces.length - 1, mostPieces); main >= 1; main--) {
    const whole = pieces[main]!;
    if (whole.startSeconds > latest || whole.endSeconds < word.startSeconds + wordErrorSeconds) continue;
    let first = main;
    // What begins before the words before have ended is theirs.
    while (
      first > 0 &&
      middleOf(pieces[first - 1]!) > ends - hopSeconds &&
      leadsTo(sound, track, pieces[first - 1]!, pieces[first]!, written === null && first === main ? alike : alikeSure)
    )
      first -= 1;
    if (first === main) continue;
    const start = pieces[first]!.startSeconds;
    const isWithin = pieces[main - 1]!.endSeconds > word.startSeconds + wordErrorSeconds / 2;
    const kept = written === null && isWithin && soundsAgain(word.text) ? 'inside_a_word' : null;
    const stop = whole.startSeconds - pieces[main - 1]!.endSeconds;
    return {
      startSeconds: start,
      endSeconds: whole.startSeconds - Math.min(wordGuardSeconds, stop / 2),
      word: index,
      fluent: written ?? word.text,
      kept,
    };
  }
  return null;
}

const middleOf = ({ startSeconds, endSeconds }: TimeRange): number => (startSeconds + endSeconds) / 2;

/** Sounds between stops. */
function piecesIn({ levels, silenceDbfs, indexOf, secondsOf }: LevelTrack, limits: TimeRange): TimeRange[] {
  const stop = Math.round(shortestStopSeconds / hopSeconds);
  const pieces: { startSeconds: number; endSeconds: number }[] = [];
  let begun: number | null = null;
  let silent = 0;
  const last = indexOf(limits.endSeconds);
  let at = indexOf(limits.startSeconds);
  // A sound that is already there belongs to the word before.
  if (limits.startSeconds > 0) while (at < last && levels[at]! > silenceDbfs) at += 1;
  for (; at <= last; at++) {
    const isSound = levels[at]! > silenceDbfs;
    if (isSound) {
      begun ??= at;
      silent = 0;
    } else silent += 1;
    if (begun !== null && (silent >= stop || at === last)) {
      const end = secondsOf(at - silent + 1);
      if (end - secondsOf(begun) >= shortestPieceSeconds)
        pieces.push({ startSeconds: secondsOf(begun), endSeconds: end });
      begun = null;
    }
  }
  return pieces;
}

/** Does a piece sound like the beginning of the next one? */
function leadsTo(
  sound: SpeechSound,
  track: LevelTrack,
  piece: TimeRange,
  next: TimeRange,
  leastAlike: number,
): boolean {
  const length = piece.endSeconds - piece.startSeconds;
  const stop = next.startSeconds - piece.endSeconds;
  if (length > longestPieceSeconds || stop > longestStopSeconds) return false;
  const loudest = ({ startSeconds, endSeconds }: TimeRange): number =>
    track.levels.subarray(track.indexOf(startSeconds), track.indexOf(endSeconds) + 1).reduce((a, b) => Math.max(a, b));
  if (loudest(piece) < loudest(next) - mostSofterDb) return false;
  const own = timbresBetween(sound, piece.startSeconds, piece.endSeconds);
  const beginning = timbresBetween(
    sound,
    next.startSeconds,
    Math.min(next.endSeconds, next.startSeconds + length * stretch + 0.03),
  );
  return own.length > 0 && beginning.length > 0 && alongBest(own, beginning) >= leastAlike;
}

function timbresBetween(sound: SpeechSound, fromSeconds: number, toSeconds: number): Timbre[] {
  const from = Math.round(fromSeconds * speechRate);
  return timbresOf(sound.read(from, Math.max(frame, Math.round((toSeconds - fromSeconds) * speechRate) + frameHop)));
}

/** Mean similarity along the best way through one sound and the beginning of another (dynamic time warping). */
function alongBest(one: readonly Timbre[], other: readonly Timbre[]): number {
  let row = other.map(() => ({ sum: Number.NEGATIVE_INFINITY, steps: 1 }));
  for (const [at, timbre] of one.entries()) {
    const next: { sum: number; steps: number }[] = [];
    for (const [index, to] of other.entries()) {
      const value = timbreLikeness(timbre, to);
      const from = [row[index], row[index - 1], next[index - 1]].filter((way) => way !== undefined);
      const best =
        at === 0 && index === 0
          ? { sum: 0, steps: 0 }
          : (at === 0 ? [next[index - 1]!] : from).reduce((most, way) =>
              way.sum / way.steps > most.sum / most.steps ? way : most,
            );
      next.push({ sum: best.sum + value, steps: best.steps + 1 });
    }
    row = next;
  }
  return Math.max(...row.map(({ sum, steps }) => sum / steps));
}

const classes = ['td', 'pb', 'kgcqx', 'szcx', 'fvw', 'mn', 'lr', 'jyg'];

/** Has a word its first consonant again behind a vowel ("paper", "today")? Its own syllables would be alike. */
function soundsAgain(text: string): boolean {
  const letters = bareWord(text);
  const first = letters.charAt(0);
  if (/^[aeiou]/u.test(letters)) return true;
  const like = classes.filter((letter) => letter.includes(first)).join('') || first;
  const rest = letters.replace(/^[^aeiouy]+/u, '');
  return Array.from(rest).some((letter) => like.includes(letter));
}
