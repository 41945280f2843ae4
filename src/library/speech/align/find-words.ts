// Finds roughly placed words by their sound, with the accent that fits best.
import type { TimeRange } from '../../core/time-range.ts';
import { setImmediate } from 'node:timers/promises';
import { throwIfAborted } from '../../core/abort.ts';
import type { SpeechSound } from '../speech-sound.ts';
import { findPiece, type FoundWord, meanCost, piecesOf, type RoughWord, type Pronunciation } from './pieces.ts';
import type { Espeak } from './reference/espeak.ts';
import { voicesFor } from './reference/languages.ts';

const secondsToChooseBy = 60;

export interface FindOptions {
  readonly language: string;
  readonly signal: AbortSignal;
  onProgress(fraction: number): void;
  /** Approximate times of words by the script itself, corrected by where words were found. */
  known(places: readonly (TimeRange | null)[]): readonly (TimeRange | null)[];
}

/**
 * @param words in order of time, each with sound
 * @returns as many; null for those without room
 */
export async function findWords(
  reading: Pronunciation,
  sound: SpeechSound,
  words: readonly RoughWord[],
  { signal, onProgress }: { readonly signal: AbortSignal; onProgress?(fraction: number): void },
): Promise<(FoundWord | null)[]> {
  const found: (FoundWord | null)[] = [];
  let last = 0;
  for (const { words: piece, next } of piecesOf(words)) {
    const times = findPiece(reading, sound, [...piece, ...next], last)?.slice(0, piece.length);
    found.push(...(times ?? piece.map(() => null)));
    last = times?.at(-1)?.endSeconds ?? last;
    onProgress?.(found.length / words.length);
    await setImmediate();
    throwIfAborted(signal);
  }
  return found;
}

/**
 * The accent whose reading costs least over the first minute of the words.
 * @returns eSpeak NG's name of a voice; null where it does not speak the language
 */
export async function cheapestVoice(
  espeak: Espeak,
  language: string,
  sound: SpeechSound,
  words: readonly RoughWord[],
  signal: AbortSignal,
): Promise<string | null> {
  const voices = voicesFor(espeak, language);
  const [first] = words;
  if (voices.length < 2 || !first) return voices[0] ?? null;
  const minute = words.filter(({ startSeconds }) => startSeconds < first.startSeconds + secondsToChooseBy);
  const tried: { readonly voice: string; readonly cost: number }[] = [];
  for (const voice of voices) {
    const found = await findWords({ espeak, voice, language }, sound, minute, { signal });
    tried.push({ voice, cost: meanCost(found) });
  }
  return tried.reduce((best, next) => (next.cost < best.cost ? next : best)).voice;
}
