import { throwIfAborted } from '../../core/abort.ts';
import type { SpeechSound } from '../speech-sound.ts';
import type { SpokenWord } from '../spoken-word.ts';
import type { Script } from '../transcript/read/script.ts';
import { findHeardWords } from './find-heard-words.ts';
import type { FindOptions } from './find-words.ts';
import { findUnheardWords } from './find-unheard-words.ts';
import type { FoundWord } from './pieces.ts';
import { knownByCues } from './script/cue-times.ts';
import { type ScriptPart, type ScriptWord, scriptWords } from './script/script-words.ts';

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

export interface AlignedScript {
  readonly parts: readonly ScriptPart[];
  /** All words of the script, in its order. Times never fall. */
  readonly words: readonly AlignedWord[];
  /** false without a recogniser: every word then counts as found. */
  readonly matchedDecided: boolean;
}

/**
 * Finds when each word of a script is said. The words of a recogniser say where to look and what is not said at all;
 * the sound, beside eSpeak NG's reading of the script, says when exactly.
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
  const options: FindOptions = {
    language,
    signal,
    onProgress: onProgress ?? (() => {}),
    known: (places) => knownByCues(parts, spoken, places),
  };
  const found =
    recognised === null
      ? await findUnheardWords(sound, spoken, options)
      : await findHeardWords(sound, spoken, recognised, options);
  return { parts, words: inOrder(words, found), matchedDecided: recognised !== null };
}

/** Every word of the script with its times; what was not found, or is not spoken, stands behind the word before it. */
function inOrder(words: readonly ScriptWord[], found: readonly (FoundWord | null)[]): AlignedWord[] {
  let at = 0;
  let end = 0;
  return words.map(({ text, part, line, spoken }) => {
    const times = spoken === '' ? null : (found[at++] ?? null);
    if (!times) return { text, startSeconds: end, endSeconds: end, matched: spoken === '', part, line };
    const startSeconds = Math.max(end, times.startSeconds);
    end = Math.max(startSeconds, times.endSeconds);
    return { text, startSeconds, endSeconds: end, matched: true, part, line };
  });
}
