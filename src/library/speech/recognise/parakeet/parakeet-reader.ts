import type { FanOut } from '../../../core/machine/fan-out.ts';
import type { SpeechSound } from '../../speech-sound.ts';
import { loadedBytes, sharedBytes } from '../../../core/machine/lanes.ts';
import { createStarts } from '../../../core/machine/spaced-starts.ts';
import type { PlacedWord } from '../windows/place-words.ts';
import type { WindowReader } from '../windows/window-reader.ts';
import type { ParakeetLayout } from './layout.ts';
import type { ParakeetItem } from './parakeet-task.ts';
import { moduleUrl } from '../../../core/running-files.ts';

const taskUrl = moduleUrl('library/speech/recognise/parakeet/parakeet-task');

interface Cores {
  readonly fanOut: FanOut;
  readonly signal: AbortSignal;
}

/**
 * For a window of 30 s, in a network of true size with random weights: the layers pass on 40 MB. The convolutions
 * before them take 140 MB for the first twentieth of the time: see `parakeet-task.ts`.
 */
const windowBytes = 70e6;
const startBytes = 100e6;

/** @param shared see `sharesNetworks` */
export const parakeetLanes = (
  { bytes }: Pick<ParakeetLayout, 'bytes'>,
  { lanes }: Pick<FanOut, 'lanes'>,
  shared: boolean,
): number =>
  shared ? lanes(windowBytes, sharedBytes(bytes) + startBytes) : lanes(loadedBytes(bytes) + windowBytes + startBytes);

/** Reads windows one by one, on as many threads as memory allows; the number does not change the words. */
export function parakeetReader(
  sound: SpeechSound,
  layout: ParakeetLayout,
  { count, lanes }: Pick<WindowReader, 'lanes'> & { readonly count: number },
  { fanOut, signal }: Cores,
): WindowReader {
  const starts = createStarts();
  return {
    groups: Array.from({ length: count }, (_, index) => ({ from: index, to: index + 1 })),
    lanes,
    read: (windows) =>
      fanOut.map<ParakeetItem, PlacedWord[]>(
        taskUrl,
        'readWithParakeet',
        windows.map((window) => ({ layout, path: sound.path, window, starts })),
        { signal },
      ),
  };
}
