// Finds words and phrases in a text, whatever their case, accents, hyphens and spaces, and what sounds the same.
import type { WordMatch } from '../../contract/sought.ts';
import type { Pronunciation } from '../align/pieces.ts';
import { openEspeak } from '../align/reference/espeak.ts';
import { voicesFor } from '../align/reference/languages.ts';
import { phonemes, bareSound } from '../align/sounds-of-words.ts';
import { endingsOf } from './endings.ts';
import { type Said, type Token, wordTokens } from './tokens.ts';

/** Words from `from` to `to`, exclusive, by their index. */
export interface WordRun {
  readonly from: number;
  readonly to: number;
}

/** Shorter words are in too many others. */
const fewestLettersWithin = 4;
const fewestLettersBeforeEnding = 3;
/** Words of another number of tokens than the phrase, as "every one" for "everyone", need so many letters. */
const fewestLettersJoined = 5;
/** Sounds: "Aaron" is five, and "I'd a" for "Ida" is too little. */
const fewestSoundsJoined = 5;

interface Key {
  readonly letters: string;
  readonly tokens: number;
}

/** Where one of `keys` is spelled by whole tokens. */
function runsOf(tokens: readonly Token[], spelled: readonly string[], keys: readonly Key[], fewest: number): WordRun[] {
  const known = new Map<string, number[]>();
  for (const { letters, tokens: count } of keys) known.set(letters, [...(known.get(letters) ?? []), count]);
  const begins = beginningOf([...known.keys()]);
  const runs: WordRun[] = [];
  for (const [from, first] of tokens.entries()) {
    let text = '';
    for (let to = from; to < tokens.length; to += 1) {
      text += spelled[to];
      if (!begins(text)) break;
      const counts = known.get(text);
      if (counts?.some((count) => count === to + 1 - from || text.length >= fewest))
        runs.push({ from: first.word, to: (tokens[to] as Token).word + 1 });
    }
  }
  return runs;
}

/** Does one of some texts begin like this? A phrase of many words costs little where others are said. */
function beginningOf(texts: readonly string[]): (text: string) => boolean {
  const sorted = texts.toSorted((a, b) => (a < b ? -1 : 1));
  return (text) => {
    let low = 0;
    for (let high = sorted.length; low < high;) {
      const middle = (low + high) >> 1;
      if ((sorted[middle] as string) < text) low = middle + 1;
      else high = middle;
    }
    return sorted[low]?.startsWith(text) === true;
  };
}

/** Finds the sought words in texts of one language. */
export interface WordFinder {
  /** Runs may overlap. */
  find(words: readonly Said[]): WordRun[];
}

/**
 * @param sought words and phrases as people write them
 * @param language ISO 639 code: whose endings, and whose sounds
 */
export async function openWordFinder(
  sought: readonly string[],
  language: string,
  match: WordMatch,
): Promise<WordFinder> {
  const phrases = sought.map((text) => wordTokens([{ text }])).filter((tokens) => tokens.length > 0);
  if (phrases.length === 0) return { find: () => [] };
  const keysBy = (spell: (token: Token) => string): Key[] =>
    phrases.map((tokens) => ({ letters: tokens.map(spell).join(''), tokens: tokens.length }));
  const written = [...keysBy(({ plain }) => plain), ...keysBy(({ wide }) => wide)];
  const within = written.flatMap(({ letters, tokens }) =>
    match === 'parts' && tokens === 1 && letters.length >= fewestLettersWithin ? [letters] : [],
  );
  const endings = match === 'words' ? null : endingsOf(language);
  const bare = (letters: string): string[] =>
    (endings?.(letters) ?? []).filter(({ length }) => length >= fewestLettersBeforeEnding);
  const sounds = await openSounds(language);
  const sounding = sounds === null ? [] : soundKeys(phrases, sounds);
  return {
    find(words) {
      const tokens = wordTokens(words);
      const runs: WordRun[] = [];
      for (const spell of [({ plain }: Token) => plain, ({ wide }: Token) => wide]) {
        const spelled = tokens.map(spell);
        runs.push(...runsOf(tokens, spelled, written, fewestLettersJoined));
        if (endings !== null) runs.push(...endedRuns(tokens, spelled, written, bare));
        for (const [at, letters] of spelled.entries())
          if (within.some((part) => letters.includes(part))) runs.push(runOf(tokens[at] as Token));
      }
      if (sounds !== null && sounding.length > 0)
        runs.push(...runsOf(tokens, sounds(tokens.map(({ plain }) => plain)), sounding, fewestSoundsJoined));
      return runs;
    },
  };
}

const runOf = ({ word }: Token): WordRun => ({ from: word, to: word + 1 });

/** Runs whose last token has an ending: "New Yorks". */
function endedRuns(
  tokens: readonly Token[],
  spelled: readonly string[],
  keys: readonly Key[],
  bare: (letters: string) => string[],
): WordRun[] {
  const known = new Map(keys.map(({ letters, tokens: count }) => [letters, count]));
  const most = Math.max(0, ...keys.map((key) => key.tokens));
  const runs: WordRun[] = [];
  for (const [last, token] of tokens.entries()) {
    const stems = bare(spelled[last] as string);
    if (stems.length === 0) continue;
    let before = '';
    for (let from = last; from >= 0 && last - from < most; from -= 1) {
      if (from < last) before = `${spelled[from]}${before}`;
      if (stems.some((stem) => known.get(before + stem) === last + 1 - from))
        runs.push({ from: (tokens[from] as Token).word, to: token.word + 1 });
    }
  }
  return runs;
}

/** The sound of each of some words, as a text. */
type SoundsOf = (words: readonly string[]) => string[];

/** null: eSpeak NG does not speak the language. */
async function openSounds(language: string): Promise<SoundsOf | null> {
  const espeak = await openEspeak();
  const [voice] = voicesFor(espeak, language);
  if (voice === undefined) return null;
  const reading: Pronunciation = { espeak, voice, language };
  const remembered = new Map<string, string>();
  const learn = (some: readonly string[]): void => {
    // A clause each; a word with a mark of its own would be two.
    const lines = espeak.ipa(voice, some.join('.\n\n')).trim().split('\n');
    for (const [at, spoken] of some.entries())
      remembered.set(
        spoken,
        lines.length === some.length ? bareSound(lines[at] as string) : phonemes(reading, [{ spoken }]),
      );
  };
  return (words) => {
    const unknown = [...new Set(words)].filter((word) => word.length <= longestSounded && !remembered.has(word));
    for (let from = 0; from < unknown.length; from += wordsAtOnce) learn(unknown.slice(from, from + wordsAtOnce));
    return words.map((word) => remembered.get(word) ?? noSound);
  };
}

/** A call of eSpeak NG takes 4 ms, however few words it has. */
const wordsAtOnce = 100;
/** Longer ones are codes, and are not said; eSpeak NG takes 20,000 letters at a time. */
const longestSounded = 100;
/** Alike to no sound. */
const noSound = ' ';

const soundKeys = (phrases: readonly (readonly Token[])[], sounds: SoundsOf): Key[] =>
  phrases
    .map((tokens) => ({ letters: sounds(tokens.map(({ plain }) => plain)).join(''), tokens: tokens.length }))
    .filter(({ letters }) => letters !== '');
