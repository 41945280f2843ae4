// Does a sentence end between two words? Punctuation suggests it; what follows and the speaker's pause decide:
// abbreviations, initials and decimals do not end one.
import type { SpokenWord } from '../../spoken-word.ts';
import { unspacedLetter } from '../../../contract/join-words.ts';
import { abbreviationsOf } from './abbreviations.ts';

/** Such a pause always ends a sentence. */
const endingPauseSeconds = 2;
/** In scripts without spaces recognisers often leave out full stops, too. */
const endingPauseUnspacedSeconds = 0.9;
/** Pauses between an abbreviation or a number and the rest of its sentence are shorter. */
const stoppingPauseSeconds = 0.35;

const closers = `["'\\u2019\\u201D\\u00BB\\u203A)\\]}\\u300D\\u300F\\u3011\\uFF09]*$`;
const fullStop = new RegExp(`\\.${closers}`, 'u');
const ellipsis = new RegExp(`(?:\\.\\.|\\u2026)${closers}`, 'u');
const loud = new RegExp(`[!?\\u203D\\u2047-\\u2049\\u037E]${closers}`, 'u');
/** Unambiguous full stops: of Chinese and Japanese, Arabic, Hindi, Armenian, Ethiopic, Burmese, Khmer, Tibetan. */
const unmistakable = new RegExp(
  `[\\u3002\\uFF0E\\uFF01\\uFF1F\\uFF61\\u061F\\u06D4\\u0964\\u0965\\u0589\\u1362\\u1367\\u104A\\u104B\\u17D4\\u17D5\\u0F0D]${closers}`,
  'u',
);
const quoteAtEnd = /["'\u2019\u201D\u00BB\u300D\u300F]$/u;
const firstLetter = /[\p{L}\p{N}]/u;

const startsWith = (text: string, kind: RegExp): boolean => kind.test(firstLetter.exec(text)?.[0] ?? '');
const isLower = (text: string): boolean => startsWith(text, /\p{Ll}/u);
const isUpper = (text: string): boolean => startsWith(text, /\p{Lu}/u);

/** @param after the next spoken word */
export function endsSentence(before: SpokenWord, after: SpokenWord, language: string): boolean {
  const pause = after.startSeconds - before.endSeconds;
  const unspaced = language !== 'ko' && unspacedLetter.test(before.text.at(-1) ?? '');
  if (pause >= (unspaced ? endingPauseUnspacedSeconds : endingPauseSeconds)) return true;
  // A separate mark belongs to what it follows.
  if (!firstLetter.test(after.text)) return false;
  if (unmistakable.test(before.text) || (language === 'el' && /;["'\u00BB]*$/u.test(before.text))) return true;
  if (ellipsis.test(before.text)) return afterEllipsis(after.text, pause);
  if (loud.test(before.text)) return !(quoteAtEnd.test(before.text) && isLower(after.text));
  return fullStop.test(before.text) && afterFullStop(before.text, after.text, pause, language);
}

function afterEllipsis(after: string, pause: number): boolean {
  // "I" is upper case in any position.
  if (/^I(?:\b|['\u2019])/u.test(after)) return pause >= stoppingPauseSeconds;
  return !isLower(after);
}

function afterFullStop(before: string, after: string, pause: number, language: string): boolean {
  const { before: leads, beforeNumber, either, ordinals } = abbreviationsOf(language);
  const bare = before.replace(/^[^\p{L}\p{N}]+/u, '').replace(/(?<![^\p{L}\p{N}])[^\p{L}\p{N}]+$/u, '');
  const lower = bare.toLowerCase();
  const stopped = pause >= stoppingPauseSeconds;
  if (leads.has(lower)) return pause >= 2 * stoppingPauseSeconds && isUpper(after);
  if (beforeNumber.has(lower) && startsWith(after, /\p{N}/u)) return false;
  if (ordinals && /^\d{1,3}$/.test(bare)) return stopped && !isLower(after);
  // "J. R. R. Tolkien", "U.S. Congress": the next word is upper case either way.
  if (/^\p{Lu}$/u.test(bare) && isUpper(after)) return stopped;
  if (either.has(lower) || /^(?:\p{L}\.)+\p{L}$/u.test(bare)) return isUpper(after) && stopped;
  return !isLower(after);
}
