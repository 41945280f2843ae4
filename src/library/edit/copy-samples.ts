// Writes an edit list by moving bytes, where samples are only moved.
import { setImmediate as turn } from 'node:timers/promises';
import { throwIfAborted } from '../core/abort.ts';
import { crossfade } from '../kernels/ops.ts';
import type { MediaFacts } from '../media/facts.ts';
import type { PassOptions } from '../media/read/drive.ts';
import { openPlainSamples, type PlainSamples } from '../media/read/plain-samples.ts';
import type { ThreadedSink } from '../media/write/encode.ts';
import { framesOf, type Piece } from './pieces.ts';

/** Moved at once. */
const chunkBytes = 2 ** 20;

/**
 * Samples of a recording whose bytes a sink takes as they are. The caller closes them.
 * @param frames length of the recording as the caller knows it; null: it goes by the file's
 * @returns null: they have to be decoded
 */
export function samplesFor(facts: MediaFacts, frames: number | null, sink: ThreadedSink): PlainSamples | null {
  const { codec = '', sampleRate, channels } = facts.audio ?? {};
  const isForm = sampleRate === sink.format.sampleRate && channels === sink.format.channels;
  if (!isForm || !sink.copierOf?.(codec)) return null;
  const samples = openPlainSamples(facts);
  if (frames === null || samples?.frames === frames) return samples;
  samples?.close();
  return null;
}

/**
 * Writes parts of a recording: bytes as they are, crossfades as `renderEdits` makes them.
 * @param samples of `samplesFor` this sink
 * @returns frames written
 */
export async function copySamples(
  samples: PlainSamples,
  pieces: readonly Piece[],
  sink: ThreadedSink,
  { signal, onProgress }: PassOptions,
): Promise<number> {
  const copy = sink.copierOf?.(samples.codec);
  if (!copy) throw new TypeError('Expected a sink that takes the samples as they are');
  const total = pieces.reduce((sum, piece) => sum + framesOf(piece), 0);
  const most = Math.max(1, Math.floor(chunkBytes / samples.frameBytes));
  let done = 0;
  for (const piece of pieces) {
    if (piece.kind === 'fade') {
      const { outgoing, incoming } = piece;
      const planes = samples.planes(incoming.from, incoming.frames);
      crossfade(samples.planes(outgoing.from, outgoing.frames), planes, planes, 'equal-power');
      sink.write({ planes, frames: incoming.frames });
      done += incoming.frames;
      continue;
    }
    for (let at = piece.from; at < piece.to; at += most) {
      const frames = Math.min(most, piece.to - at);
      copy(samples.bytes(at, frames), frames);
      done += frames;
      onProgress(done / total);
      await turn();
      throwIfAborted(signal);
    }
  }
  return done;
}

/** Writes all of a recording. @returns frames written */
export const copyAll = (samples: PlainSamples, sink: ThreadedSink, pass: PassOptions): Promise<number> =>
  copySamples(samples, [{ kind: 'pass', from: 0, to: samples.frames }], sink, pass);
