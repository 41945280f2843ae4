// What the networks do, as pieces of work that may run on any thread. A window's result depends on nothing but the
// recording, so that it does not matter how windows are shared out.
import { AbortError } from '../../core/abort.ts';
import type { FanOutTask } from '../../core/fan-out.ts';
import { openSpeech, type SpeechSound } from '../speech-sound.ts';
import {
  embed,
  embeddingLength,
  type Features,
  featuresOf,
  hearVoices,
  leastRows,
  rowCentre,
  type SpeakerNetworks,
} from './networks.ts';
import { frameAt, localSpeakers, windowFrames, windowSamples } from './segmentation.ts';

/** A voice with fewer frames than this by itself is judged by all its frames, others' speech included. */
const leastFramesAlone = 10;

export interface WindowsItem {
  readonly networks: SpeakerNetworks;
  readonly path: string;
  /** First samples of the windows, ascending. */
  readonly starts: readonly number[];
}

export interface WindowsResult {
  /** Of each window: its frames' sets of voices, bit by bit. */
  readonly voices: Uint8Array<ArrayBuffer>;
  /** Of each window and voice: rows that its embedding is made of; 0 where there is none. */
  readonly rows: Int32Array<ArrayBuffer>;
  readonly embeddings: Float32Array<ArrayBuffer>;
}

async function withSound<Result>(path: string, work: (sound: SpeechSound) => Promise<Result>): Promise<Result> {
  const sound = openSpeech(path);
  try {
    return await work(sound);
  } finally {
    sound.close();
  }
}

/** The rows of a window in which a voice is to be heard: where it is alone, if that is enough. */
function rowsOf(voice: number, voices: Uint8Array, start: number, features: Features): number[] {
  const bit = 1 << voice;
  const alone = voices.reduce((count, set) => count + (set === bit ? 1 : 0), 0);
  const wanted = (set: number): boolean => (alone < leastFramesAlone ? (set & bit) !== 0 : set === bit);
  const rows: number[] = [];
  for (let row = 0; row < features.rows; row += 1) {
    const at = rowCentre(features.firstRow + row) - start;
    if (at < 0 || at >= windowSamples) continue;
    if (wanted(voices[Math.min(windowFrames - 1, Math.max(0, frameAt(at)))] as number)) rows.push(row);
  }
  return rows;
}

/** Who speaks in each window, and what each of its voices sounds like. */
export function listenToWindows({ item, cancelled, transfer }: FanOutTask<WindowsItem>): Promise<WindowsResult> {
  const { networks, path, starts } = item;
  return withSound(path, async (sound) => {
    const voices = new Uint8Array(starts.length * windowFrames);
    const rows = new Int32Array(starts.length * localSpeakers);
    const embeddings = new Float32Array(rows.length * embeddingLength);
    const first = starts[0] ?? 0;
    const features = featuresOf(sound, first, (starts.at(-1) ?? 0) + windowSamples);
    for (const [index, start] of starts.entries()) {
      if (cancelled()) throw new AbortError();
      const heard = await hearVoices(networks, sound, start);
      voices.set(heard, index * windowFrames);
      for (let voice = 0; voice < localSpeakers; voice += 1) {
        if (cancelled()) throw new AbortError();
        const chosen = rowsOf(voice, heard, start, features);
        if (chosen.length < leastRows) continue;
        const at = index * localSpeakers + voice;
        rows[at] = chosen.length;
        embeddings.set(await embed(networks, features, chosen), at * embeddingLength);
      }
    }
    transfer(voices.buffer, rows.buffer, embeddings.buffer);
    return { voices, rows, embeddings };
  });
}

export interface StretchesItem {
  readonly networks: SpeakerNetworks;
  readonly path: string;
  /** First sample and the one behind the last of each stretch. */
  readonly stretches: readonly (readonly [start: number, end: number])[];
}

/** What each stretch sounds like, one embedding after the other; zeros where it is too short to say. */
export function listenToStretches({
  item,
  cancelled,
  transfer,
}: FanOutTask<StretchesItem>): Promise<Float32Array<ArrayBuffer>> {
  const { networks, path, stretches } = item;
  return withSound(path, async (sound) => {
    const embeddings = new Float32Array(stretches.length * embeddingLength);
    for (const [index, [start, end]] of stretches.entries()) {
      if (cancelled()) throw new AbortError();
      const features = featuresOf(sound, start, end);
      if (features.rows < leastRows) continue;
      const all = Array.from({ length: features.rows }, (_, row) => row);
      embeddings.set(await embed(networks, features, all), index * embeddingLength);
    }
    transfer(embeddings.buffer);
    return embeddings;
  });
}
