import { EarshotError } from '../../../core/errors/errors.ts';
import { piecesUnderWay, sharedBytes, loadedBytes } from '../../../core/machine/lanes.ts';
import { moduleUrl } from '../../../core/running-files.ts';
import { sharesNetworks } from '../../../models/raw-sessions.ts';
import type { SpeechRegion } from '../../activity/find-speech.ts';
import type { RecogniserModel } from '../../../models/recognisers.ts';
import type { PlacedWord } from '../windows/place-words.ts';
import { cannotTranslate, orAborted, readRegions, resumed, windowsOf } from '../windows/read-regions.ts';
import type { RecogniseOptions, Recognition, RecognitionTask } from '../windows/recognition.ts';
import type { WindowReader } from '../windows/window-reader.ts';
import { type ListeningWindow, windowSeconds } from '../windows/windows.ts';
import type { EncodedSound } from './decoder.ts';
import { readLayout, type WhisperLayout } from './layout.ts';
import { sharedNetwork, type SharedWhisper } from './shared-network.ts';
import type { LanguageItem, LanguageResult, RecognitionItem } from './whisper-task.ts';

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
const taskUrl = moduleUrl('library/speech/recognise/whisper/whisper-task');

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

/** Indices of some of so many windows, spread over the recording. */
const spreadOver = (windows: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => Math.floor(((index + 0.5) * windows) / count));

interface FoundLanguage {
  readonly language: string;
  readonly isLanguageTold: boolean;
  /** The encoder's outputs of some windows. */
  readonly heard: ReadonlyMap<number, EncodedSound>;
}

/** Share of all weights from which on no other language is likely. */
const toldShare = 0.8;

/** Sums the language weights, by length, of windows spread over the recording, and keeps the encoder's outputs. */
export async function findLanguage(
  { sound, options: { fanOut, signal, among } }: RecognitionTask,
  layout: WhisperLayout,
  windows: readonly ListeningWindow[],
  lanes: number,
): Promise<FoundLanguage> {
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
  const all = [...sums.values()].reduce((sum, one) => sum + one, 0);
  const isLanguageTold = (sums.get(language) ?? 0) >= toldShare * all;
  return {
    language,
    isLanguageTold,
    heard: new Map(found.map(({ heard }, index) => [chosen[index] as number, heard])),
  };
}

/** Memory of one thread besides the cross keys and values: the encoder's layers, readings, and its own heap. */
const whisperThreadBytes = 80e6;

/** Cross keys and values of a group of windows, plus half; the threads share the weights where they can. */
function whisperLanes(
  layout: WhisperLayout,
  { decoder }: SharedWhisper,
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
  }: RecognitionTask,
  layout: WhisperLayout,
  shared: SharedWhisper,
  count: number,
  language: string,
  lanes: number,
  known: ReadonlyMap<number, EncodedSound>,
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

/** Releases what earlier stages keep on threads that would be needed here. */
async function makeRoom(
  { options: { fanOut } }: RecognitionTask,
  windows: readonly ListeningWindow[],
  lanes: number,
): Promise<void> {
  const memoryBounds = windows.length > 1 && lanes < fanOut.lanes(0);
  if (memoryBounds || windows.length >= longWindows) await fanOut.clearThreads();
}

/** Reads a recording with a Whisper. */
export async function recogniseWithWhisper(task: RecognitionTask, model: RecogniserModel): Promise<Recognition> {
  const layout = await readLayout(model);
  const { id, title, tokens } = layout;
  const { language: asked } = task.options;
  if (asked !== undefined && !(tokens.languages.size === 0 ? asked === 'en' : tokens.languages.has(asked)))
    throw new EarshotError('bad_request', `Expected a language of ${title} but received ${asked}`, {
      details: { field: 'language', expected: [...tokens.languages.keys()].toSorted(), received: asked },
    });
  if (task.options.translate && tokens.translate === null) throw cannotTranslate(title);
  const { windows, faint } = await windowsOf(task);
  const spoken = await passedOver(task, layout, faint);
  const read = await readAll(task, layout, await orAborted(windows(spoken), task.options.signal));
  return { ...read, recogniser: { id, title } };
}

/** Of the windows without a voice so many tell whether the others should be read. */
const faintWindowsToTry = 4;
/** A word's times there are exact to about this. */
const wordMarginSeconds = 1;

/** The network for voices takes some whispers for noise, and some voices with music under them for music. */
async function passedOver(
  { sound, options }: RecognitionTask,
  layout: WhisperLayout,
  faint: readonly ListeningWindow[],
): Promise<SpeechRegion[]> {
  const quietly = { sound, options: { ...options, onProgress: () => undefined } };
  const spoken: SpeechRegion[] = [];
  for (const some of [faint.slice(0, faintWindowsToTry), faint.slice(faintWindowsToTry)]) {
    if (some.length === 0) break;
    const { regions } = await readAll(quietly, layout, some);
    for await (const { startSeconds, endSeconds, words } of regions)
      if (words.length > 0)
        spoken.push({
          startSeconds: Math.max(startSeconds, (words[0]?.startSeconds ?? 0) - wordMarginSeconds),
          endSeconds: Math.min(endSeconds, (words.at(-1)?.endSeconds ?? 0) + wordMarginSeconds),
        });
    if (spoken.length === 0) break;
  }
  return spoken;
}

/** Reads windows with the asked or the detected language. */
async function readAll(
  task: RecognitionTask,
  layout: WhisperLayout,
  windows: readonly ListeningWindow[],
): Promise<Omit<Recognition, 'recogniser'>> {
  const { language: asked, signal } = task.options;
  // Before the weights are read: together with what earlier stages keep they would go over the bound of a job.
  if (windows.length >= longWindows) await task.options.fanOut.clearThreads();
  const shared = await sharedNetwork(layout);
  const lanes = whisperLanes(layout, shared, task.options, await sharesNetworks());
  await makeRoom(task, windows, lanes);
  const { language, isLanguageTold, heard }: FoundLanguage =
    asked !== undefined || layout.tokens.languages.size === 0 || windows.length === 0
      ? { language: asked ?? 'en', isLanguageTold: true, heard: new Map() }
      : await orAborted(findLanguage(task, layout, windows, lanes), signal);
  const reader = whisperReader(task, layout, shared, windows.length, language, lanes, heard);
  return { language, isLanguageTold, regions: readRegions(task, windows, resumed(task, layout, language, reader)) };
}
