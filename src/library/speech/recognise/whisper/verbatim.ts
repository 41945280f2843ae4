// Whisper was trained on texts without "um" and false starts, and leaves them out unless its prompt has some. A prompt
// also changes other words, so a plain reading is the base, and only hesitations and repeated words of the prompted
// reading are added.
import { hesitationOf } from '../../fillers/filler-lists.ts';
import { similarity } from '../../align/anchors/similarity.ts';
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

/** The words that only one reading has, between two that both have. */
interface Differing {
  readonly plain: readonly PlacedWord[];
  readonly prompted: readonly PlacedWord[];
}

const lettersOf = (words: readonly PlacedWord[]): string => words.map(({ text }) => plainWord(text)).join('');

/**
 * Is a hesitation a part of a word, as in "align, er" for "aligner" or "uh, coustic" for "acoustic"? Where the readings
 * have different words, the prompted one is nearer to the other with its letters than without, or has no word besides.
 */
function isPartOfWord({ plain, prompted }: Differing, hesitation: PlacedWord): boolean {
  if (plain.length === 0) return false;
  const said = lettersOf(plain);
  const others = prompted.filter((word) => word !== hesitation);
  return others.length > 0 && similarity(lettersOf(prompted), said) >= similarity(lettersOf(others), said);
}

/**
 * The plain reading with the hesitations, stammers and repetitions of the prompted one, which are marked. Next to
 * those, times, capitals and punctuation of the prompted reading count, since the plain one's extend over what it left
 * out.
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
  const differingAt = (j: number): Differing => {
    const after = pairs.findIndex(([, one]) => one > j);
    const [i, from] = pairs[(after < 0 ? pairs.length : after) - 1] ?? [-1, -1];
    const [next, to] = pairs[after] ?? [plain.length, prompted.length];
    return { plain: plain.slice(i + 1, next), prompted: prompted.slice(from + 1, to) };
  };
  /** Is one of the same words in a row in both readings? Else the readings differ in more than a repetition. */
  const isCopy = (j: number, step: 1 | -1): boolean => {
    const at = j + step;
    const isSame = plainWord(prompted[at]?.text ?? '') === plainWord((prompted[j] as PlacedWord).text);
    return isSame && (heard.has(at) || isCopy(at, step));
  };
  const isWanted = (j: number): boolean => {
    const word = prompted[j] as PlacedWord;
    if (heard.has(j) || word.confidence < leastConfidence) return false;
    // The same hesitation in both, spelt differently.
    if (known.some((one) => one.startSeconds < word.endSeconds && word.startSeconds < one.endSeconds)) return false;
    if (sounds.has(drawnOut(word.text))) return !isPartOfWord(differingAt(j), word);
    return isCopy(j, -1) || isCopy(j, 1) || /\p{L}[-–—]$/u.test(word.text);
  };
  const wanted = prompted.map((_, j) => isWanted(j));
  const words: PlacedWord[] = [];
  let next = 0;
  const take = (to: number): void => {
    for (; next < to; next += 1) {
      const word = prompted[next] as PlacedWord;
      if (wanted[next]) words.push({ ...word, prompted: sounds.has(drawnOut(word.text)) ? 'hesitation' : 'word' });
    }
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
  // The readings' times differ, their order does not. A plain word whose time covers a hesitation is shortened.
  const placed: PlacedWord[] = [];
  for (const word of words) {
    const before = placed.at(-1);
    const startSeconds = Math.max(before?.startSeconds ?? 0, word.startSeconds);
    if (before && before.endSeconds > startSeconds) placed[placed.length - 1] = { ...before, endSeconds: startSeconds };
    placed.push({ ...word, startSeconds, endSeconds: Math.max(startSeconds, word.endSeconds) });
  }
  return placed;
}
