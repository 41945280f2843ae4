import { setImmediate as turn } from 'node:timers/promises';
import { throwIfAborted } from '../../core/abort.ts';
import type { AudioBlock, AudioFormat } from '../../pcm/block.ts';
import { compose } from '../../pcm/compose.ts';
import type { AnyStage, Emit } from '../../pcm/stage.ts';

/** A source for pipelines: an open file, or a mix of several. */
export interface BlockSource {
  readonly format: AudioFormat;
  /** null if unknown. */
  readonly expectedFrames: number | null;
  /** Valid until the next call; null at the end. */
  next(): AudioBlock | null;
  /** Of sources that threads fill: null where `next` can be called now, else a promise of that. Default: always now. */
  ready?(): Promise<void> | null;
}

export interface PassOptions {
  readonly signal: AbortSignal;
  /** 0 to 1 of this pass. */
  onProgress(fraction: number): void;
}

export interface DriveOptions extends Omit<PassOptions, 'signal'> {
  readonly signal?: AbortSignal | undefined;
  /** Length of the source, where the caller knows it better. Default: the source's own. */
  readonly expectedFrames?: number;
}

/** Takes blocks, and says when it can take the next: a sink that encodes on other threads is behind at times. */
export interface Receiver {
  write: Emit;
  /** null: at once. */
  ready(): Promise<void> | null;
}

/** For analysers whose output is ignored. */
export const discard: Emit = () => undefined;

/**
 * Reads a source to its end through stages: opens them, passes block after block, flushes, and closes them in any case.
 * Lets the event loop run and checks the signal after each block. The caller closes the source. Progress counts input,
 * or output where stages are asynchronous, since those buffer long stretches.
 * @param to where the sound goes; one that is not ready is waited for after each block
 * @returns number of frames read
 * @throws AbortError; whatever the source, a stage or `to` throws
 */
export async function drive(
  source: BlockSource,
  stages: readonly AnyStage[],
  to: Emit | Receiver,
  { signal, onProgress, expectedFrames }: DriveOptions,
): Promise<number> {
  throwIfAborted(signal);
  const { write: emit, ready } = typeof to === 'function' ? { write: to, ready: () => null } : to;
  const next = async (): Promise<void> => {
    await turn();
    throwIfAborted(signal);
    await ready();
    await source.ready?.();
  };
  const pipeline = compose(stages, source.format);
  try {
    await source.ready?.();
    const expected = expectedFrames ?? source.expectedFrames;
    const report = (frames: number): void => onProgress(expected ? Math.min(1, frames / expected) : 0);
    let frames = 0;
    if (!pipeline.asynchronous) {
      for (let block = source.next(); block; block = source.next()) {
        frames += block.frames;
        pipeline.process(block, emit);
        report(frames);
        await next();
      }
      pipeline.flush(emit);
      return frames;
    }
    const ratio = source.format.sampleRate / pipeline.format.sampleRate;
    let written = 0;
    const counted: Emit = (block) => {
      emit(block);
      written += block.frames;
      report(written * ratio);
    };
    for (let block = source.next(); block; block = source.next()) {
      frames += block.frames;
      await pipeline.process(block, counted);
      await next();
    }
    await pipeline.flush(counted);
    return frames;
  } finally {
    pipeline.close();
  }
}
