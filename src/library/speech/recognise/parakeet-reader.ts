import type { FanOut } from '../../core/fan-out.ts';
import type { SpeechSound } from '../speech-sound.ts';
import { loadedBytes } from '../../core/lanes.ts';
import type { PlacedWord } from './place-words.ts';
import type { WindowReader } from './window-reader.ts';
import type { ParakeetLayout } from './parakeet/layout.ts';
import type { ParakeetItem } from './parakeet-task.ts';
import { moduleUrl } from '../../core/running-files.ts';

const taskUrl = moduleUrl('library/speech/recognise/parakeet-task');

interface Cores {
  readonly fanOut: FanOut;
  readonly signal: AbortSignal;
}

/** For a window of 30 s: 20 MB in a network of random weights. */
const windowBytes = 100e6;

export const parakeetLanes = ({ bytes }: Pick<ParakeetLayout, 'bytes'>, { lanes }: Pick<FanOut, 'lanes'>): number =>
  lanes(loadedBytes(bytes) + windowBytes);

/** Reads windows one by one, on as many threads as memory allows; the number does not change the words. */
export const parakeetReader = (
  sound: SpeechSound,
  layout: ParakeetLayout,
  count: number,
  { fanOut, signal }: Cores,
): WindowReader => ({
  groups: Array.from({ length: count }, (_, index) => ({ from: index, to: index + 1 })),
  lanes: parakeetLanes(layout, fanOut),
  read: (windows) =>
    fanOut.map<ParakeetItem, PlacedWord[]>(
      taskUrl,
      'readWithParakeet',
      windows.map((window) => ({ layout, path: sound.path, window })),
      { signal },
    ),
});
