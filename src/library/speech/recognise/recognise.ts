import { AbortError, throwIfAborted } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors.ts';
import type { FanOut } from '../../core/fan-out.ts';
import { type FinishedParts, noFinishedParts } from '../../core/finished-parts.ts';
import { sharesNetworks } from '../../models/raw-sessions.ts';
import type { RecogniserFamily } from '../../models/recogniser-files.ts';
import { defaultRecogniser, findRecogniser, type RecogniserModel } from '../../models/recognisers.ts';
import type { SpeechSound } from '../speech-sound.ts';
import type { SpokenWord } from '../spoken-word.ts';
import type { PlacedWord } from './place-words.ts';
import { loadedBytes, piecesUnderWay, sharedBytes } from '../../core/lanes.ts';
import { type ParakeetLayout, readLayout as readParakeetLayout } from './parakeet/layout.ts';
import { parakeetLanes, parakeetReader } from './parakeet-reader.ts';
import { resumedReader } from './resumed-reader.ts';
import type { WindowReader } from './window-reader.ts';
import type { LanguageItem, LanguageResult, RecognitionItem } from './recognise-task.ts';
import { readLayout, type WhisperLayout } from './whisper/layout.ts';
import type { Heard } from './whisper/decoder.ts';
import { sharedNetwork, type SharedNetwork } from './whisper/shared-network.ts';
import { findWindows, type FoundWindows } from './find-windows.ts';
import { type ListeningWindow, windowSeconds } from './windows.ts';
import { moduleUrl } from '../../core/running-files.ts';

/** The words of one stretch of the recording. */
export interface RecognisedRegion {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** In order of time, all within the region. */
  readonly words: readonly SpokenWord[];
}

export interface Recognition {
  /** ISO 639-1, as Whisper names languages: "en". */
  readonly language: string;
  /** The recogniser that was used. */
  readonly recogniser: { readonly id: string; readonly title: string };
  /** In order of time, each as soon as it is known. Iterate once. */
  readonly regions: AsyncIterable<RecognisedRegion>;
}

export interface RecogniseOptions {
  /** As Whisper names it, "en"; default: detected. */
  readonly language?: string | undefined;
  /** Languages of which one is detected, as far as the recogniser has them; default: all. */
  readonly among?: readonly string[] | undefined;
  /** Also transcribe fillers and false starts. */
  readonly verbatim: boolean;
  /** Write down in English what is said in another language. Default false. */
  readonly translate?: boolean | undefined;
  /** Names and terms that may be said, as they are written. Default: none. */
  readonly vocabulary?: readonly string[] | undefined;
  /** The recogniser to use, see `findRecogniser`; default: EARSHOT_RECOGNISER, else whisper-base. */
  readonly recogniser?: string | undefined;
  /** Folder of the models; undefined: the usual places. */
  readonly modelsDir: string | undefined;
  /** Windows that an interrupted run has read. Default: none, and none are remembered. */
  readonly finished?: FinishedParts | undefined;
  /** Larger recognisers use fewer threads, see `FanOut.lanes`. */
  readonly fanOut: FanOut;
  readonly signal: AbortSignal;
  /** 0 to 1, in seconds of the recording's speech. */
  onProgress(fraction: number): void;
}

/** Windows decoded together. Constant, so that the result does not depend on the number of cores. */
const windowsPerGroup = 8;
/** More windows cost little while the weights are read, but the first sentences should not wait for many. */
const firstGroups = 3;
const windowsPerFirstGroup = 4;
/** On ONNX Runtime, where cross keys and values are floats. */
const windowsPerRuntimeGroup = 4;
/** At least this many groups if there are enough windows, so that a few windows use several threads. */
const fewestGroups = 4;
/** From this many windows on, reloading other stages' networks in a next run costs less than keeping them: 8 min. */
const longWindows = 16;
/** Number of windows, spread over the recording, for language detection. */
const windowsForLanguage = 4;
/** Share of the work that is done when voices are found. */
const listeningShare = 0.1;

const taskUrl = moduleUrl('library/speech/recognise/recognise-task');

/** Settles as the promise does, or fails at once when the signal fires: a running network cannot be stopped. */
async function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  throwIfAborted(signal);
  let abort = (): void => undefined;
  const stopped = new Promise<never>((_, reject) => {
    abort = () => reject(new AbortError());
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', abort);
    work.catch(() => undefined);
  }
}

interface Group {
  readonly from: number;
  readonly to: number;
}

function groupsOf(count: number, most: number): Group[] {
  const usual = Math.min(most, Math.max(1, Math.ceil(count / fewestGroups)));
  const groups: Group[] = [];
  for (let from = 0; from < count;) {
    const size = groups.length < firstGroups ? Math.min(usual, windowsPerFirstGroup) : usual;
    groups.push({ from, to: Math.min(count, from + size) });
    from += size;
  }
  return groups;
}

interface Task {
  readonly sound: SpeechSound;
  readonly options: RecogniseOptions;
}

/** Indices of some of so many windows, spread over the recording. */
const spreadOver = (windows: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => Math.floor(((index + 0.5) * windows) / count));

/** Sums the language weights, by length, of windows spread over the recording, and keeps the encoder's outputs. */
async function findLanguage(
  { sound, options: { fanOut, signal, among } }: Task,
  layout: WhisperLayout,
  windows: readonly ListeningWindow[],
  lanes: number,
): Promise<{ readonly language: string; readonly heard: ReadonlyMap<number, Heard> }> {
  const count = Math.min(windowsForLanguage, windows.length);
  const chosen = spreadOver(windows.length, count);
  const shared = await sharedNetwork(layout);
  const items = chosen.map((index): LanguageItem => ({
    layout,
    shared,
    path: sound.path,
    window: windows[index] as ListeningWindow,
  }));
  const found: LanguageResult[] = [];
  while (found.length < count)
    found.push(
      ...(await fanOut.map<LanguageItem, LanguageResult>(
        taskUrl,
        'detectLanguage',
        items.slice(found.length, found.length + lanes),
        { signal },
      )),
    );
  const sums = new Map<string, number>();
  for (const [index, { weights }] of found.entries()) {
    const seconds = windowSeconds(windows[chosen[index] as number] as ListeningWindow);
    for (const [code, weight] of Object.entries(weights)) sums.set(code, (sums.get(code) ?? 0) + seconds * weight);
  }
  const likeliest = [...sums].toSorted((a, b) => b[1] - a[1]).map(([code]) => code);
  const language = likeliest.find((code) => among?.includes(code)) ?? likeliest[0] ?? 'en';
  return { language, heard: new Map(found.map(({ heard }, index) => [chosen[index] as number, heard])) };
}

/** Divides a window's words by the pieces of the recording in it. */
function regionsOf({ pieces }: ListeningWindow, words: readonly PlacedWord[]): RecognisedRegion[] {
  return pieces.map(({ startSeconds, endSeconds }) => ({
    startSeconds,
    endSeconds,
    words: words.filter((word) => word.startSeconds >= startSeconds && word.startSeconds < endSeconds),
  }));
}

/** Memory of one thread besides the cross keys and values: the encoder's layers, readings, and its own heap. */
const whisperThreadBytes = 80e6;

/** Cross keys and values of a group of windows, plus half; the threads share the weights where they can. */
function whisperLanes(
  layout: WhisperLayout,
  { decoder }: SharedNetwork,
  { fanOut }: RecogniseOptions,
  shared: boolean,
): number {
  const { bytes, layers, heads, headWidth, frames } = layout;
  const numbers = layers * 2 * (frames / 2) * heads * headWidth;
  const crossBytes = decoder ? 1.1 * windowsPerGroup * numbers : windowsPerRuntimeGroup * numbers * 4;
  const threadBytes = 1.5 * crossBytes + whisperThreadBytes;
  return shared ? fanOut.lanes(threadBytes, sharedBytes(bytes)) : fanOut.lanes(threadBytes + loadedBytes(bytes));
}

const whisperReader = (
  {
    sound,
    options: { fanOut, signal, verbatim, translate = false, vocabulary: terms = [], language: asked, among },
  }: Task,
  layout: WhisperLayout,
  shared: SharedNetwork,
  count: number,
  language: string,
  lanes: number,
  known: ReadonlyMap<number, Heard>,
): WindowReader => ({
  groups: groupsOf(count, shared.decoder ? windowsPerGroup : windowsPerRuntimeGroup),
  lanes: piecesUnderWay(fanOut, lanes),
  async read(windows, from) {
    const heard = windows.map((_, index) => known.get(from + index) ?? null);
    const item: RecognitionItem = {
      layout,
      shared,
      path: sound.path,
      language,
      // A translation is in one language.
      mixed: asked === undefined && among === undefined && !translate,
      verbatim,
      translate,
      terms,
      windows,
      long: count >= longWindows,
      heard,
    };
    const [words] = await fanOut.map<RecognitionItem, PlacedWord[][]>(taskUrl, 'recogniseWindows', [item], {
      signal,
      transfer: () => heard.flatMap((one) => (one ? [one.buffer] : [])),
    });
    return words as PlacedWord[][];
  },
});

/** The reader, which does not read again what an interrupted run has read with the same recogniser and options. */
function resumed(
  { options }: Task,
  { id, bytes }: Pick<WhisperLayout | ParakeetLayout, 'id' | 'bytes'>,
  language: string,
  reader: WindowReader,
): WindowReader {
  const { finished, verbatim, translate, vocabulary, language: asked, among } = options;
  if (finished === undefined || finished === noFinishedParts) return reader;
  const lists = { vocabulary: [...(vocabulary ?? [])], among: [...(among ?? [])] };
  const identity = { id, bytes, language, asked, verbatim, translate, ...lists };
  return resumedReader(reader, identity, finished);
}

async function* recogniseAll(
  { options: { signal, onProgress } }: Task,
  windows: readonly ListeningWindow[],
  { groups, lanes, read }: WindowReader,
): AsyncGenerator<RecognisedRegion, void, void> {
  const seconds = windows.map(windowSeconds);
  const total = seconds.reduce((sum, one) => sum + one, 0);
  let done = 0;
  const start = async ({ from, to }: WindowReader['groups'][number]): ReturnType<typeof read> => {
    const words = await read(windows.slice(from, to), from);
    done += seconds.slice(from, to).reduce((sum, one) => sum + one, 0);
    onProgress(listeningShare + (1 - listeningShare) * (done / total));
    return words;
  };
  const underWay: ReturnType<typeof read>[] = [];
  for (const [index, { from }] of groups.entries()) {
    while (underWay.length < lanes && index + underWay.length < groups.length) {
      const next = start(groups[index + underWay.length] as WindowReader['groups'][number]);
      next.catch(() => undefined);
      underWay.push(next);
    }
    const words = await orAborted(underWay.shift() as ReturnType<typeof read>, signal);
    for (const [at, found] of words.entries()) yield* regionsOf(windows[from + at] as ListeningWindow, found);
  }
}

function windowsOf({ sound, options }: Task): Promise<FoundWindows> {
  const { signal, onProgress } = options;
  const listening = { ...options, onProgress: (fraction: number) => onProgress(fraction * listeningShare) };
  return orAborted(findWindows(sound, listening), signal);
}

/** The network for voices takes some whispers for noise. A few windows tell whether there is one. */
const faintWindowsToTry = 4;

/** Releases what earlier stages keep on threads that would be needed here. */
async function makeRoom(
  { options: { fanOut } }: Task,
  windows: readonly ListeningWindow[],
  lanes: number,
): Promise<void> {
  const memoryBounds = windows.length > 1 && lanes < fanOut.lanes(0);
  if (memoryBounds || windows.length >= longWindows) await fanOut.clearThreads();
}

const cannotFavour = (title: string): EarshotError =>
  new EarshotError('bad_request', `Expected a Whisper for a vocabulary but ${title} cannot be given one`, {
    nextAction: 'Use a Whisper, such as whisper-base, or leave vocabulary out.',
    details: { field: 'vocabulary', expected: 'a Whisper', received: title },
  });

const cannotTranslate = (title: string): EarshotError =>
  new EarshotError('bad_request', `Expected a recogniser that translates but ${title} writes only what is said`, {
    nextAction: 'Use a multilingual Whisper, such as whisper-base, or leave translate out.',
    details: { field: 'translate', expected: 'a multilingual Whisper', received: title },
  });

async function recogniseWithWhisper(task: Task, layout: WhisperLayout): Promise<Recognition> {
  const { id, title, tokens } = layout;
  const { language: asked } = task.options;
  if (asked !== undefined && !(tokens.languages.size === 0 ? asked === 'en' : tokens.languages.has(asked)))
    throw new EarshotError('bad_request', `Expected a language of ${title} but received ${asked}`, {
      details: { field: 'language', expected: [...tokens.languages.keys()].toSorted(), received: asked },
    });
  if (task.options.translate && tokens.translate === null) throw cannotTranslate(title);
  const { windows, faint } = await windowsOf(task);
  const isFaint = faint.length > 0 && (await hasWords(task, layout, faint));
  const { language, regions } = await readAll(
    task,
    layout,
    isFaint ? faint : await orAborted(windows(), task.options.signal),
  );
  return { language, recogniser: { id, title }, regions };
}

/** Are there words in some of the windows? */
async function hasWords(task: Task, layout: WhisperLayout, windows: readonly ListeningWindow[]): Promise<boolean> {
  const count = Math.min(faintWindowsToTry, windows.length);
  const some = spreadOver(windows.length, count).map((index) => windows[index] as ListeningWindow);
  const { regions } = await readAll(task, layout, some);
  for await (const { words } of regions) if (words.length > 0) return true;
  return false;
}

/** Reads windows with the asked or the detected language. */
async function readAll(
  task: Task,
  layout: WhisperLayout,
  windows: readonly ListeningWindow[],
): Promise<Pick<Recognition, 'language' | 'regions'>> {
  const { language: asked, signal } = task.options;
  // Before the weights are read: together with what earlier stages keep they would go over the bound of a job.
  if (windows.length >= longWindows) await task.options.fanOut.clearThreads();
  const shared = await sharedNetwork(layout);
  const lanes = whisperLanes(layout, shared, task.options, await sharesNetworks());
  await makeRoom(task, windows, lanes);
  const { language, heard } =
    asked !== undefined || layout.tokens.languages.size === 0 || windows.length === 0
      ? { language: asked ?? 'en', heard: new Map<number, Heard>() }
      : await orAborted(findLanguage(task, layout, windows, lanes), signal);
  const reader = whisperReader(task, layout, shared, windows.length, language, lanes, heard);
  return { language, regions: recogniseAll(task, windows, resumed(task, layout, language, reader)) };
}

/** Parakeet transcribes all its languages without naming the language: Whisper base detects it. */
async function recogniseWithParakeet(task: Task, layout: ParakeetLayout): Promise<Recognition> {
  const { sound, options } = task;
  const { id, title } = layout;
  if (options.translate) throw cannotTranslate(title);
  if (options.vocabulary !== undefined && options.vocabulary.length > 0) throw cannotFavour(title);
  const listener =
    options.language === undefined
      ? await readLayout(await findRecogniser(options.modelsDir, defaultRecogniser))
      : null;
  const windows = await orAborted((await windowsOf(task)).windows(), options.signal);
  const lanes = parakeetLanes(layout, options.fanOut, await sharesNetworks());
  const reader = parakeetReader(sound, layout, { count: windows.length, lanes }, options);
  const { language } =
    listener === null || windows.length === 0
      ? { language: options.language ?? 'en' }
      : await orAborted(findLanguage(task, listener, windows, reader.lanes), options.signal);
  return {
    language,
    recogniser: { id, title },
    regions: recogniseAll(task, windows, resumed(task, layout, language, reader)),
  };
}

/**
 * Recognises speech, with times from the network (Whisper's attention is about 50 ms early; `refineWords` corrects
 * that). Silero VAD finds speech, the chosen recogniser (EARSHOT_RECOGNISER) reads it in windows of at most 30 s that
 * end at pauses. Implausible readings of Whisper are repeated, and so is speech without words. There are no words
 * without speech. Where next to no voice is found, Whisper tells whether somebody whispers, and voices are looked for
 * again without the recording's noise. The result does not depend on the number of cores.
 * @throws EarshotError tool_unavailable without the models; bad_request for a language that the model does not have;
 *   AbortError, within 0.2 s
 */
export async function recognise(sound: SpeechSound, options: RecogniseOptions): Promise<Recognition> {
  const model = await findRecogniser(options.modelsDir, options.recogniser);
  const task: Task = { sound, options };
  return families[model.family](task, model);
}

const families: Readonly<Record<RecogniserFamily, (task: Task, model: RecogniserModel) => Promise<Recognition>>> = {
  parakeet: async (task, model) => recogniseWithParakeet(task, await readParakeetLayout(model)),
  whisper: async (task, model) => recogniseWithWhisper(task, await readLayout(model)),
};
