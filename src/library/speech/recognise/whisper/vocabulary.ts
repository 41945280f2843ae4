// Converts tokens to words.
import { readFile } from 'node:fs/promises';
import { Tokenizer } from '@huggingface/tokenizers';
import { unspacedLetter } from '../../../contract/join-words.ts';

/** The tokens of a word, with its punctuation. */
export interface TokenWord {
  readonly text: string;
  /** Indices in the list of tokens, from first to `to`, exclusive. */
  readonly from: number;
  readonly to: number;
}

export interface Vocabulary {
  encode(text: string): number[];
  /** The text without special tokens. */
  text(tokens: readonly number[]): string;
  /** @param firstSpecial tokens from here on are not text and separate words */
  words(tokens: readonly number[], language: string, firstSpecial: number): TokenWord[];
}

/** Languages without spaces between words: there, each character or group of tokens is a word, but for foreign ones. */
const unspaced = new Set(['zh', 'ja', 'th', 'lo', 'my', 'yue']);
/** Do both sides of this border belong to a word of a script with spaces: "Mic" and "rosoft"? */
const isWithin = (left: string, right: string): boolean =>
  /[\p{L}\p{N}]$/u.test(left) && /^[\p{L}\p{N}'’]/u.test(right) && !isUnspaced(left.slice(-1)) && !isUnspaced(right);
const isUnspaced = (text: string): boolean => unspacedLetter.test(Array.from(text)[0] ?? '');

/** Punctuation before its word, and after it (whisper/timing.py). */
const before = new Set('"\'“¿([{-¡«„');
const behind = new Set('"\'.。,，!！?？:：”)]}、»…;');

const hasSound = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);
const consistsOf = (text: string, marks: ReadonlySet<string>): boolean =>
  text.trim() !== '' && Array.from(text.trim()).every((mark) => marks.has(mark));

interface TextPiece {
  text: string;
  from: number;
  to: number;
}

/** @param path of a tokenizer.json */
export async function loadVocabulary(path: string): Promise<Vocabulary> {
  const file = JSON.parse(await readFile(path, 'utf8')) as object;
  const tokenizer = new Tokenizer(file, { clean_up_tokenization_spaces: false });
  const text = (tokens: readonly number[]): string =>
    tokenizer.decode([...tokens], { skip_special_tokens: true, clean_up_tokenization_spaces: false });

  // A character may be spread over tokens: pieces end where the text is complete.
  const pieces = (tokens: readonly number[], from: number, to: number): TextPiece[] => {
    const found: TextPiece[] = [];
    for (let start = from, at = from; at < to; at += 1) {
      const said = text(tokens.slice(start, at + 1));
      if (said.includes('\uFFFD') && at + 1 < to && at - start < 8) continue;
      found.push({ text: said, from: start, to: at + 1 });
      start = at + 1;
    }
    return found;
  };

  return {
    encode: (said) => tokenizer.encode(said, { add_special_tokens: false }).ids,
    text,
    words(tokens, language, firstSpecial) {
      const spaced = !unspaced.has(language);
      const words: TextPiece[] = [];
      for (let at = 0; at < tokens.length;) {
        let to = at;
        while (to < tokens.length && (tokens[to] ?? 0) < firstSpecial) to += 1;
        const run: TextPiece[] = [];
        for (const piece of pieces(tokens, at, to)) {
          const word = run.at(-1);
          if (word && !piece.text.startsWith(' ') && (spaced || isWithin(word.text, piece.text))) {
            word.text += piece.text;
            word.to = piece.to;
          } else run.push(piece);
        }
        words.push(...joinMarks(run));
        at = to + 1;
      }
      return words.map((word) => ({ ...word, text: word.text.trim() })).filter((word) => hasSound(word.text));
    },
  };
}

/** Opening marks join the next word, closing ones the previous word. */
function joinMarks(run: readonly TextPiece[]): TextPiece[] {
  const words: TextPiece[] = [];
  let opening: TextPiece | undefined;
  for (const piece of run) {
    const previous = words.at(-1);
    if (!hasSound(piece.text)) {
      if (previous && !(piece.text.startsWith(' ') && consistsOf(piece.text, before))) {
        previous.text += consistsOf(piece.text, behind) || !piece.text.startsWith(' ') ? piece.text.trim() : piece.text;
        previous.to = piece.to;
      } else opening = opening ? { ...opening, text: opening.text + piece.text, to: piece.to } : { ...piece };
      continue;
    }
    words.push(
      opening ? { text: opening.text + piece.text.trimStart(), from: opening.from, to: piece.to } : { ...piece },
    );
    opening = undefined;
  }
  return words;
}
