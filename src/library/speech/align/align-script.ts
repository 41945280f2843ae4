import { throwIfAborted } from '../../core/abort.ts';
import { isSteady } from '../activity/is-steady.ts';
import type { LeftOutScript } from '../../contract/tool-results.ts';
import type { SpeechSound } from '../speech-sound.ts';
import type { SpokenWord } from '../spoken-word.ts';
import type { Script } from '../transcript/read/script.ts';
import type { HeardWord } from './anchors/anchors.ts';
import { heardOrder } from './anchors/heard-order.ts';
import { sayable } from './anchors/sayable.ts';
import { comparable } from './anchors/similarity.ts';
import { findHeardWords } from './find-heard-words.ts';
import { heardWordsOf } from './heard-words.ts';
import type { FindOptions } from './find-words.ts';
import { findUnheardWords } from './find-unheard-words.ts';
import { withLeftOut } from './left-out.ts';
import type { FoundWord } from './pieces.ts';
import { areInTwoLanguages } from './script/guess-language.ts';
import { knownByCues } from './script/cue-times.ts';
import { type ScriptPart, type ScriptWord, scriptWords } from './script/script-words.ts';

/** Words shown at either end of a passage that is left out. */
const wordsShown = 6;
const lettersShown = 80;
/** So many words alike in a row are a sentence of the same language. */
const wordsOfSentence = 6;

export interface AlignScriptOptions {
  /** ISO 639 code of the spoken language. */
  readonly language: string;
  /** No other language is likely; default true. */
  readonly isLanguageTold?: boolean;
  /** The recogniser's words in order of time; null without one. */
  readonly recognised: readonly SpokenWord[] | null;
  readonly signal: AbortSignal;
  /** 0 to 1. */
  onProgress?(fraction: number): void;
}

export interface AlignedWord {
  /** As in the script. */
  readonly text: string;
  /** For a word that was not found: the end of the previous word. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Was it found in the recording? Also true for words without sound, and where no recogniser checked. */
  readonly matched: boolean;
  /** Index of its cue or paragraph. */
  readonly part: number;
  /** Index of its line in it. */
  readonly line: number;
}

export interface AlignedScript {
  readonly parts: readonly ScriptPart[];
  /** All words of the script that can have been spoken, in the order of the recording. Times never fall. */
  readonly words: readonly AlignedWord[];
  /** Its passages are said in another order than they are written in, which is that of `words`. */
  readonly isReordered: boolean;
  /** The rest of a script far longer than its recording; none of its words is in `words`. */
  readonly leftOut: readonly LeftOutScript[];
  /** false without a recogniser, and where it heard next to nothing: every word then counts as found. */
  readonly matchedDecided: boolean;
  /** What was heard is something else: no word of the script was found. */
  readonly isOtherRecording: boolean;
  /** Nothing is spoken: the recording is silent or steady noise. No word of the script was found. */
  readonly isWithoutSpeech: boolean;
}

/**
 * Finds when each word of a script is spoken. The recogniser's words narrow the search and show what was not spoken;
 * the sound, compared with eSpeak NG's reading of the script, gives exact times. Of a script that is far longer than
 * its recording, only the possible passages are searched for.
 * @throws AbortError
 */
export async function alignScript(
  sound: SpeechSound,
  script: Script,
  { language, isLanguageTold = true, recognised, signal, onProgress }: AlignScriptOptions,
): Promise<AlignedScript> {
  throwIfAborted(signal);
  const { parts, words: written } = scriptWords(script, language);
  const heard = recognised === null ? null : heardWordsOf(recognised, language);
  const sounding = written.filter((word) => word.spoken !== '');
  const ranges = sayable(keysOf(sounding), heard, sound.durationSeconds);
  const order = ranges === null && heard !== null ? heardOrder(sounding, keysOf(sounding), heard) : null;
  const words = order === null ? written : inHeardOrder(written, order);
  const isReordered = order !== null;
  const spoken = words.filter((word) => word.spoken !== '');
  const isWithoutSpeech = (heard ?? []).length === 0 && isSteady(sound);
  const isInOther = isLanguageTold && isInOtherLanguage(spoken, recognised ?? [], heard ?? [], language);
  if (isWithoutSpeech || isInOther) {
    const none = inOrder(
      words,
      spoken.map(() => null),
    );
    return { parts, ...none, isReordered, matchedDecided: true, isOtherRecording: isInOther, isWithoutSpeech };
  }
  const kept = ranges === null ? spoken : ranges.flatMap(({ from, to }) => spoken.slice(from, to));
  const options: FindOptions = {
    language,
    signal,
    onProgress: onProgress ?? (() => {}),
    known: (places) => knownByCues(parts, kept, places),
  };
  const { found, verdict } =
    // Nothing heard does not tell what is spoken.
    heard === null || heard.length === 0
      ? { found: await findUnheardWords(sound, kept, options), verdict: 'not known' }
      : await findHeardWords(sound, kept, heard, options);
  const all = ranges === null ? found : withLeftOut(spoken, ranges, found);
  const matchedDecided = verdict !== 'not known';
  const isOtherRecording = matchedDecided && spoken.length > 0 && !all.some((word) => word);
  return { parts, ...inOrder(words, all), isReordered, matchedDecided, isOtherRecording, isWithoutSpeech: false };
}

/**
 * Is a script in another language than what was heard? A sister language's words sound like what is said: 65 of 65
 * Spanish words were found in Italian. With a sentence word by word in both it is only partly so.
 */
function isInOtherLanguage(
  script: readonly ScriptWord[],
  recognised: readonly SpokenWord[],
  heard: readonly HeardWord[],
  language: string,
): boolean {
  const textOf = (words: readonly { readonly text: string }[]): string => words.map(({ text }) => text).join(' ');
  if (!areInTwoLanguages(textOf(script), textOf(recognised), language)) return false;
  const runsOf = (keys: readonly string[]): string[] =>
    keys.slice(0, 1 - wordsOfSentence).map((_, at) => keys.slice(at, at + wordsOfSentence).join(' '));
  const said = new Set(runsOf(heard.map(({ key }) => key)));
  return !runsOf(keysOf(script)).some((run) => said.has(run));
}

const keysOf = (words: readonly ScriptWord[]): string[] => words.map(({ spoken }) => comparable(spoken));

/** @param order of the words with sound; those without follow the word before them, the first ones the word behind */
function inHeardOrder(words: readonly ScriptWord[], order: readonly number[]): ScriptWord[] {
  const groups: ScriptWord[][] = [];
  let isBegun = false;
  for (const word of words) {
    if (groups.length === 0 || (isBegun && word.spoken !== '')) groups.push([word]);
    else groups.at(-1)?.push(word);
    isBegun ||= word.spoken !== '';
  }
  return order.flatMap((index) => groups[index] ?? []);
}

/**
 * Every searched word with its times, and the passages that were left out. A word that was not found, or has no sound,
 * is put at the end of the previous word.
 */
function inOrder(
  words: readonly ScriptWord[],
  found: readonly (FoundWord | null | undefined)[],
): Pick<AlignedScript, 'words' | 'leftOut'> {
  const aligned: AlignedWord[] = [];
  const leftOut: LeftOutScript[] = [];
  let passage: string[] = [];
  let at = 0;
  let end = 0;
  const endPassage = (): void => {
    if (passage.length > 0) leftOut.push({ ...summaryOf(passage), atSeconds: end });
    passage = [];
  };
  for (const { text, part, line, spoken } of words) {
    // A word without sound belongs to the previous word.
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

const summaryOf = (passage: readonly string[]): Omit<LeftOutScript, 'atSeconds'> => ({
  words: passage.length,
  begins: passage.slice(0, wordsShown).join(' ').slice(0, lettersShown),
  ends: passage.slice(-wordsShown).join(' ').slice(-lettersShown),
});
