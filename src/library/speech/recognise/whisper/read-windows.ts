// Reads some windows: decodes them, checks the readings, and decodes implausible ones again.
import { freeMemory } from '../../../core/free-buffer.ts';
import { AbortError } from '../../../core/abort.ts';
import type { SpeechSound } from '../../speech-sound.ts';
import { languageByWords } from '../../align/script/guess-language.ts';
import type { TimeRange } from '../../../core/time-range.ts';
import { uncovered } from '../windows/coverage.ts';
import { hearWindow, positionsOf } from './hear-window.ts';
import {
  isLanguageTold,
  isOdd,
  isSaid,
  isSound,
  leastMeanLogProbability,
  logsOfText,
  mean,
  mostCompression,
  mostNoSpeech,
  noSpeechProbability,
} from './is-said.ts';
import { findTerms, withTerms } from './terms.ts';
import type { PlacedWord } from '../windows/place-words.ts';
import { placeReading } from './place-reading.ts';
import { decodeWidely } from './beam.ts';
import { decode, type Reading } from './decode.ts';
import { compressionRatio, findLoop } from './loops.ts';
import type { EncodedSound, Windows } from './decoder.ts';
import type { WhisperNetwork } from './network.ts';
import type { Vocabulary } from './vocabulary.ts';
import { languageOfWindow, mayBeInTwo } from './spoken-in.ts';
import { meanLogOf, partsByLanguage, windowsOfVoices } from './two-languages.ts';
import { verbatimPrompt, withHesitations } from './verbatim.ts';
import { type ListeningWindow, windowSeconds } from '../windows/windows.ts';

export interface Reader {
  readonly network: WhisperNetwork;
  readonly vocabulary: Vocabulary;
  readonly sound: SpeechSound;
  /** The recording's. */
  readonly language: string;
  /** Windows may be in other languages. */
  readonly mixed: boolean;
  /** Also transcribe hesitations and false starts. */
  readonly verbatim: boolean;
  /** Write down in English what is said. */
  readonly translate: boolean;
  /** Names and terms that may be said. */
  readonly terms: readonly string[];
  cancelled(): boolean;
}

/** Of OpenAI's guards (whisper/transcribe.py). */
const temperatures = [0.2, 0.4, 0.6, 0.8, 1];

/** A reading with so many times the tokens of the usual one has run away. */
const runawayShare = 1.5;
/** Mean of the tokens of text under which a window is read again with several readings in parallel. */
const doubtfulLogProbability = -0.2;

/** A window with its intermediate results. */
interface Listening {
  readonly window: ListeningWindow;
  readonly seconds: number;
  readonly positions: number;
  readonly voiceEndSeconds: number;
}

function listeningTo(window: ListeningWindow): Listening {
  const seconds = windowSeconds(window);
  // The end of the last voice in the window: pieces end a margin after it.
  const lastPiece = window.pieces.at(-1);
  const lastVoice = window.voices.at(-1);
  const behind = Math.max(0, (lastPiece?.endSeconds ?? 0) - (lastVoice?.endSeconds ?? 0));
  return {
    window,
    seconds,
    positions: positionsOf(seconds),
    voiceEndSeconds: seconds - behind,
  };
}

/** Positions of silence after the sound that are kept. */
const silentPositions = 100;
const lookedAt = (listenings: readonly Listening[]): number[] =>
  listenings.map(({ positions }) => positions + silentPositions);

/** A small generator of good quality (mulberry32), so that sampling is deterministic. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The tokens of a reading up to a loop, with the looped phrase once. */
function cutLoop(reading: Reading, { network }: Reader): Reading {
  const { end } = network.layout.tokens;
  const text = reading.tokens.filter((token) => token < end);
  const loop = findLoop(text);
  if (!loop) return reading;
  const kept = text.length - loop.phrase * (loop.repeats - 1);
  let [count, words] = [0, 0];
  while (words < kept) {
    if ((reading.tokens[count] ?? end) < end) words += 1;
    count += 1;
  }
  return { ...reading, tokens: reading.tokens.slice(0, count) };
}

/**
 * Decodes again with rising temperatures where the first reading is implausible. null without speech; if all tries are
 * implausible, the best of them.
 */
async function mend(
  reader: Reader,
  windows: Windows,
  listening: Listening,
  prompt: readonly number[],
  first: Reading,
): Promise<Reading | null> {
  const { network, cancelled } = reader;
  if (isSound(first, reader)) return first;
  const silent = noSpeechProbability(network, windows.opening) > mostNoSpeech;
  if (silent && first.meanLogProbability < leastMeanLogProbability) return null;
  const random = seeded(Math.round((listening.window.pieces[0]?.startSeconds ?? 0) * 1000));
  const tries = [first];
  for (const temperature of temperatures) {
    const [reading] = await decode(network, windows, {
      prompt,
      positions: [listening.positions],
      soundings: [listening],
      sampling: { temperature, random },
      cancelled,
    });
    if (!reading) break;
    if (isSound(reading, reader)) return reading;
    tries.push(reading);
  }
  const best = leastWrong(tries, reader);
  return silent && best.meanLogProbability < leastMeanLogProbability ? null : best;
}

/** The best of implausible readings: without a loop, then the likeliest. */
function leastWrong(tries: readonly Reading[], reader: Reader): Reading {
  const circles = (reading: Reading): boolean =>
    reading.looped || compressionRatio(reader.vocabulary.text(reading.tokens)) > mostCompression;
  const straight = tries.filter(
    (reading) => !circles(reading) && reading.meanLogProbability >= 2 * leastMeanLogProbability,
  );
  const likeliest = straight.toSorted((a, b) => b.meanLogProbability - a.meanLogProbability)[0];
  return likeliest ?? cutLoop(tries[0] as Reading, reader);
}

const isInTwo = ({ network }: Reader, { opening }: Windows): boolean =>
  mayBeInTwo(opening, network.layout.tokens.languages);

/** The reading that counts: repeated where it is implausible, wider where it is doubtful. */
async function finalReading(
  reader: Reader,
  windows: Windows,
  listening: Listening,
  first: Reading,
): Promise<Reading | null> {
  const prompt = promptOf(reader);
  const { faint, hidden } = listening.window;
  const isNoSpeech = faint || (isOdd(reader, windows, first) && !isInTwo(reader, windows));
  if (isNoSpeech && !isLanguageTold(reader, windows)) return null;
  const mended = await mend(reader, windows, listening, prompt, first);
  const reading = mended !== null && (faint || hidden) && !isSaid(reader, windows, mended) ? null : mended;
  // Where one reading turned in circles, several do.
  if (reading === null || first.looped) return reading;
  if (mean(logsOfText(reader, reading)) >= doubtfulLogProbability) return reading;
  const wide = await decodeWidely(reader.network, windows, {
    prompt,
    positions: listening.positions,
    sounding: listening,
    mostTokens: Math.ceil(runawayShare * reading.tokens.length),
    cancelled: () => reader.cancelled(),
  });
  return isSound(wide, reader) ? wide : reading;
}

/** Said before Chinese, which comes out in either script else, by the window: it is simplified then. */
const inSimplified = '以下是普通话的句子。';

/** Tokens before the text. */
export function promptOf({
  network,
  vocabulary,
  language,
  translate,
}: Pick<Reader, 'network' | 'vocabulary' | 'language' | 'translate'>): number[] {
  const { start, languages, ...tasks } = network.layout.tokens;
  const spoken = languages.get(language);
  const task = translate ? tasks.translate : tasks.transcribe;
  if (spoken === undefined || task === null) return [start];
  const before = language === 'zh' && !translate ? [tasks.previous, ...vocabulary.encode(inSimplified)] : [];
  return [...before, start, spoken, task];
}

/** The likeliest token at each step. */
const decodeAll = (
  { network, cancelled }: Reader,
  opened: Windows,
  listenings: readonly Listening[],
  prompt: readonly number[],
): Promise<Reading[]> =>
  decode(network, opened, {
    prompt,
    positions: listenings.map(({ positions }) => positions),
    soundings: listenings,
    sampling: { temperature: 0, random: () => 0 },
    cancelled,
  });

/** Readings with hesitations; null where there are none, or for an implausible one. */
async function readVerbatim(
  reader: Reader,
  opened: Windows,
  listenings: readonly Listening[],
): Promise<(Reading | null)[]> {
  const { network, vocabulary, language, verbatim } = reader;
  // A prompt in the language that is spoken would be in the way of another.
  const said = verbatim && !reader.translate ? verbatimPrompt(language) : null;
  if (said === null) return listenings.map(() => null);
  const prompt = [network.layout.tokens.previous, ...vocabulary.encode(` ${said}`), ...promptOf(reader)];
  const readings = await decodeAll(reader, opened, listenings, prompt);
  return readings.map((reading) => {
    if (reading.looped) return cutLoop(reading, reader);
    return isSound(reading, reader) ? reading : null;
  });
}

/** The language of the text. */
const writtenIn = ({ language, translate }: Reader): string => (translate ? 'en' : language);

const voicedSeconds = ({ voices }: ListeningWindow): number =>
  voices.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);

interface RowReadings {
  readonly plain: Reading;
  readonly prompted: Reading | null;
}

async function readRows(
  reader: Reader,
  opened: Windows,
  listenings: readonly Listening[],
): Promise<readonly RowReadings[]> {
  const readings = await decodeAll(reader, opened, listenings, promptOf(reader));
  const prompted = await readVerbatim(reader, opened, listenings);
  return readings.map((plain, row) => ({ plain, prompted: prompted[row] ?? null }));
}

/** The reading's words, with terms in the place of what sounds like them. */
async function named(
  reader: Reader,
  windows: Windows,
  reading: Reading,
  place: (reading: Reading) => PlacedWord[],
): Promise<PlacedWord[]> {
  const usual = place(reading);
  const { network, vocabulary, terms } = reader;
  if (terms.length === 0 || usual.length === 0) return usual;
  const language = writtenIn(reader);
  const cancelled = (): boolean => reader.cancelled();
  const prompt = promptOf(reader);
  const found = await findTerms({ network, vocabulary, terms, language, prompt, cancelled }, windows, reading);
  return found.length === 0 ? usual : place(withTerms(reading, found, vocabulary));
}

/** The words of one window in the reader's language. */
async function wordsOf(
  reader: Reader,
  windows: Windows,
  listening: Listening,
  { plain, prompted }: RowReadings,
): Promise<PlacedWord[]> {
  const { network, vocabulary, language } = reader;
  const place = (reading: Reading): PlacedWord[] =>
    placeReading(reading, listening.window, listening.positions, vocabulary, {
      language: writtenIn(reader),
      heads: network.layout.alignmentHeads.length,
      firstSpecial: network.layout.tokens.end,
    });
  const reading = await finalReading(reader, windows, listening, plain);
  if (reading === null) return [];
  const words = await named(reader, windows, reading, place);
  const hesitant = prompted === null ? [] : place(prompted);
  return hesitant.length > 0 ? withHesitations(words, hesitant, language) : words;
}

/** The same in another language than the recording's; the words say so. */
async function wordsInOther(reader: Reader, windows: Windows, listening: Listening): Promise<PlacedWord[]> {
  const [readings] = await readRows(reader, windows, [listening]);
  const words = await wordsOf(reader, windows, listening, readings as RowReadings);
  return words.map((word) => ({ ...word, language: reader.language }));
}

const languageOfRow = ({ network, language, mixed }: Reader, { opening }: Windows): string =>
  mixed ? languageOfWindow(opening, network.layout.tokens.languages, language) : language;

/** @param inTwo gets the windows that may be in two languages */
async function readOnce(
  reader: Reader,
  windows: readonly ListeningWindow[],
  known: readonly (EncodedSound | null)[],
  inTwo = new Set<ListeningWindow>(),
): Promise<PlacedWord[][]> {
  const { network, cancelled } = reader;
  // Longest first: rows that end early cost nothing more.
  const order = windows
    .map((window, index) => ({ window, index, seconds: voicedSeconds(window) }))
    .toSorted((a, b) => b.seconds - a.seconds);
  const heard: EncodedSound[] = [];
  for (const { window, index } of order) heard.push(known[index] ?? (await hearWindow(reader, window)));
  if (cancelled()) throw new AbortError();
  const listenings = order.map(({ window }) => listeningTo(window));
  const opened = await network.open(heard, lookedAt(listenings));
  // Only cross keys and values are still needed: 3 MB a window.
  for (const values of heard) freeMemory(values);
  try {
    const words: PlacedWord[][] = windows.map(() => []);
    const inLanguage = order.map((_, row) => languageOfRow(reader, opened.row(row)));
    const all = await readRows(reader, opened, listenings);
    for (const [row, { window, index }] of order.entries()) {
      const language = inLanguage[row] as string;
      if (isInTwo(reader, opened.row(row))) inTwo.add(window);
      const listening = listenings[row] as Listening;
      words[index] =
        language === reader.language
          ? await wordsOf(reader, opened.row(row), listening, all[row] as RowReadings)
          : await wordsInOther({ ...reader, language }, opened.row(row), listening);
    }
    return words;
  } finally {
    opened.release();
  }
}

const inOrder = (words: readonly PlacedWord[]): PlacedWord[] =>
  words.toSorted((a, b) => a.startSeconds - b.startSeconds || a.endSeconds - b.endSeconds);

/** So many common words of another language in a piece, and it may be in that. */
const leastCommonWords = 4;

/**
 * A window has the language of most of it. A voice between pauses whose words are another language's is read on its
 * own, and takes the place of what was read if it is in another language there, too.
 */
async function readOtherPieces(
  reader: Reader,
  windows: readonly ListeningWindow[],
  words: PlacedWord[][],
): Promise<void> {
  for (const [index, { voices }] of windows.entries()) {
    if (voices.length < 2) continue;
    for (const [place, voice] of voices.entries()) {
      const until = voices[place + 1]?.startSeconds ?? Infinity;
      const isIn = ({ startSeconds }: TimeRange): boolean => startSeconds >= voice.startSeconds && startSeconds < until;
      const own = (words[index] as PlacedWord[]).filter(isIn);
      const { language, count } = languageByWords(own.map(({ text }) => text).join(' '));
      if (count < leastCommonWords || language === (own[0]?.language ?? reader.language)) continue;
      const [again = []] = await readOnce(reader, windowsOfVoices(reader, [voice]), []);
      if ((again[0]?.language ?? reader.language) === (own[0]?.language ?? reader.language)) continue;
      words[index] = inOrder([...(words[index] as PlacedWord[]).filter((word) => !isIn(word)), ...again]);
    }
  }
}

/**
 * The words of some windows. Speech without words is decoded again separately.
 * @param known the encoder's output for a window, if already computed
 */
export async function readWindows(
  reader: Reader,
  windows: readonly ListeningWindow[],
  known: readonly (EncodedSound | null)[],
): Promise<PlacedWord[][]> {
  const inTwo = new Set<ListeningWindow>();
  const words = await readOnce(reader, windows, known, inTwo);
  if (reader.mixed) {
    await readOtherPieces(reader, windows, words);
    for (const [index, window] of windows.entries()) {
      const parts = await partsByLanguage(reader, window, words[index] as PlacedWord[], inTwo.has(window));
      const apart = parts.length === 0 ? [] : (await readOnce(reader, parts, [])).flat();
      if (apart.length > 0 && meanLogOf(apart) > meanLogOf(words[index] as PlacedWord[])) words[index] = apart;
    }
  }
  const gaps = windows.flatMap((window, index) =>
    window.faint || window.hidden ? [] : uncovered(window.voices, words[index] ?? []),
  );
  if (gaps.length === 0) return words;
  const again = await readOnce(reader, windowsOfVoices(reader, gaps), []);
  const found = again.flat().filter((word) => {
    const middle = (word.startSeconds + word.endSeconds) / 2;
    return gaps.some(({ startSeconds, endSeconds }) => middle >= startSeconds && middle <= endSeconds);
  });
  return windows.map((window, index) => {
    const [start, end] = [window.pieces[0]?.startSeconds ?? 0, window.pieces.at(-1)?.endSeconds ?? 0];
    const more = found.filter((word) => word.startSeconds >= start && word.startSeconds < end);
    return inOrder([...(words[index] ?? []), ...more]);
  });
}
