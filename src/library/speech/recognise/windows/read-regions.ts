// What all families share: windows of a recording are found, read side by side, and given out in order.
import { AbortError, throwIfAborted } from '../../../core/abort.ts';
import { EarshotError } from '../../../core/errors/errors.ts';
import { noFinishedParts } from '../../../core/progress/finished-parts.ts';
import { findWindows, type FoundWindows } from './find-windows.ts';
import type { PlacedWord } from './place-words.ts';
import type { RecognisedRegion, RecognitionTask } from './recognition.ts';
import { resumedReader } from './resumed-reader.ts';
import type { WindowReader } from './window-reader.ts';
import { type ListeningWindow, windowSeconds } from './windows.ts';

/** Share of the work that is done when voices are found. */
const listeningShare = 0.1;

/** Settles as the promise does, or fails at once when the signal fires: a running network cannot be stopped. */
export async function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
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

/** Divides a window's words by the pieces of the recording in it. */
function regionsOf({ pieces }: ListeningWindow, words: readonly PlacedWord[]): RecognisedRegion[] {
  return pieces.map(({ startSeconds, endSeconds }) => ({
    startSeconds,
    endSeconds,
    words: words.filter((word) => word.startSeconds >= startSeconds && word.startSeconds < endSeconds),
  }));
}

/** The reader, which does not read again what an interrupted run has read with the same recogniser and options. */
export function resumed(
  { options }: RecognitionTask,
  { id, bytes }: { readonly id: string; readonly bytes: number },
  language: string,
  reader: WindowReader,
): WindowReader {
  const { finished, verbatim, translate, vocabulary, language: asked, among } = options;
  if (finished === undefined || finished === noFinishedParts) return reader;
  const lists = { vocabulary: [...(vocabulary ?? [])], among: [...(among ?? [])] };
  const identity = { id, bytes, language, asked, verbatim, translate, ...lists };
  return resumedReader(reader, identity, finished);
}

/** Reads windows, as many side by side as the reader has lanes. */
export async function* readRegions(
  { options: { signal, onProgress } }: RecognitionTask,
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

/** The windows of the recording; finding them is a share of the progress. */
export function windowsOf({ sound, options }: RecognitionTask): Promise<FoundWindows> {
  const { signal, onProgress } = options;
  const listening = { ...options, onProgress: (fraction: number) => onProgress(fraction * listeningShare) };
  return orAborted(findWindows(sound, listening), signal);
}

export const cannotTranslate = (title: string): EarshotError =>
  new EarshotError('bad_request', `Expected a recogniser that translates but ${title} writes only what is said`, {
    nextAction: 'Use a multilingual Whisper, such as whisper-base, or leave translate out.',
    details: { field: 'translate', expected: 'a multilingual Whisper', received: title },
  });
