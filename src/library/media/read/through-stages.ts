import type { AudioBlock } from '../../pcm/block.ts';
import { compose } from '../../pcm/compose.ts';
import type { Stage } from '../../pcm/stage.ts';
import type { BlockSource } from './drive.ts';

/**
 * A source behind stages, for sound that is to be read more than once. Their blocks must not be reused after they are
 * emitted.
 */
export function throughStages(
  source: BlockSource & { close(): void },
  stages: readonly Stage[],
): BlockSource & { close(): void } {
  const pipeline = compose(stages, source.format);
  const waiting: AudioBlock[] = [];
  const keep = (block: AudioBlock): void => void waiting.push(block);
  let ended = false;
  return {
    format: pipeline.format,
    expectedFrames: source.expectedFrames,
    ready: () => source.ready?.() ?? null,
    next() {
      while (waiting.length === 0 && !ended) {
        const block = source.next();
        ended = block === null;
        if (block) pipeline.process(block, keep);
        else pipeline.flush(keep);
      }
      return waiting.shift() ?? null;
    },
    close() {
      try {
        pipeline.close();
      } finally {
        source.close();
      }
    },
  };
}
