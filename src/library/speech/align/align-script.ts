import { throwIfAborted } from '../../core/abort.ts';
import type { SpeechSound } from '../speech-sound.ts';
import type { SpokenWord } from '../spoken-word.ts';
import type { Script } from '../transcript/read/script.ts';
import { sayable } from './anchors/sayable.ts';
import { comparable } from './anchors/similarity.ts';
import { findHeardWords, heardWordsOf } from './find-heard-words.ts';
import type { FindOptions } from './find-words.ts';
import { findUnheardWords } from './find-unheard-words.ts';
import { withLeftOut } from './left-out.ts';
import type { FoundWord } from './pieces.ts';
import { knownByCues } from './script/cue-times.ts';
import { type ScriptPart, type ScriptWord, scriptWords } from './script/script-words.ts';

/** Of a passage that is left out, at either end. */
const wordsShown = 6;
const lettersShown = 80;

export interface AlignScriptOptions {
  /** ISO 639 code of what is spoken. */
  readonly language: string;
  /** What a recogniser heard, in order of time; null without one. */
  readonly recognised: readonly SpokenWord[] | null;
  readonly signal: AbortSignal;
  /** 0 to 1. */
  onProgress?(fraction: number): void;
}

export interface AlignedWord {
  /** As the script has it. */
  readonly text: string;
  /** Of a word that was not found: where the word before it ends. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Was it found in the recording? true also where nothing is to be spoken, and where nobody can say. */
  readonly matched: boolean;
  /** Index of its cue or paragraph. */
  readonly part: number;
  /** Index of its line in it. */
  readonly line: number;
}

/** A passage of a script that cannot have been said, so that it was not looked for. */
export interface LeftOutPassage {
  /** How many words it has. */
  readonly words: number;
  /** Its first words, as the script has them. */
  readonly begins: string;
  /** Its last words. */
  readonly ends: string;
  /** Seconds of the recording at which it stands in the script: where the word before it ends. */
  readonly atSeconds: number;
}

export interface AlignedScript {
  readonly parts: readonly ScriptPart[];
  /** All words of the script that can have been said, in its order. Times never fall. */
  readonly words: readonly AlignedWord[];
  /** What a script far longer than its recording has besides; none of its words is among `words`. */
  readonly leftOut: readonly LeftOutPassage[];
  /** false without a recogniser: every word then counts as found. */
  readonly matchedDecided: boolean;
}

/**
 * Finds when each word of a script is said. The words of a recogniser say where to look and what is not said at all;
 * the sound, beside eSpeak NG's reading of the script, says when exactly. Of a script that is far longer than its
 * recording, only the passages are looked at that can be in it.
 * @throws AbortError
 */
export async function alignScript(
  sound: SpeechSound,
  script: Script,
  { language, recognised, signal, onProgress }: AlignScriptOptions,
): Promise<AlignedScript> {
  throwIfAborted(signal);
  const { parts, words } = scriptWords(script, language);
  const spoken = words.filter((word) => word.spoken !== '');
  const heard = recognised === null ? null : heardWordsOf(recognised, language);
  const keys = spoken.map((word) => comparable(word.spoken));
  const ranges = sayable(keys, heard, sound.durationSeconds);
  const kept = ranges === null ? spoken : ranges.flatMap(({ from, to }) => spoken.slice(from, to));
  const options: FindOptions = {
    language,
    signal,
    onProgress: onProgress ?? (() => {}),
    known: (places) => knownByCues(parts, kept, places),
  };
  const found =
    heard === null ? await findUnheardWords(sound, kept, options) : await findHeardWords(sound, kept, heard, options);
  const all = ranges === null ? found : withLeftOut(spoken, ranges, found);
  return { parts, ...inOrder(words, all), matchedDecided: heard !== null };
}

/**
 * Every word that was looked for with its times, and what was not; what was not found, or is not spoken, stands behind the
 * word before it.
 */
function inOrder(
  words: readonly ScriptWord[],
  found: readonly (FoundWord | null | undefined)[],
): Pick<AlignedScript, 'words' | 'leftOut'> {
  const aligned: AlignedWord[] = [];
  const leftOut: LeftOutPassage[] = [];
  let passage: string[] = [];
  let at = 0;
  let end = 0;
  const endPassage = (): void => {
    if (passage.length > 0) leftOut.push({ ...summaryOf(passage), atSeconds: end });
    passage = [];
  };
  for (const { text, part, line, spoken } of words) {
    // What is not spoken goes with the word before it.
    const index = spoken === '' ? Math.max(0, at - 1) : at++;
    const times = found[index];
    if (times === undefined && index < found.length) {
      passage.push(text);
      continue;
    }
    endPassage();
    if (spoken === '' || !times) {
      aligned.push({ text, startSeconds: end, endSeconds: end, matched: spoken === '', part, line });
      continue;
    }
    const startSeconds = Math.max(end, times.startSeconds);
    end = Math.max(startSeconds, times.endSeconds);
    aligned.push({ text, startSeconds, endSeconds: end, matched: true, part, line });
  }
  endPassage();
  return { words: aligned, leftOut };
}

const summaryOf = (passage: readonly string[]): Omit<LeftOutPassage, 'atSeconds'> => ({
  words: passage.length,
  begins: passage.slice(0, wordsShown).join(' ').slice(0, lettersShown),
  ends: passage.slice(-wordsShown).join(' ').slice(-lettersShown),
});
