// Finds the words of a script that a recogniser understood badly: its words narrow the search, the sound decides the
// rest. A word that was not heard may be spoken; a whole sentence counts as unspoken when its sound says so.
import { setImmediate } from 'node:timers/promises';
import { throwIfAborted } from '../../core/abort.ts';
import type { SpeechSound } from '../speech-sound.ts';
import type { Anchor } from './anchors/anchors.ts';
import { cheapestVoice, type FindOptions, findWords } from './find-words.ts';
import { findPiece, type FoundWord, meanCost, type RoughWord, type Pronunciation } from './pieces.ts';
import { placeCoarsely } from './place-coarsely.ts';
import type { SpokenForm } from './script/spoken-form.ts';

/** Words on either side of a sentence that show whether it is spoken, and how much better they must fit without it. */
const beside = 12;
const better = 0.011;

/** @returns null for each word that is not spoken */
export async function findPoorlyHeardWords(
  reading: Pronunciation,
  sound: SpeechSound,
  words: readonly SpokenForm[],
  anchors: readonly (Anchor | null)[],
  { language, signal, onProgress, known }: FindOptions,
): Promise<(FoundWord | null)[]> {
  const cues = known(anchors);
  const about = anchors.map((anchor, index) => anchor ?? cues[index] ?? null);
  const coarse = await placeCoarsely(reading, sound, words, signal, about);
  const placed = coarse.map((place, index): RoughWord => {
    const anchor = anchors[index];
    return anchor
      ? { ...(words[index] as SpokenForm), startSeconds: anchor.startSeconds, endSeconds: anchor.endSeconds }
      : place;
  });
  const voice = (await cheapestVoice(reading.espeak, language, sound, placed, signal)) ?? reading.voice;
  const best = { ...reading, voice };
  const unspoken = await unspokenWords(best, sound, placed, anchors, signal);
  const left = placed.flatMap((place, index) => (unspoken.has(index) ? [] : [{ ...place, index }]));
  const times = await findWords(best, sound, left, { signal, onProgress });
  const all: (FoundWord | null)[] = words.map(() => null);
  for (const [at, { index }] of left.entries()) all[index] = times[at] ?? null;
  return all;
}

/**
 * Sentences without a heard word whose neighbours fit better without them. An unspoken sentence takes its neighbours'
 * sound; without a spoken one, its sound belongs to no word.
 */
async function unspokenWords(
  reading: Pronunciation,
  sound: SpeechSound,
  placed: readonly RoughWord[],
  anchors: readonly (Anchor | null)[],
  signal: AbortSignal,
): Promise<Set<number>> {
  const unspoken = new Set<number>();
  for (let from = 0; from < placed.length;) {
    let to = from + 1;
    while (to < placed.length && placed[to - 1]?.mark !== '.') to += 1;
    const sentence = placed.slice(from, to);
    if (!anchors.slice(from, to).some((anchor) => anchor !== null)) {
      const before = placed.slice(Math.max(0, from - beside), from);
      const after = placed.slice(to, to + beside);
      const around = (found: readonly FoundWord[] | null, between: number): number =>
        meanCost(found?.filter((_, index) => index < before.length || index >= before.length + between) ?? []);
      const spoken = around(findPiece(reading, sound, [...before, ...sentence, ...after], 0), sentence.length);
      const without = around(findPiece(reading, sound, [...before, ...after], 0), 0);
      if (without < spoken - better) for (let index = from; index < to; index += 1) unspoken.add(index);
      await setImmediate();
      throwIfAborted(signal);
    }
    from = to;
  }
  return unspoken;
}
