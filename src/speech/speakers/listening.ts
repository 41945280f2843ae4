// The two passes of the networks over a recording, shared out over the cores.
import type { FanOut } from '../../core/fan-out.ts';
import { runPieces } from '../pieces.ts';
import type { SpeechSound } from '../speech-sound.ts';
import type { StretchesItem, WindowsItem, WindowsResult } from './listen-tasks.ts';
import { embeddingLength, type SpeakerNetworks } from './networks.ts';
import { localSpeakers, windowFrames, windowStarts } from './segmentation.ts';
import { moduleUrl } from '../../core/running-files.ts';

export interface ListeningOptions {
  readonly parallelism: number;
  readonly fanOut: FanOut;
  readonly signal: AbortSignal;
  /** 0 to 1. */
  onProgress(fraction: number): void;
}

const tasksUrl = moduleUrl('speech/speakers/listen-tasks');

/** Windows and stretches of one piece of work: about 0.6 s of it. */
const windowsTogether = 8;
const stretchesTogether = 24;

function* inGroups<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

/** What the networks hear in all windows: 52 MB at ten hours. */
export async function listen(
  sound: SpeechSound,
  networks: SpeakerNetworks,
  { fanOut, onProgress, ...options }: ListeningOptions,
): Promise<WindowsResult & { readonly starts: readonly number[] }> {
  const starts = windowStarts(sound.frames);
  const heard = {
    starts,
    voices: new Uint8Array(starts.length * windowFrames),
    rows: new Int32Array(starts.length * localSpeakers),
    embeddings: new Float32Array(starts.length * localSpeakers * embeddingLength),
  };
  let done = 0;
  const items = function* (): Generator<WindowsItem> {
    for (const group of inGroups(starts, windowsTogether)) yield { networks, path: sound.path, starts: group };
  };
  await runPieces<WindowsItem, WindowsResult>(
    fanOut,
    [tasksUrl, 'listenToWindows'],
    items(),
    ({ voices, rows, embeddings }) => {
      heard.voices.set(voices, done * windowFrames);
      heard.rows.set(rows, done * localSpeakers);
      heard.embeddings.set(embeddings, done * localSpeakers * embeddingLength);
      done += voices.length / windowFrames;
      onProgress(done / starts.length);
    },
    options,
  );
  return heard;
}

/**
 * An embedding of every stretch, handed on in order: `index` is the stretch's number and, in `embeddings`, `at` the
 * embedding's, which is zeros where the stretch is too short.
 * @param stretches first sample and the one behind the last of each
 */
export async function listenTo(
  sound: SpeechSound,
  networks: SpeakerNetworks,
  stretches: readonly (readonly [start: number, end: number])[],
  take: (index: number, embeddings: Float32Array, at: number) => void,
  { fanOut, onProgress, ...options }: ListeningOptions,
): Promise<void> {
  let done = 0;
  const items = function* (): Generator<StretchesItem> {
    for (const group of inGroups(stretches, stretchesTogether)) yield { networks, path: sound.path, stretches: group };
  };
  await runPieces<StretchesItem, Float32Array>(
    fanOut,
    [tasksUrl, 'listenToStretches'],
    items(),
    (embeddings) => {
      for (let at = 0; at < embeddings.length / embeddingLength; at += 1) take(done++, embeddings, at);
      onProgress(done / stretches.length);
    },
    options,
  );
}
