// Finds the words of a script with the help of a recogniser's words.
import { throwIfAborted } from '../../core/abort.ts';
import { setImmediate } from 'node:timers/promises';
import type { SpeechSound } from '../speech-sound.ts';
import { type Anchor, anchorsOf, type HeardWord } from './anchors/anchors.ts';
import { placeWords, type Placement } from './anchors/place-words.ts';
import { comparable, similarity } from './anchors/similarity.ts';
import { cheapestVoice, type FindOptions, findWords } from './find-words.ts';
import { findPiece, type FoundWord, meanCost, type RoughWord, type Pronunciation } from './pieces.ts';
import { openEspeak } from './reference/espeak.ts';
import { findPoorlyHeardWords } from './find-poorly-heard-words.ts';
import { findUnheardWords } from './find-unheard-words.ts';
import { voicesFor } from './reference/languages.ts';
import { secondsToSpeak } from './reference/reference.ts';
import type { SpokenForm } from './script/spoken-form.ts';
import { phonemes, secondsPerLetter, soundsOf } from './sounds-of-words.ts';
import { likelyWords, type ScriptVerdict, verdictOn } from './spoken-here.ts';

const leastAnchored = 0.6;
const wordsAtOnce = 200;

/** A run of words is compared with this many heard words on either side. */
const neighbours = 4;

export interface HeardScript {
  /** null for each word that is not spoken. */
  readonly found: readonly (FoundWord | null)[];
  readonly verdict: ScriptVerdict;
}

/** Of a script that is not spoken here, no word is found; where that is not known, all are taken as spoken. */
export async function findHeardWords(
  sound: SpeechSound,
  words: readonly SpokenForm[],
  heard: readonly HeardWord[],
  options: FindOptions,
): Promise<HeardScript> {
  const { language, signal, onProgress, known } = options;
  const espeak = await openEspeak();
  const keys = words.map(({ spoken }) => comparable(spoken));
  const anchors = anchorsOf(keys, heard);
  const [voice] = voicesFor(espeak, language);
  if (voice === undefined)
    return { found: anchors.map((anchor) => (anchor ? { ...anchor, cost: NaN } : null)), verdict: 'spoken' };
  const reading: Pronunciation = { espeak, voice, language };
  if (isPoor(anchors, heard.length)) {
    const sounds = soundsOf(reading, words, heard);
    const letters = words.reduce((sum, { spoken }) => sum + spoken.length, 0);
    const verdict = verdictOn(sounds, anchors, sound.durationSeconds / (secondsPerLetter * letters));
    throwIfAborted(signal);
    if (verdict === 'not spoken') return { found: words.map(() => null), verdict };
    if (verdict === 'not known') return { found: await findUnheardWords(sound, words, options), verdict };
    const left = likelyWords(sounds, anchors);
    const pick = <Value>(list: readonly Value[]): Value[] => left.map((index) => list[index] as Value);
    const some = await findPoorlyHeardWords(reading, sound, pick(words), pick(anchors), {
      ...options,
      known: (places) => pick(known(spread(places, left, words.length))),
    });
    return { found: spread(some, left, words.length), verdict };
  }
  const seconds = await secondsOf(reading, words, anchors, signal);
  const placed = placeWords(
    words.map(({ mark }, index) => ({
      key: keys[index] as string,
      seconds: seconds[index] as number,
      endsSentence: mark === '.',
    })),
    anchors,
    heard,
    {
      durationSeconds: sound.durationSeconds,
      known: known(anchors),
      costs: (run, placements) => costsOf(reading, sound, words, anchors, run, placements),
      soundAlike: (run, there) =>
        similarity(phonemes(reading, words.slice(...run)), phonemes(reading, heard.slice(...there))),
    },
  );
  const near = withUnwritten(words, placed, heard);
  throwIfAborted(signal);
  const best = (await cheapestVoice(espeak, language, sound, near, signal)) ?? voice;
  const times = await findWords({ ...reading, voice: best }, sound, near, { signal, onProgress });
  const found: (FoundWord | null)[] = words.map(() => null);
  for (const [at, { index }] of near.entries()) if (index !== null) found[index] = times[at] ?? null;
  return { found, verdict: 'spoken' };
}

/** A list of that length with the values at these indices. */
function spread<Value>(values: readonly Value[], indices: readonly number[], length: number): (Value | null)[] {
  const all: (Value | null)[] = Array.from({ length }, () => null);
  for (const [at, index] of indices.entries()) all[index] = values[at] ?? null;
  return all;
}

/** Duration of each word; in long unheard stretches a rough guess is enough. */
async function secondsOf(
  { espeak, voice, language }: Pronunciation,
  words: readonly SpokenForm[],
  anchors: readonly (Anchor | null)[],
  signal: AbortSignal,
): Promise<number[]> {
  const seconds: number[] = [];
  for (let from = 0; from < words.length; from += wordsAtOnce) {
    const some = words.slice(from, from + wordsAtOnce);
    if (anchors.slice(Math.max(0, from - wordsAtOnce), from + 2 * wordsAtOnce).every((anchor) => !anchor))
      seconds.push(...some.map(({ spoken }) => secondsPerLetter * spoken.length));
    else seconds.push(...secondsToSpeak(espeak, voice, language, some));
    await setImmediate();
    throwIfAborted(signal);
  }
  return seconds;
}

/** Little of the script was heard, and little of what was heard is in the script. */
function isPoor(anchors: readonly (Anchor | null)[], heard: number): boolean {
  const anchored = anchors.filter((anchor) => anchor !== null).length;
  return anchored < leastAnchored * anchors.length && anchored < leastAnchored * heard;
}

/** The cost of a run of words at its possible position, and of the heard words beside it. */
function costsOf(
  reading: Pronunciation,
  sound: SpeechSound,
  words: readonly SpokenForm[],
  anchors: readonly (Anchor | null)[],
  [from, to]: readonly [number, number],
  placements: readonly Placement[],
): { readonly run: number; readonly around: number } {
  const placedAt = (index: number, placement: Placement): RoughWord => ({
    ...(words[index] as SpokenForm),
    ...placement,
  });
  const heardBeside = (indices: readonly number[]): RoughWord[] => {
    const firstUnheard = indices.findIndex((index) => !anchors[index]);
    const run = firstUnheard < 0 ? indices : indices.slice(0, firstUnheard);
    return run.map((index) => placedAt(index, anchors[index] as Anchor));
  };
  const steps = Array.from({ length: neighbours }, (_, step) => step);
  const before = heardBeside(steps.map((step) => from - 1 - step)).toReversed();
  const after = heardBeside(steps.map((step) => to + step));
  const run = placements.map((placement, index) => placedAt(from + index, placement));
  const found = findPiece(reading, sound, [...before, ...run, ...after], 0);
  if (!found) return { run: Infinity, around: 0 };
  const inRun = (index: number): boolean => index >= before.length && index < before.length + run.length;
  return {
    run: meanCost(found.filter((_, index) => inRun(index))),
    around: meanCost(found.filter((_, index) => !inRun(index))),
  };
}

/** Words in order of time: those of the script, and other speech, so that they do not take its sound. */
function withUnwritten(
  words: readonly SpokenForm[],
  placed: readonly (Placement | null)[],
  heard: readonly HeardWord[],
): (RoughWord & { readonly index: number | null })[] {
  const written = words.flatMap((word, index) => {
    const placement = placed[index];
    return placement ? [{ ...word, ...placement, index }] : [];
  });
  const all: (RoughWord & { readonly index: number | null })[] = [];
  let at = 0;
  for (const word of heard) {
    const middle = (word.startSeconds + word.endSeconds) / 2;
    while (at < written.length && (written[at] as RoughWord).endSeconds <= middle)
      all.push(written[at++] as (typeof written)[number]);
    const next = written[at];
    if (!next || next.startSeconds > middle) all.push({ ...word, index: null });
  }
  return [...all, ...written.slice(at)];
}
