import { setImmediate as turn } from 'node:timers/promises';
import { throwIfAborted } from '../../core/abort.ts';
import type { AudioBlock, AudioFormat } from '../../pcm/block.ts';

/** What a pipeline can read from: an open file, or several that are mixed. */
export interface BlockSource {
  readonly format: AudioFormat;
  /** null when nobody knows. */
  readonly expectedFrames: number | null;
  /** Valid until the next call; null at the end. */
  next(): AudioBlock | null;
}

export interface PassOptions {
  readonly signal: AbortSignal;
  /** 0 to 1 of this pass. */
  onProgress(fraction: number): void;
}

/**
 * Reads a source to its end, block by block, with a turn of the event loop and a look at the signal for each. Answers
 * the number of frames.
 */
export async function drive(
  source: BlockSource,
  consume: (block: AudioBlock) => void,
  { signal, onProgress }: PassOptions,
): Promise<number> {
  let frames = 0;
  throwIfAborted(signal);
  for (let block = source.next(); block; block = source.next()) {
    frames += block.frames;
    consume(block);
    onProgress(source.expectedFrames ? Math.min(1, frames / source.expectedFrames) : 0);
    await turn();
    throwIfAborted(signal);
  }
  return frames;
}

/**
 * Progress of several passes over the same material as one number: each pass takes its share of what the ones before
 * left.
 */
export function passesOf(
  report: (fraction: number, stage: string) => void,
): (stage: string, share: number) => (fraction: number) => void {
  let done = 0;
  return (stage, share) => {
    const from = done;
    const span = (1 - done) * share;
    done += span;
    return (fraction) => report(from + span * fraction, stage);
  };
}
