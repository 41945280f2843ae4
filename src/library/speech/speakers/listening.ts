// The networks' passes over a recording, divided among the cores.
import type { FanOut } from '../../core/machine/fan-out.ts';
import { runPieces } from '../pieces.ts';
import type { SpeechSound } from '../speech-sound.ts';
import type { PassagesItem, WindowsItem } from './listen-tasks.ts';
import type { HeardParts } from './resumed-speakers.ts';
import { embeddingLength, type SpeakerNetworks } from './networks.ts';
import { type HeardWindows, windowFrames, windowStarts } from './segmentation.ts';
import type { Stretches } from './window-people.ts';
import { moduleUrl } from '../../core/running-files.ts';

export interface ListeningOptions {
  readonly fanOut: FanOut;
  readonly signal: AbortSignal;
  /** 0 to 1. */
  onProgress(fraction: number): void;
}

const tasksUrl = moduleUrl('library/speech/speakers/listen-tasks');

/** Voice activity, segmentation and embeddings: printed by `npm run test:machines`. */
const threadBytes = 135e6;

/** Windows and passages per task: about half a second of work. */
const windowsTogether = 16;
const passagesTogether = 24;

function* inGroups<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

/** Who speaks in all windows: 11 MB at ten hours. @param heard what an interrupted run has heard */
export async function listen(
  sound: SpeechSound,
  networks: SpeakerNetworks,
  heard: HeardParts,
  { fanOut, onProgress, signal }: ListeningOptions,
): Promise<HeardWindows> {
  const starts = windowStarts(sound.frames);
  const voices = new Uint8Array(starts.length * windowFrames);
  let done = 0;
  /** Groups under way: results come in their order. */
  const asked: { readonly group: readonly number[]; readonly at: number }[] = [];
  const take = (group: readonly number[], at: number, some: Uint8Array): void => {
    voices.set(some, at * windowFrames);
    done += group.length;
    onProgress(done / starts.length);
  };
  const items = function* (): Generator<WindowsItem> {
    let at = 0;
    for (const group of inGroups(starts, windowsTogether)) {
      const known = heard.windows(group, group.length * windowFrames);
      if (known === null) {
        asked.push({ group, at });
        yield { networks, path: sound.path, starts: group };
      } else take(group, at, known);
      at += group.length;
    }
  };
  await runPieces<WindowsItem, Uint8Array>(
    fanOut,
    [tasksUrl, 'listenToWindows'],
    items(),
    (some) => {
      const { group, at } = asked.shift() as (typeof asked)[number];
      heard.addWindows(group, some);
      take(group, at, some);
    },
    { lanes: fanOut.lanes(threadBytes), signal },
  );
  return { starts, voices };
}

/**
 * Embeddings of passages.
 * @param passages the stretches of one voice, for each
 * @returns their embeddings, concatenated; zeros where a passage is too short
 */
export async function listenTo(
  sound: SpeechSound,
  networks: SpeakerNetworks,
  passages: readonly Stretches[],
  { fanOut, onProgress, signal }: ListeningOptions,
): Promise<Float32Array> {
  const embeddings = new Float32Array(passages.length * embeddingLength);
  let done = 0;
  const items = function* (): Generator<PassagesItem> {
    for (const group of inGroups(passages, passagesTogether)) yield { networks, path: sound.path, passages: group };
  };
  await runPieces<PassagesItem, Float32Array>(
    fanOut,
    [tasksUrl, 'listenToPassages'],
    items(),
    (some) => {
      embeddings.set(some, done * embeddingLength);
      done += some.length / embeddingLength;
      onProgress(done / passages.length);
    },
    { lanes: fanOut.lanes(threadBytes), signal },
  );
  return embeddings;
}
