// Data that the threads of one Whisper share.
import { freeFile } from '../../../core/free-buffer.ts';
import { readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectGarbage } from '../../../core/machine/collect-garbage.ts';
import { freeUnusedMemory } from '../../../kernels/free-memory.ts';
import type { PackedWeights } from '../../../kernels/whisper-decoder.ts';
import type { PackedEncoderWeights } from '../../../kernels/whisper-encoder.ts';
import { splitAttention } from '../../../models/split-attention.ts';
import type { WhisperLayout } from './layout.ts';
import { mostEncoderBytes, packedEncoder } from './q8-encoder.ts';
import { sharedWeights } from './q8-weights.ts';

/** Plain data and shared memory, so that it can be sent to threads. */
export interface SharedWhisper {
  /** See `sharedWeights`. */
  readonly decoder: PackedWeights | null;
  /** See `packedEncoder`. */
  readonly encoder: PackedEncoderWeights | null;
  /** For ONNX Runtime: the encoder's file with its attention in parts; null: the unmodified file. */
  readonly encoderFile: SharedArrayBuffer | null;
  /** One int32: how many threads are loading. */
  readonly loading: SharedArrayBuffer;
}

/**
 * The scores of a tenth of the queries are in memory at a time: 14 MB of Whisper base's 144. More parts gain nothing,
 * since other layers then take more.
 */
const attentionParts = 10;
async function splitEncoder({ encoderPath, frames }: WhisperLayout): Promise<SharedArrayBuffer | null> {
  if ((frames / 2) % attentionParts !== 0 || (await stat(encoderPath)).size > mostEncoderBytes) return null;
  const file = await readFile(encoderPath);
  const split = splitAttention(file, attentionParts);
  if (split === file) return null;
  const shared = new SharedArrayBuffer(split.length);
  new Uint8Array(shared).set(split);
  freeFile(file);
  freeFile(split);
  return shared;
}

/** While it loads, a thread takes some 50 MB more than later. */
const mostLoading = 3;
const pollMs = 5;
/** Loading takes a second or two. A thread that was ended while loading must not stop the others for good. */
const patienceMs = 30_000;

/** Loads when few other threads do: sixteen at once went over the bound of a job. */
export async function inTurn<Loaded>(
  { loading }: Pick<SharedWhisper, 'loading'>,
  load: () => Promise<Loaded>,
): Promise<Loaded> {
  const count = new Int32Array(loading);
  const deadline = performance.now() + patienceMs;
  while (Atomics.add(count, 0, 1) >= mostLoading && performance.now() < deadline) {
    Atomics.sub(count, 0, 1);
    await sleep(pollMs);
  }
  try {
    return await load();
  } finally {
    Atomics.sub(count, 0, 1);
  }
}

const known = new Map<string, Promise<SharedWhisper>>();

async function loadShared(layout: WhisperLayout): Promise<SharedWhisper> {
  const [decoder, encoder] = await Promise.all([sharedWeights(layout), packedEncoder(layout)]);
  const encoderFile = encoder === null ? await splitEncoder(layout) : null;
  // Reading takes several copies of the files.
  collectGarbage();
  freeUnusedMemory();
  return { decoder, encoder, encoderFile, loading: new SharedArrayBuffer(4) };
}

/** Once per process. */
export function sharedNetwork(layout: WhisperLayout): Promise<SharedWhisper> {
  const before = known.get(layout.encoderPath);
  if (before) return before;
  const made = loadShared(layout);
  made.catch(() => known.delete(layout.encoderPath));
  known.set(layout.encoderPath, made);
  return made;
}
