// Whisper was trained on texts without "um" and false starts, and leaves them out unless its prompt has some. A prompt
// also changes other words, so a plain reading is the base, and only hesitations and repeated words of the prompted
// reading are added.
import type { PlacedWord } from './place-words.ts';

interface Hesitation {
  /** The prompt: people thinking aloud. */
  readonly prompt: string;
  /** Hesitation sounds, with drawn-out letters written once. */
  readonly sounds: readonly string[];
}

const hesitations: Readonly<Record<string, Hesitation>> = {
  en: {
    prompt: 'Um, uh, I, I mean, er, well, um, you know, uh, hmm.',
    sounds: ['um', 'uh', 'er', 'erm', 'hm', 'm', 'ah', 'eh', 'mhm', 'uhm'],
  },
  de: {
    prompt: 'Ähm, äh, ich, ich meine, hm, also, ähm, na ja, äh, mhm.',
    sounds: ['ähm', 'äh', 'hm', 'öh', 'öhm', 'em', 'ehm', 'eh', 'mhm', 'm', 'ah'],
  },
  fr: {
    prompt: 'Euh, heu, je, je veux dire, hum, ben, euh, tu vois, bah, hein.',
    sounds: ['euh', 'heu', 'hum', 'hm', 'eh', 'ben', 'bah', 'hein', 'm', 'eu'],
  },
  es: {
    prompt: 'Eh, em, yo, yo digo, este, bueno, eh, pues, mmm, o sea.',
    sounds: ['eh', 'em', 'm', 'hm', 'ah', 'este', 'ehm'],
  },
  it: {
    prompt: 'Ehm, eh, io, io dico, uhm, cioè, ehm, allora, mmm, boh.',
    sounds: ['ehm', 'em', 'eh', 'uhm', 'um', 'm', 'hm', 'ah', 'mh', 'beh', 'boh'],
  },
  nl: {
    prompt: 'Eh, ehm, ik, ik bedoel, uh, nou, eh, weet je, uhm, hm.',
    sounds: ['eh', 'ehm', 'uh', 'uhm', 'hm', 'm', 'euh', 'ah', 'um', 'er'],
  },
  pt: {
    prompt: 'Hum, é, eh, eu, eu quero dizer, ah, bem, hã, sabe, hmm.',
    sounds: ['hum', 'eh', 'ah', 'hã', 'hm', 'é', 'm', 'ahn', 'uh', 'um'],
  },
  pl: {
    prompt: 'Yyy, eee, ja, ja znaczy, no, ten, yyy, wiesz, hmm, ee.',
    sounds: ['y', 'e', 'hm', 'm', 'em', 'ym', 'eh', 'ah'],
  },
  ja: {
    prompt: 'えーと、あの、その、えっと、まあ、うーん、あのー、えー、なんか。',
    sounds: ['えと', 'えっと', 'あの', 'その', 'まあ', 'うん', 'え', 'あ', 'ん', 'う'],
  },
  ko: {
    prompt: '음, 어, 그, 저, 뭐, 음, 그러니까, 어, 있잖아, 음.',
    sounds: ['음', '어', '그', '저', '뭐', '아', '에', '으'],
  },
};

/** A word for comparison: lower case, without punctuation, drawn-out letters once. */
const plainWord = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}]|ー/gu, '')
    .replaceAll(/(\p{L})\1{2,}/gu, '$1$1');

const drawnOut = (text: string): string => plainWord(text).replaceAll(/(\p{L})\1+/gu, '$1');

/** The prompt that makes Whisper keep hesitations; null in languages without one. */
export const verbatimPrompt = (language: string): string | null => hesitations[language]?.prompt ?? null;

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
  const sounds = new Set(hesitations[language]?.sounds);
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
  const words: PlacedWord[] = [];
  let next = 0;
  const take = (to: number): void => {
    for (; next < to; next += 1) if (wanted[next]) words.push(prompted[next] as PlacedWord);
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
