// Parakeet on a fan-out thread. Threads share the networks where they can.
import type { FanOutTask } from '../../../core/machine/fan-out.ts';
import { type Starts, waitForStart } from '../../../core/machine/spaced-starts.ts';
import { freeUnusedMemory } from '../../../kernels/free-memory.ts';
import { openSpeech } from '../../speech-sound.ts';
import { placeInRecording, type PlacedWord } from '../windows/place-words.ts';
import { soundOf } from '../windows/window-sound.ts';
import { type ListeningWindow, windowSeconds } from '../windows/windows.ts';
import type { ParakeetLayout } from './layout.ts';
import { loadParakeet, type Parakeet } from './parakeet.ts';

export interface ParakeetItem {
  readonly layout: ParakeetLayout;
  readonly path: string;
  readonly window: ListeningWindow;
  /** Shared by all threads of the run. */
  readonly starts: Starts;
}

/**
 * The encoder begins with convolutions over the whole window, which take three times the memory of its layers for 2 to
 * 5 % of the time: threads start one after the other, a bit more than that apart. Eight threads take as long for eight
 * windows as one thread for one, so this waits mostly at the beginning.
 */
const startShare = 0.06;
/** Assumed time per second of sound until the first window was read: that of a slow core. */
const usualPace = 0.15;
let pace = usualPace;

const loaded = new Map<string, Promise<Parakeet>>();

function load(layout: ParakeetLayout): Promise<Parakeet> {
  const known = loaded.get(layout.encoderPath);
  if (known) return known;
  const made = loadParakeet(layout);
  loaded.set(layout.encoderPath, made);
  return made;
}

/** The words of a window. */
export async function readWithParakeet({
  item: { layout, path, window, starts },
  cancelled,
}: FanOutTask<ParakeetItem>): Promise<PlacedWord[]> {
  const parakeet = await load(layout);
  const sound = openSpeech(path);
  try {
    const seconds = windowSeconds(window);
    await waitForStart(starts, startShare * pace * seconds);
    const begun = performance.now();
    const words = await parakeet.read(soundOf(sound, window), cancelled);
    pace = (performance.now() - begun) / 1000 / seconds;
    return placeInRecording(words, window);
  } finally {
    sound.close();
    freeUnusedMemory();
  }
}
