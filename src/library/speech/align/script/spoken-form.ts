// The spoken part of a written word, in letters that the synthesiser reads correctly.
import { languageOf } from '../../languages/language-of.ts';
import { spokenNumber } from './numbers.ts';

/** The pause that a speaker may make after a word, by its punctuation. */
export type PauseMark = '' | ',' | '.';

export interface SpokenForm {
  /** Words with single spaces between them; empty without sound: "—", "♪", an emoji. */
  readonly spoken: string;
  readonly mark: PauseMark;
}

const pictures =
  /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200D|\uFE0E|\uFE0F|\u20E3|♪|♫/gu;
/** Tags of SRT and VTT, ASS styling, and Markdown marks around words. */
const tags = /<[^<>]*>|\{\\[^{}]*\}/gu;
const invisible = /[\u00AD\u200B\u2060\uFEFF\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
const quotes = /["“”„‟«»‹›¿¡()[\]{}<>*_~`|\\^「」『』【】（）〈〉《》]/gu;
const apostrophes = /[‘’‛ʼ＇]/gu;
const sentenceEnd = /[.!?…。！？｡؟।॥։።]["”“»›'’)\]」』）]*$/u;
const clauseEnd = /[,;:،、，；：؛–—-]["”“»›'’)\]」』）]*$/u;
const edgeMarks =
  /^[\s.,;:!?…。！？｡、，；：،؛؟।॥։።–—'-]+|(?<![\s.,;:!?…。！？｡、，；：،؛؟।॥։።–—'-])[\s.,;:!?…。！？｡、，；：،؛؟।॥։።–—'-]+$/gu;
const speakable = /[\p{L}\p{N}%€$£¥&@+=°§]/u;

/**
 * @param written a word between white space, with its punctuation
 * @param language ISO 639 code; chooses the abbreviations
 */
export function spokenForm(written: string, language: string): SpokenForm {
  const plain = written.replace(tags, '').replace(invisible, '').replace(pictures, '');
  const mark: PauseMark = sentenceEnd.test(plain) ? '.' : clauseEnd.test(plain) ? ',' : '';
  const bare = plain.replace(apostrophes, "'").replace(quotes, ' ').trim();
  const table = languageOf(language)?.spokenForms ?? {};
  const short = bare.replace(/(?<![,;:!?])[,;:!?]+$/u, '').toLowerCase();
  // "constructor" is a word, too.
  const longForm = Object.hasOwn(table, short) ? table[short] : undefined;
  // "Dr." and "z.B." do not end a sentence.
  if (longForm !== undefined) return { spoken: longForm, mark: /[,;:]$/u.test(plain) ? ',' : '' };
  const spoken = bare
    .replace(edgeMarks, (marks) => (marks.startsWith('-') && /^-\d/u.test(bare) ? '-' : ''))
    .replace(/[–—/]/gu, ' ')
    .replace(/\s+/gu, ' ')
    .normalize('NFC')
    .trim();
  return { spoken: speakable.test(spoken) ? spokenNumber(spoken, language) : '', mark };
}
