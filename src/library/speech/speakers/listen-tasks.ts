// Runs the networks, as tasks for any thread. A window's result depends only on the recording, not on the division of
// work.
import { AbortError } from '../../core/abort.ts';
import type { FanOutTask } from '../../core/machine/fan-out.ts';
import { openSpeech, type SpeechSound } from '../speech-sound.ts';
import { embed, embeddingLength, featuresOf, hearVoices, leastRows, rowsIn, type SpeakerNetworks } from './networks.ts';
import { windowFrames } from './segmentation.ts';
import type { Stretches } from './window-people.ts';

export interface WindowsItem {
  readonly networks: SpeakerNetworks;
  readonly path: string;
  /** First samples of the windows, ascending. */
  readonly starts: readonly number[];
}

async function withSound<Result>(path: string, work: (sound: SpeechSound) => Promise<Result>): Promise<Result> {
  const sound = openSpeech(path);
  try {
    return await work(sound);
  } finally {
    sound.close();
  }
}

/** Who speaks in each window: its frames' sets of voices as bits. */
export function listenToWindows({
  item,
  cancelled,
  transfer,
}: FanOutTask<WindowsItem>): Promise<Uint8Array<ArrayBuffer>> {
  const { networks, path, starts } = item;
  return withSound(path, async (sound) => {
    const voices = new Uint8Array(starts.length * windowFrames);
    for (const [index, start] of starts.entries()) {
      if (cancelled()) throw new AbortError();
      voices.set(await hearVoices(networks, sound, start), index * windowFrames);
    }
    transfer(voices.buffer);
    return voices;
  });
}

export interface PassagesItem {
  readonly networks: SpeakerNetworks;
  readonly path: string;
  /** For each voice, the stretches in which it is audible, in order. */
  readonly passages: readonly Stretches[];
}

/** The embedding of each passage, concatenated; zeros where it is too short. */
export function listenToPassages({
  item,
  cancelled,
  transfer,
}: FanOutTask<PassagesItem>): Promise<Float32Array<ArrayBuffer>> {
  const { networks, path, passages } = item;
  return withSound(path, async (sound) => {
    const embeddings = new Float32Array(passages.length * embeddingLength);
    for (const [index, stretches] of passages.entries()) {
      if (cancelled()) throw new AbortError();
      const features = featuresOf(sound, stretches[0]?.[0] ?? 0, stretches.at(-1)?.[1] ?? 0);
      const rows = stretches.flatMap((stretch) => rowsIn(features, stretch));
      if (rows.length >= leastRows) embeddings.set(await embed(networks, features, rows), index * embeddingLength);
    }
    transfer(embeddings.buffer);
    return embeddings;
  });
}
