// The words of a script of which a recogniser understood little: what it heard says where to look, and the sound
// everything else. That it did not hear a word says nothing; a whole sentence is taken for unspoken when its sound says so.
import type { SpeechSound } from '../speech-sound.ts';
import type { Anchor } from './anchors/anchors.ts';
import { cheapestVoice, type FindOptions, findWords } from './find-words.ts';
import { type FoundWord, meanCost, type PlacedWord, type Reading } from './pieces.ts';
import { placeCoarsely } from './place-coarsely.ts';
import { secondsToSpeak } from './reference/reference.ts';
import type { SpokenForm } from './script/spoken-form.ts';

/** A sentence that nobody heard a word of, this much dearer than the others or in so little of its time, is not spoken. */
const dearer = 0.1;
const hurried = 0.5;

/** @returns null for each word that nobody says */
export async function findPoorlyHeardWords(
  reading: Reading,
  sound: SpeechSound,
  words: readonly SpokenForm[],
  anchors: readonly (Anchor | null)[],
  { language, signal, onProgress }: FindOptions,
): Promise<(FoundWord | null)[]> {
  const coarse = await placeCoarsely(reading, sound, words, signal, anchors);
  const placed = coarse.map((place, index): PlacedWord => {
    const anchor = anchors[index];
    return anchor
      ? { ...(words[index] as SpokenForm), startSeconds: anchor.startSeconds, endSeconds: anchor.endSeconds }
      : place;
  });
  const voice = (await cheapestVoice(reading.espeak, language, sound, placed, signal)) ?? reading.voice;
  const best = { ...reading, voice };
  const found = await findWords(best, sound, placed, { signal, onProgress: (fraction) => onProgress(0.5 * fraction) });
  const unspoken = new Set(unspokenWords(best, words, anchors, found));
  if (unspoken.size === 0) return found;
  const left = placed.flatMap((place, index) => (unspoken.has(index) ? [] : [{ ...place, index }]));
  const times = await findWords(best, sound, left, {
    signal,
    onProgress: (fraction) => onProgress(0.5 + 0.5 * fraction),
  });
  const all: (FoundWord | null)[] = words.map(() => null);
  for (const [at, { index }] of left.entries()) all[index] = times[at] ?? null;
  return all;
}

function unspokenWords(
  { espeak, voice, language }: Reading,
  words: readonly SpokenForm[],
  anchors: readonly (Anchor | null)[],
  found: readonly (FoundWord | null)[],
): number[] {
  const seconds = secondsToSpeak(espeak, voice, language, words);
  const usual = meanCost(found.filter((_, index) => anchors[index]));
  const unspoken: number[] = [];
  for (let from = 0; from < words.length;) {
    let to = from + 1;
    while (to < words.length && words[to - 1]?.mark !== '.') to += 1;
    const indices = Array.from({ length: to - from }, (_, index) => from + index);
    from = to;
    if (indices.some((index) => anchors[index])) continue;
    const own = indices.map((index) => found[index] ?? null);
    const time = own.reduce((sum, word) => sum + (word ? word.endSeconds - word.startSeconds : 0), 0);
    const needed = indices.reduce((sum, index) => sum + (seconds[index] as number), 0);
    if (meanCost(own) > usual + dearer || time < hurried * needed) unspoken.push(...indices);
  }
  return unspoken;
}
