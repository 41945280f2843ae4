import type { FanOut } from '../../core/fan-out.ts';
import { searchFolders } from '../../models/folders.ts';
import { runPieces } from '../pieces.ts';
import { speechRate, type SpeechSound } from '../speech-sound.ts';
import type { StretchesItem, WindowsItem, WindowsResult } from './listen-tasks.ts';
import { embeddingLength, readSpeakerNetworks, type SpeakerNetworks } from './networks.ts';
import { frameSeconds, localSpeakers, windowFrames, windowStarts } from './segmentation.ts';
import type { SpeakerTurn } from './speaker-turn.ts';
import { addUpWindows, loneStretches, turnsOf } from './timeline.ts';
import { assignVoices, findVoices, likeness, type Voices } from './voices.ts';

export interface FindSpeakersOptions {
  /** Where the two networks are looked for first; default: see `searchFolders`. */
  readonly modelsDir: string | undefined;
  readonly parallelism: number;
  readonly fanOut: FanOut;
  readonly signal: AbortSignal;
  /** 0 to 1. */
  onProgress(fraction: number): void;
}

const tasksUrl = import.meta.resolve(import.meta.url.endsWith('.ts') ? './listen-tasks.ts' : './listen-tasks.js');

/** Windows and stretches of one piece of work: about 0.6 s of it. */
const windowsTogether = 8;
const stretchesTogether = 24;

/** Stretches of one person from this on are heard again, in pieces of about two seconds. */
const leastHeardAgainSeconds = 0.6;
const pieceSeconds = 2;
/** Another person must be so much more like a piece to get it, cosine. */
const clearlyBetter = 0.05;
/** How much of the work the windows are. */
const windowsShare = 0.85;

function* inGroups<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

/** What the networks heard in all windows: 30 MB an hour and hour, embeddings included, at ten hours. */
type Heard = WindowsResult & { readonly starts: readonly number[] };

async function listen(
  sound: SpeechSound,
  networks: SpeakerNetworks,
  { fanOut, onProgress, ...options }: FindSpeakersOptions,
): Promise<Heard> {
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
      onProgress((windowsShare * done) / starts.length);
    },
    options,
  );
  return heard;
}

/**
 * Hears every stretch of one person again, in pieces of about two seconds, and gives to another what is clearly more
 * like them. Changes `speaking`.
 */
async function hearAgain(
  sound: SpeechSound,
  networks: SpeakerNetworks,
  speaking: Uint8Array,
  voices: Voices,
  { fanOut, onProgress, ...options }: FindSpeakersOptions,
): Promise<void> {
  const pieces = loneStretches(speaking, leastHeardAgainSeconds).flatMap(({ person, firstFrame, endFrame }) => {
    const count = Math.max(1, Math.round((frameSeconds(endFrame) - frameSeconds(firstFrame)) / pieceSeconds));
    const cut = (index: number): number => firstFrame + Math.round(((endFrame - firstFrame) * index) / count);
    return Array.from({ length: count }, (_, index) => ({ person, first: cut(index), end: cut(index + 1) }));
  });
  const sampleOf = (frame: number): number => Math.max(0, Math.round(frameSeconds(frame) * speechRate));
  let done = 0;
  const items = function* (): Generator<StretchesItem> {
    for (const group of inGroups(pieces, stretchesTogether))
      yield {
        networks,
        path: sound.path,
        stretches: group.map(({ first, end }) => [sampleOf(first), sampleOf(end)] as const),
      };
  };
  const judge = (embeddings: Float32Array, index: number): void => {
    const { person, first, end } = pieces[done] as (typeof pieces)[number];
    let [best, most] = [person, likeness(voices, person, embeddings, index) + clearlyBetter];
    for (let other = 0; other < voices.count; other += 1) {
      const like = likeness(voices, other, embeddings, index);
      if (like > most) [best, most] = [other, like];
    }
    if (best !== person) speaking.fill(1 << best, first, end);
    done += 1;
  };
  await runPieces<StretchesItem, Float32Array>(
    fanOut,
    [tasksUrl, 'listenToStretches'],
    items(),
    (embeddings) => {
      for (let index = 0; index < embeddings.length / embeddingLength; index += 1) judge(embeddings, index);
      onProgress(windowsShare + ((1 - windowsShare) * done) / pieces.length);
    },
    options,
  );
}

/**
 * Finds who speaks when. At most eight people are told apart, numbered in the order in which they are first heard.
 * Method: segmentation of overlapping windows (Plaquet and Bredin, "Powerset multi-class cross entropy loss for neural
 * speaker diarization", 2023), an embedding of every window's voices (CAM++: Wang et al. 2023), average linkage, an
 * optimal assignment in every window (Bredin, "pyannote.audio 2.1 speaker diarization pipeline", 2023); then every
 * stretch is heard once more. The result does not depend on the number of cores.
 * Memory: 1.3 MB a minute of sound at most, nothing of the sound itself.
 * @returns in order of their starts; turns of different people may overlap
 * @throws EarshotError tool_unavailable without the two networks; AbortError
 */
export async function findSpeakers(sound: SpeechSound, options: FindSpeakersOptions): Promise<SpeakerTurn[]> {
  const networks = await readSpeakerNetworks(searchFolders(options.modelsDir));
  const heard = await listen(sound, networks, options);
  const voices = await findVoices(heard.embeddings, heard.rows, options);
  const people = assignVoices(voices, heard.embeddings, heard.rows);
  const speaking = addUpWindows({ ...heard, people }, voices);
  if (voices.count > 1) await hearAgain(sound, networks, speaking, voices, options);
  options.onProgress(1);
  return turnsOf(speaking, voices.count, sound.durationSeconds);
}
