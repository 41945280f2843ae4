// Terms that the sound speaks for, however they are written: where a word is doubtful, each term's probability there is
// compared with its probability where nothing is heard. A rare name is unlikely by itself; what counts is how much
// likelier the sound makes it.
import { AbortError } from '../../../core/abort.ts';
import { lettersOf, likeness, openSounds, type Sounding, type Pronouncer } from './likeness.ts';
import {
  apart,
  endOf,
  isRare,
  leastInFrequent,
  mostSure,
  sum,
  type TermReader,
  tokensBehind,
  tokensOf,
  unheardBy,
  wordsIn,
  type Worthy,
} from './term-reader.ts';
import type { Reading } from './decode.ts';
import type { Windows } from './decoder.ts';
import { continuing, scoreTexts } from './score-texts.ts';
import { soundAdds, type Unheard } from './unheard.ts';
import type { TokenWord } from './vocabulary.ts';

/** A term is looked for where a word is less likely than this: the sum of its tokens' logarithms. */
const doubtful = -0.3;
/** Also before a word that is less likely than this, for terms that are at least so much alike. */
const doubtfulBehind = -0.6;
const leastLikeness = 0.4;
/** Terms tried in one place: of those that sound most alike, and of those that the sound makes likeliest to begin. */
const mostOfEach = 3;
/** A term may be heard as so many words more than it has. */
const moreWords = 4;
/**
 * How much likelier the sound must make a term, and the term with what follows than what was read, together: less for a
 * term that sounds like what was read. The greatest sum of a term that is not said was 15.2.
 */
const leastEvidence = (alike: number): number => (alike >= mostlyAlike ? leastOfTerm : leastOfUnlike);
const mostlyAlike = 0.5;
/** The sound alone. Terms that are not said and sound like what was read had at most 5.9. */
const leastOfTerm = 7;
const leastOfUnlike = 16;
/** A term that sounds so much more like the last of the replaced words alone is said there, not here. */
const likerBehind = 0.1;

interface TermSearch {
  readonly reader: TermReader;
  readonly windows: Windows;
  readonly reading: Reading;
  readonly words: readonly TokenWord[];
  /** How each word sounds. */
  readonly heard: readonly Sounding[];
  readonly named: readonly { readonly term: string; readonly own: Sounding }[];
  readonly nothing: Unheard;
}

const doubtOf = ({ logProbabilities }: Reading, word: TokenWord | undefined): number =>
  word === undefined ? 0 : sum(logProbabilities.slice(word.from, word.to));

/** How alike each term is to what was read from a word on. */
const likenesses = ({ named, heard }: TermSearch, at: number): number[] =>
  named.map(({ term, own }) => {
    const ends = Array.from({ length: wordsIn(term) + moreWords - 1 }, (_, more) => at + 1 + more);
    return Math.max(0, ...ends.map((to) => (to > heard.length ? 0 : likeness(own, heard.slice(at, to)))));
  });

const greatest = (values: readonly number[], count: number): number[] =>
  [...values.keys()].toSorted((a, b) => (values[b] as number) - (values[a] as number)).slice(0, count);

/** The term that the sound speaks for most from a word on, and how much; null where none is likely. */
async function likeliestAt(
  heard: TermSearch,
  at: number,
  alike: readonly number[],
): Promise<{ readonly term: string; readonly gained: number } | null> {
  const { reader, windows, reading, words, nothing } = heard;
  const { from } = words[at] as TokenWord;
  const continuation = await continuing(reader.network, windows, [...reader.prompt, ...reading.tokens.slice(0, from)]);
  try {
    const tokens = reader.terms.map((term) => tokensOf(reader, reading, term, from));
    const begun = tokens.map(([first]) => continuation.next(first as number) - nothing.first(first as number));
    const tried = [...new Set([...greatest(alike, mostOfEach), ...greatest(begun, mostOfEach)])];
    const texts = tried.map((term) => tokens[term] as number[]);
    const gained = await soundAdds(continuation, nothing, texts);
    const [best] = greatest(gained, 1);
    if (best === undefined || (gained[best] as number) < leastOfTerm) return null;
    return { term: reader.terms[tried[best] as number] as string, gained: gained[best] as number };
  } finally {
    continuation.release();
  }
}

const soundingOf = ({ named }: Pick<TermSearch, 'named'>, term: string): Sounding =>
  (named.find((one) => one.term === term) as TermSearch['named'][number]).own;

/** Does a term sound more like the last of words [at, to) than like all of them? */
function isBehind({ heard, named }: TermSearch, term: string, at: number, to: number): boolean {
  const own = soundingOf({ named }, term);
  const [whole, ...later] = Array.from({ length: to - at }, (_, more) => likeness(own, heard.slice(at + more, to)));
  return later.some((alike) => alike > (whole as number) + likerBehind);
}

/**
 * The words in whose place a term fits best to what follows; null where it is said only behind the first of them, and
 * where not enough speaks for it.
 */
async function placed(
  heard: TermSearch,
  at: number,
  { term, gained }: { readonly term: string; readonly gained: number },
): Promise<Worthy | null> {
  const { reader, windows, reading, words } = heard;
  const { tokens } = reading;
  const { from } = words[at] as TokenWord;
  const own = tokensOf(reader, reading, term, from);
  const ends = words.slice(at, at + wordsIn(term) + moreWords).map((word) => endOf(reader, reading, word));
  const furthest = (ends.at(-1) as number) + tokensBehind;
  // All texts end at the same token, so that they can be compared.
  const texts = ends.map((end) => [...own, ...tokens.slice(end, furthest)]);
  const before = [...reader.prompt, ...tokens.slice(0, from)];
  const scores = await scoreTexts(reader.network, windows, before, [tokens.slice(from, furthest), ...texts]);
  const usual = sum(scores[0] as number[]);
  const behind = scores.slice(1).map((score) => sum(score.slice(own.length)));
  const [best] = greatest(behind, 1) as [number];
  const replaced = words.slice(at, at + 1 + best);
  if (sum(replaced.map((word) => doubtOf(reading, word))) > mostSure) return null;
  if (gained < leastInFrequent && !replaced.some((word) => isRare(reader, reading, word))) return null;
  if (isBehind(heard, term, at, at + 1 + best)) return null;
  const worth = gained + (behind[best] as number) - usual;
  if (worth < leastEvidence(likeness(soundingOf(heard, term), heard.heard.slice(at, at + 1 + best)))) return null;
  const logProbability = sum((scores[best + 1] as number[]).slice(0, own.length)) / own.length;
  return { term, from, to: ends[best] as number, logProbability, worth };
}

const open = async (
  reader: TermReader,
  windows: Windows,
  reading: Reading,
  sounds: Pronouncer,
): Promise<TermSearch> => {
  const { network, vocabulary, language, terms } = reader;
  const { end } = network.layout.tokens;
  const words = vocabulary.words(reading.tokens, language, end);
  return {
    reader,
    windows,
    reading,
    words,
    heard: words.map(({ text }) => sounds.ofWord(lettersOf(text))),
    named: terms.map((term) => ({ term, own: sounds.ofName(term) })),
    nothing: await unheardBy(reader),
  };
};

/** Where the sound speaks for terms instead of what was read, in order. */
export async function findHeardTerms(reader: TermReader, windows: Windows, reading: Reading): Promise<Worthy[]> {
  const heard = await open(reader, windows, reading, await openSounds(reader.language));
  const { words, named } = heard;
  const found: Worthy[] = [];
  for (const [at, word] of words.entries()) {
    if (reader.cancelled()) throw new AbortError();
    const isDoubtful = doubtOf(reading, word) <= doubtful;
    if (!isDoubtful && doubtOf(reading, words[at + 1]) > doubtfulBehind) continue;
    const alike = likenesses(heard, at);
    if (!isDoubtful && Math.max(...alike) < leastLikeness) continue;
    const isWritten = named.some(
      ({ term, own }) =>
        lettersOf(
          words
            .slice(at, at + wordsIn(term))
            .map(({ text }) => text)
            .join(''),
        ) === own.letters,
    );
    const likeliest = isWritten ? null : await likeliestAt(heard, at, alike);
    if (likeliest === null) continue;
    const one = await placed(heard, at, likeliest);
    if (one !== null) found.push(one);
  }
  return apart(found);
}
