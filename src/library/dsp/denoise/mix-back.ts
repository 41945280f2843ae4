import { type AsyncPipeline, compose, type Pipeline } from '../../pcm/compose.ts';
import type { AnyStage, AsyncStage, Emit } from '../../pcm/stage.ts';
import { createSampleWindow, type SampleWindow } from './suppressor/sample-window.ts';

/**
 * Runs sound through stages and mixes the original back in, in step to the sample. The stages' output has the rate,
 * channels and length of the input.
 * @param dryShare share of the original, 0 to 1
 */
export function mixBack(stages: readonly AnyStage[], dryShare: number): AsyncStage {
  let pipeline: Pipeline | AsyncPipeline | null = null;
  let original: SampleWindow = createSampleWindow(0);
  let position = 0;
  const mixInto =
    (emit: Emit): Emit =>
    ({ planes, frames }) => {
      for (const [channel, plane] of planes.entries()) {
        const dry = original.read(channel, position, position + frames);
        for (let i = 0; i < frames; i += 1)
          plane[i] = (plane[i] as number) * (1 - dryShare) + (dry[i] as number) * dryShare;
      }
      position += frames;
      original.discard(position);
      emit({ planes, frames });
    };
  return {
    asynchronous: true,
    latencyFrames: 0,
    open(format) {
      pipeline = compose(stages, format);
      original = createSampleWindow(format.channels);
      return pipeline.format;
    },
    async process(block, emit) {
      original.append(block.planes, block.frames);
      await pipeline?.process(block, mixInto(emit));
    },
    flush: async (emit) => pipeline?.flush(mixInto(emit)),
    close: () => pipeline?.close(),
  };
}
