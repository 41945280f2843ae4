// Parakeet on a fan-out thread: the networks are loaded once per thread.
import type { FanOutTask } from '../../core/fan-out.ts';
import { openSpeech } from '../speech-sound.ts';
import { placeInRecording, type PlacedWord } from './place-words.ts';
import { soundOf } from './window-sound.ts';
import type { ListeningWindow } from './windows.ts';
import type { ParakeetLayout } from './parakeet/layout.ts';
import { loadParakeet, type Parakeet } from './parakeet/parakeet.ts';

export interface ParakeetItem {
  readonly layout: ParakeetLayout;
  readonly path: string;
  readonly window: ListeningWindow;
}

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
  item: { layout, path, window },
  cancelled,
}: FanOutTask<ParakeetItem>): Promise<PlacedWord[]> {
  const parakeet = await load(layout);
  const sound = openSpeech(path);
  try {
    return placeInRecording(await parakeet.read(soundOf(sound, window), cancelled), window);
  } finally {
    sound.close();
  }
}
