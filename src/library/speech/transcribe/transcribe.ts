// Makes a transcript from sound: speakers, words, their exact times, and sentences.
import type { SpeakerBounds } from '../../contract/speaker-bounds.ts';
import type { Transcript, TranscriptSentence, TranscriptTurn, TranscriptWord } from '../../contract/transcript.ts';
import { throwIfAborted } from '../../core/abort.ts';
import type { FanOut } from '../../core/machine/fan-out.ts';
import type { FinishedParts } from '../../core/progress/finished-parts.ts';
import type { StartPass } from '../../core/progress/passes.ts';
import { dropWords } from '../fillers/drop-words.ts';
import { markWords } from '../fillers/mark-words.ts';
import type { SpeakerTurn } from '../speakers/speaker-turn.ts';
import type { SpeechSound } from '../speech-sound.ts';
import type { SpokenWord } from '../spoken-word.ts';
import { joinParts } from '../transcript/sentences/join-parts.ts';
import { sentenceSplitter } from '../transcript/sentences/split.ts';
import { type ListeningDeps, listeningDeps } from './listening-deps.ts';
import { withoutUnsaid } from './only-prompted.ts';
import type { RunStage } from '../../core/progress/stages.ts';

export interface TranscribeOptions {
  /** ISO 639 code; default: detected. */
  readonly language?: string | undefined;
  /** Keep fillers and repetitions. */
  readonly verbatim: boolean;
  /** Write down in English what is said in another language. Default false. */
  readonly translate?: boolean | undefined;
  /** See `RecogniseOptions`. */
  readonly vocabulary?: readonly string[] | undefined;
  /** Distinguish speakers. */
  readonly speakerLabels: boolean;
  /** How many people speak; default: found out. */
  readonly speakers?: SpeakerBounds | undefined;
  /** See `searchFolders`. */
  readonly modelsDir: string | undefined;
  /** See `RecogniseOptions`. */
  readonly finished?: FinishedParts | undefined;
  /** See `RecogniseOptions`. */
  readonly fanOut: FanOut;
  readonly signal: AbortSignal;
  readonly pass: StartPass;
  /** Passes that follow this; default: none. */
  readonly after?: readonly RunStage[];
  /** Finished sentences, in order, as the transcript will hold them. Default: none. */
  onSentences?(sentences: readonly TranscriptSentence[]): void;
}

export interface Transcription {
  readonly transcript: Transcript;
  /** ISO 639 code of what is said: the transcript's, unless it is a translation. */
  readonly spoken: string;
  /** The recogniser that was used. */
  readonly recogniser: { readonly id: string; readonly title: string };
  /** Numbers of speakers in the transcript by those of `findSpeakers`; empty without speech or labels. */
  readonly numbers: ReadonlyMap<number, number>;
}

/**
 * A recording up to this length is a single window for the recogniser and uses one core, so another core may find
 * speakers meanwhile. In longer ones both use all cores anyway.
 */
const besideSeconds = 30;
/** The accent is chosen from this many words; until then they wait. */
const wordsForVoice = 80;

/**
 * Transcribes speech. Speakers are found before any sentence is passed on, so that sentences are final: first, or in
 * parallel with the recogniser for a short recording.
 * @param deps the models that listen; default: the real ones
 * @throws EarshotError as `recognise` and `findSpeakers`; AbortError
 */
export async function transcribe(
  sound: SpeechSound,
  options: TranscribeOptions,
  deps: ListeningDeps = listeningDeps,
): Promise<Transcription> {
  const { signal, modelsDir, fanOut } = options;
  const isBeside = options.speakerLabels && sound.durationSeconds <= besideSeconds;
  const isBefore = options.speakerLabels && !isBeside;
  const progress = listeningPasses(sound, options, isBeside, isBefore);
  const finding = options.speakerLabels
    ? deps.findSpeakers(sound, {
        modelsDir,
        fanOut,
        signal,
        bounds: options.speakers,
        finished: options.finished,
        onProgress: progress.told,
        pass: isBefore ? progress.telling : undefined,
      })
    : null;
  try {
    if (isBefore) await finding;
    return await writeDown(sound, finding, options, deps, progress);
  } finally {
    // The sound must not be in use when the caller closes it.
    await finding?.catch(() => undefined);
  }
}

interface ListeningPasses {
  /** Starts a pass of finding speakers, where that comes first. */
  readonly telling: StartPass;
  /** Progress of finding speakers in parallel with the recogniser. */
  told(fraction: number): void;
  /** Progress of the recogniser. */
  read(fraction: number): void;
  /** Words have their exact times up to here. */
  placed(seconds: number): void;
}

/** Three passes; the first two may be one, and the last starts where the recogniser has ended. */
function listeningPasses(
  { durationSeconds }: SpeechSound,
  { pass, after = [] }: TranscribeOptions,
  isBeside: boolean,
  isBefore: boolean,
): ListeningPasses {
  const following: readonly RunStage[] = ['placing words', ...after];
  let transcribing = isBefore ? null : pass('transcribing', following);
  let placing: ((fraction: number) => void) | null = null;
  let [told, read, placedTo, placedBefore] = [isBeside ? 0 : 1, 0, 0, 0];
  const advance = (): void => {
    if (placing !== null) return;
    transcribing ??= pass('transcribing', following);
    transcribing(isBeside ? (told + read) / 2 : read);
    if (told < 1 || read < 1) return;
    placedBefore = placedTo;
    placing = pass('placing words', after);
  };
  return {
    telling: (stage, certain = [], maybe = []) => pass(stage, [...certain, 'transcribing', ...following], maybe),
    told(fraction) {
      told = Math.max(told, fraction);
      advance();
    },
    read(fraction) {
      read = Math.max(read, fraction);
      advance();
    },
    placed(seconds) {
      placedTo = Math.max(placedTo, seconds);
      placing?.((placedTo - placedBefore) / Math.max(0.001, durationSeconds - placedBefore));
    },
  };
}

async function writeDown(
  sound: SpeechSound,
  finding: Promise<readonly SpeakerTurn[]> | null,
  options: TranscribeOptions,
  deps: ListeningDeps,
  progress: ListeningPasses,
): Promise<Transcription> {
  const { signal, modelsDir, fanOut, verbatim } = options;
  // A failure is thrown where the turns are awaited.
  finding?.catch(() => undefined);
  const { translate = false } = options;
  const {
    language: spoken,
    recogniser,
    regions,
  } = await deps.recognise(sound, {
    translate,
    modelsDir,
    fanOut,
    signal,
    verbatim,
    onProgress: progress.read,
    language: options.language,
    vocabulary: options.vocabulary,
    finished: options.finished,
  });
  const language = translate ? 'en' : spoken;
  const number = createNumbering();
  const splitter = sentenceSplitter(language);
  const sentences: TranscriptSentence[] = [];
  const add = (finished: readonly TranscriptSentence[]): void => {
    if (finished.length === 0) return;
    sentences.push(...finished);
    options.onSentences?.(finished);
  };
  const inOrder = createOrder();
  for await (const words of translate && spoken !== 'en'
    ? roughWords(regions)
    : exactWords(sound, regions, language, signal, deps)) {
    const inLanguage = words[0]?.language ?? language;
    const whole = joinParts(inOrder(words), inLanguage);
    progress.placed(words.at(-1)?.endSeconds ?? 0);
    const marks = verbatim ? null : markWords(whole, inLanguage);
    const kept = marks === null ? whole : dropWords(whole, (index) => marks[index] !== null);
    const turns = await finding;
    add(splitter.push(turns === null ? kept : number.words(deps.labelWords(kept, turns))));
    throwIfAborted(signal);
  }
  add(splitter.finish());
  progress.placed(sound.durationSeconds);
  const found = await finding;
  const turns = found === null || sentences.length === 0 ? [] : number.turns(found);
  return {
    recogniser,
    spoken,
    numbers: number.numbers,
    transcript: {
      format: 'earshot-transcript',
      version: 1,
      language,
      durationSeconds: sound.durationSeconds,
      speakerCount: found === null ? null : new Set(turns.map(({ speaker }) => speaker)).size,
      ...(found === null ? {} : { turns }),
      sentences,
    },
  };
}

/** The words of each region with exact times; the accent is chosen once. */
async function* exactWords(
  sound: SpeechSound,
  regions: AsyncIterable<{ readonly words: readonly SpokenWord[] }>,
  language: string,
  signal: AbortSignal,
  { chooseVoice, refineWords }: ListeningDeps,
): AsyncGenerator<readonly SpokenWord[], void, void> {
  let voice: string | null | undefined;
  let waiting: (readonly SpokenWord[])[] = [];
  let count = 0;
  const refine = async (words: readonly SpokenWord[]): Promise<readonly SpokenWord[]> => {
    const own = words[0]?.language ?? language;
    const accent = own === language ? (voice ?? null) : await chooseVoice(sound, words, { language: own, signal });
    const how = { language: own, voice: accent, signal };
    const placed = await refineWords(sound, words, how);
    const heard = await withoutUnsaid(sound, placed, how);
    const exact = heard.length === words.length ? placed : await refineWords(sound, heard, how);
    return exact.map(unmarked);
  };
  for await (const { words } of regions) {
    if (words.length === 0) continue;
    if (voice !== undefined) {
      yield await refine(words);
      continue;
    }
    waiting.push(words);
    count += words.filter(isInOwn).length;
    if (count < wordsForVoice) continue;
    voice = await chooseVoice(sound, waiting.flat().filter(isInOwn), { language, signal });
    for (const before of waiting) yield await refine(before);
    waiting = [];
  }
  if (waiting.length === 0) return;
  voice = await chooseVoice(sound, waiting.flat().filter(isInOwn), { language, signal });
  for (const before of waiting) yield await refine(before);
}

/** Is the word in the recording's language? */
const isInOwn = ({ language }: SpokenWord): boolean => language === undefined;

/** As the transcript has it. */
function unmarked(word: SpokenWord): SpokenWord {
  const { prompted, ...unmarkedWord } = word;
  return prompted === undefined ? word : unmarkedWord;
}

/** The words of a translation have no sounds of their own to be placed by. */
async function* roughWords(
  regions: AsyncIterable<{ readonly words: readonly SpokenWord[] }>,
): AsyncGenerator<readonly SpokenWord[], void, void> {
  for await (const { words } of regions) if (words.length > 0) yield words;
}

/** Ensures that starts never fall and ends are not before them, since refining may reorder overlapping words. */
function createOrder(): (words: readonly SpokenWord[]) => SpokenWord[] {
  let last = 0;
  return (words) =>
    words.map((word) => {
      last = Math.max(last, word.startSeconds);
      return { ...word, startSeconds: last, endSeconds: Math.max(last, word.endSeconds) };
    });
}

interface Numbering {
  readonly numbers: ReadonlyMap<number, number>;
  words(words: readonly TranscriptWord[]): TranscriptWord[];
  /** After all words. */
  turns(turns: readonly SpeakerTurn[]): TranscriptTurn[];
}

/** Numbers speakers by their first words, then those of whom no word was understood by their first turns. */
function createNumbering(): Numbering {
  const numbers = new Map<number, number>();
  const numberOf = (speaker: number): number => {
    const known = numbers.get(speaker) ?? numbers.size + 1;
    numbers.set(speaker, known);
    return known;
  };
  return {
    numbers,
    words: (words) =>
      words.map((word) => (word.speaker === undefined ? word : { ...word, speaker: numberOf(word.speaker) })),
    turns: (turns) => turns.map((turn) => ({ ...turn, speaker: numberOf(turn.speaker) })),
  };
}
