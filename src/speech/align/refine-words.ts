import type { AlignedWords, AlignmentWindows } from '../../kernels/alignment.ts';
import { setImmediate } from 'node:timers/promises';
import type { SpeechSound } from '../speech-sound.ts';
import type { SpokenWord } from '../spoken-word.ts';
import { alignWords, pauseEntry } from './align-words.ts';
import { hear } from './heard.ts';
import { type Espeak, openEspeak } from './reference/espeak.ts';
import { voicesFor } from './reference/languages.ts';
import { type ReferenceWord, speak } from './reference/reference.ts';
import type { SpokenReference } from './reference/spoken-words.ts';
import { spokenForm } from './script/spoken-form.ts';

export interface RefineOptions {
  /** ISO 639 code of what is spoken. */
  readonly language: string;
  /** What `chooseVoice` answered for this recording. Default: chosen from these words. */
  readonly voice?: string | null;
  readonly signal: AbortSignal;
}

/** Seconds by which a recogniser's times may be off. */
const slack = { start: 0.6, end: 0.6, afterEnd: 0.8 };
/** When no way is that close. */
const wideSlack = { start: 2.5, end: 2.5, afterEnd: 2.5 };
const pauseSeconds = 1.5;
const fewestSeconds = 45;
const mostSeconds = 90;
const leadSeconds = 1;
const tailSeconds = 1.2;
const secondsToChooseBy = 60;
const framesPerSecond = 100;

/**
 * Better times for the words of a transcript: each is looked for near its time by its sound (Viterbi against eSpeak NG's
 * reading of the same words). Texts, order and other properties stay.
 * @param words in the order of their times, such as those of one region
 * @returns as many words; unchanged in a language that eSpeak NG does not speak
 * @throws AbortError
 */
export async function refineWords<Word extends SpokenWord>(
  sound: SpeechSound,
  words: readonly Word[],
  options: RefineOptions,
): Promise<Word[]> {
  const { language, signal } = options;
  signal.throwIfAborted();
  const espeak = await openEspeak();
  const voice = options.voice === undefined ? await chooseVoice(sound, words, options) : options.voice;
  if (voice === null) return [...words];
  const refined: Word[] = [];
  for (const piece of piecesOf(words)) {
    const before = refined.at(-1)?.endSeconds ?? 0;
    const times = refinePiece(espeak, voice, language, sound, piece, before)?.words;
    refined.push(...piece.map((word, index) => ({ ...word, ...times?.[index] })));
    await setImmediate();
    signal.throwIfAborted();
  }
  return refined;
}

/**
 * Which accent of eSpeak NG's is nearest to the speakers: the one whose reading costs least over the first minute.
 * @returns eSpeak NG's name of a voice; null where it does not speak the language
 * @throws AbortError
 */
export async function chooseVoice(
  sound: SpeechSound,
  words: readonly SpokenWord[],
  { language, signal }: Pick<RefineOptions, 'language' | 'signal'>,
): Promise<string | null> {
  const espeak = await openEspeak();
  const voices = voicesFor(espeak, language);
  const [first] = words;
  if (voices.length < 2 || !first) return voices[0] ?? null;
  const minute = words.filter(({ startSeconds }) => startSeconds < first.startSeconds + secondsToChooseBy);
  const tried: { readonly voice: string; readonly cost: number }[] = [];
  for (const voice of voices) {
    let [cost, frames] = [0, 0];
    for (const piece of piecesOf(minute)) {
      const aligned = refinePiece(espeak, voice, language, sound, piece, 0);
      cost += aligned?.cost ?? 0;
      frames += aligned?.frames ?? 0;
      await setImmediate();
      signal.throwIfAborted();
    }
    tried.push({ voice, cost: frames > 0 ? cost / frames : Infinity });
  }
  return tried.reduce((best, next) => (next.cost < best.cost ? next : best)).voice;
}

/** Cut where nobody speaks for a while, and at the longest pause before a piece grows too long. */
function piecesOf<Word extends SpokenWord>(words: readonly Word[]): Word[][] {
  const pieces: Word[][] = [];
  let piece: Word[] = [];
  for (const word of words) {
    const [first, last] = [piece[0], piece.at(-1)];
    if (first && last && word.startSeconds - last.endSeconds > pauseSeconds) {
      pieces.push(piece);
      piece = [];
    } else if (first && word.endSeconds - first.startSeconds > mostSeconds) {
      const cut = longestPause(piece, first.startSeconds + fewestSeconds);
      pieces.push(piece.slice(0, cut));
      piece = piece.slice(cut);
    }
    piece.push(word);
  }
  if (piece.length > 0) pieces.push(piece);
  return pieces;
}

/** Index of the word behind it, among those that begin later; the count of words where none does. */
function longestPause(words: readonly SpokenWord[], afterSeconds: number): number {
  let [best, longest] = [words.length, -Infinity];
  for (const [index, { startSeconds }] of words.entries()) {
    const before = words[index - 1];
    if (!before || startSeconds <= afterSeconds || startSeconds - before.endSeconds <= longest) continue;
    [best, longest] = [index, startSeconds - before.endSeconds];
  }
  return best;
}

interface RefinedPiece {
  readonly words: readonly { readonly startSeconds: number; readonly endSeconds: number }[];
  /** Sum over the frames of words; and how many there are. */
  readonly cost: number;
  readonly frames: number;
}

function refinePiece(
  espeak: Espeak,
  voice: string,
  language: string,
  sound: SpeechSound,
  piece: readonly SpokenWord[],
  notBefore: number,
): RefinedPiece | null {
  const forms = piece.map(({ text }) => spokenForm(text, language));
  const spoken = piece.flatMap((word, index) => {
    const form = forms[index] as ReferenceWord;
    return form.spoken === '' ? [] : [{ word, form }];
  });
  const [first, last] = [spoken[0], spoken.at(-1)];
  if (!first || !last) return null;
  const reference = speak(
    espeak,
    voice,
    language,
    spoken.map(({ form }) => form),
  );
  const from = Math.max(0, notBefore, first.word.startSeconds - leadSeconds);
  const to = Math.min(sound.durationSeconds, Math.max(from, last.word.endSeconds) + tailSeconds);
  const begin = Math.floor(from * framesPerSecond);
  const frames = Math.floor(to * framesPerSecond) - begin;
  if (frames <= 0) return null;
  const heard = hear(sound, begin, frames);
  const times = spoken.map(({ word }) => word);
  const pauses = pausesOf(spoken.map(({ form }) => form));
  const within = (around: typeof slack): AlignedWords | null =>
    alignWords(heard, reference, pauses, windowsOf(times, reference, around, begin, frames));
  const aligned = within(slack) ?? within(wideSlack);
  if (!aligned) return null;
  let at = 0;
  let end = from;
  const { starts, ends, costs } = aligned;
  const seconds = (frame: number | undefined): number => (begin + (frame ?? 0)) / framesPerSecond;
  return {
    words: forms.map((form) => {
      // What nobody says stands where the word before it ends.
      if (form.spoken === '') return { startSeconds: end, endSeconds: end };
      const startSeconds = seconds(starts[at]);
      end = seconds(ends[at++]);
      return { startSeconds, endSeconds: end };
    }),
    cost: costs.reduce((sum, cost, index) => sum + cost * ((ends[index] ?? 0) - (starts[index] ?? 0)), 0),
    frames: ends.reduce((sum, frame, index) => sum + frame - (starts[index] ?? 0), 0),
  };
}

/** In front of each word, and behind the last: there and in front of the first a pause costs nothing to enter. */
function pausesOf(words: readonly ReferenceWord[]): Float32Array {
  const costs = words.map(({ mark }) => (mark === '' ? pauseEntry.betweenWords : pauseEntry.afterMark));
  return Float32Array.of(0, ...costs.slice(0, -1), 0);
}

function windowsOf(
  words: readonly SpokenWord[],
  { wordStarts }: SpokenReference,
  around: typeof slack,
  begin: number,
  frames: number,
): AlignmentWindows {
  const heardSeconds = words.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);
  const tempo = Math.min(2.5, Math.max(0.4, (heardSeconds * framesPerSecond) / (wordStarts.at(-1) as number)));
  const frame = (seconds: number): number =>
    Math.min(frames, Math.max(0, Math.round(seconds * framesPerSecond) - begin));
  const rows = words.map(({ startSeconds: s, endSeconds: e }, index) => {
    const states = (wordStarts[index + 1] as number) - (wordStarts[index] as number);
    const d = (states / framesPerSecond) * tempo;
    return {
      earliestStart: frame(Math.min(s, e - d) - around.start),
      latestStart: frame(Math.max(s + around.start, e - 0.5 * d)),
      earliestEnd: frame(e - around.end),
      latestEnd: frame(e + around.afterEnd),
    };
  });
  // Limits that fall are widened until they do not.
  const rising = (limit: keyof (typeof rows)[number]): Int32Array => {
    let most = 0;
    return Int32Array.from(rows, (row) => (most = Math.max(most, row[limit])));
  };
  const risingBack = (limit: keyof (typeof rows)[number]): Int32Array => {
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
