// Whisper was trained on texts without "um" and false starts, and leaves them out unless its prompt has some. A prompt
// also changes other words, so a plain reading is the base, and only hesitations and repeated words of the prompted
// reading are added.
import { hesitationOf } from '../../fillers/filler-lists.ts';
import type { PlacedWord } from '../windows/place-words.ts';

/** A word for comparison: lower case, without punctuation, drawn-out letters once. */
const plainWord = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}]|ー/gu, '')
    .replaceAll(/(\p{L})\1{2,}/gu, '$1$1');

const drawnOut = (text: string): string => plainWord(text).replaceAll(/(\p{L})\1+/gu, '$1');

/** The prompt that makes Whisper keep hesitations; null in languages without one. */
export const verbatimPrompt = (language: string): string | null => hesitationOf(language)?.prompt ?? null;

/** Greatest distance of a word's times in the two readings. */
const apartSeconds = 1.2;
/** Hesitations that the prompt alone suggests have low confidence. */
const leastConfidence = 0.25;

/** Pairs of the same words in both readings, in order: the longest common subsequence. */
function sameWords(plain: readonly PlacedWord[], prompted: readonly PlacedWord[]): [number, number][] {
  const isSame = (a: PlacedWord, b: PlacedWord): boolean =>
    plainWord(a.text) === plainWord(b.text) && Math.abs(a.startSeconds - b.startSeconds) <= apartSeconds;
  const width = prompted.length + 1;
  const longest = new Uint16Array((plain.length + 1) * width);
  for (let i = plain.length - 1; i >= 0; i -= 1)
    for (let j = prompted.length - 1; j >= 0; j -= 1)
      longest[i * width + j] = isSame(plain[i] as PlacedWord, prompted[j] as PlacedWord)
        ? (longest[(i + 1) * width + j + 1] ?? 0) + 1
        : Math.max(longest[(i + 1) * width + j] ?? 0, longest[i * width + j + 1] ?? 0);
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < plain.length && j < prompted.length;) {
    if (isSame(plain[i] as PlacedWord, prompted[j] as PlacedWord)) {
      pairs.push([i, j]);
      i += 1;
      j += 1;
    } else if ((longest[(i + 1) * width + j] ?? 0) >= (longest[i * width + j + 1] ?? 0)) i += 1;
    else j += 1;
  }
  return pairs;
}

/**
 * The plain reading with the hesitations, stammers and repetitions of the prompted one. Next to those, times, capitals
 * and punctuation of the prompted reading count, since the plain one's extend over what it left out.
 */
export function withHesitations(
  plain: readonly PlacedWord[],
  prompted: readonly PlacedWord[],
  language: string,
): PlacedWord[] {
  const sounds = new Set(hesitationOf(language)?.sounds);
  const pairs = sameWords(plain, prompted);
  const twin = new Map(pairs);
  const heard = new Set(pairs.map(([, j]) => j));
  const known = plain.filter((word, i) => !twin.has(i) && sounds.has(drawnOut(word.text)));
  const isWanted = (j: number): boolean => {
    const word = prompted[j] as PlacedWord;
    if (heard.has(j) || word.confidence < leastConfidence) return false;
    // The same hesitation in both, spelt differently.
    if (known.some((one) => one.startSeconds < word.endSeconds && word.startSeconds < one.endSeconds)) return false;
    const repeats = [prompted[j - 1], prompted[j + 1]].some(
      (one) => one && plainWord(one.text) === plainWord(word.text),
    );
    return sounds.has(drawnOut(word.text)) || repeats || /\p{L}[-–—]$/u.test(word.text);
  };
  const wanted = prompted.map((_, j) => isWanted(j));
  const marked = (word: PlacedWord): PlacedWord =>
    sounds.has(drawnOut(word.text)) ? { ...word, prompted: true } : word;
  const words: PlacedWord[] = [];
  let next = 0;
  const take = (to: number): void => {
    for (; next < to; next += 1) if (wanted[next]) words.push(marked(prompted[next] as PlacedWord));
  };
  for (const [i, word] of plain.entries()) {
    const j = twin.get(i);
    if (j === undefined) {
      // A word only in the plain reading: earlier words of the prompted reading come first.
      while (next < prompted.length && !heard.has(next) && (prompted[next]?.endSeconds ?? 0) <= word.startSeconds + 0.1)
        take(next + 1);
      words.push(word);
      continue;
    }
    take(j);
    next = j + 1;
    const besideWanted = Boolean(wanted[j - 1]) || Boolean(wanted[j + 1]);
    words.push(besideWanted ? (prompted[j] as PlacedWord) : word);
  }
  take(prompted.length);
  // A plain word whose time covers a hesitation is shortened.
  const placed: PlacedWord[] = [];
  for (const word of words.toSorted((a, b) => a.startSeconds - b.startSeconds)) {
    const before = placed.at(-1);
    if (before && before.endSeconds > word.startSeconds)
      placed[placed.length - 1] = { ...before, endSeconds: Math.max(before.startSeconds, word.startSeconds) };
    placed.push(word);
  }
  return placed;
}
