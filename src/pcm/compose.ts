import type { AudioBlock, AudioFormat } from './block.ts';
import type { Emit, Stage } from './stage.ts';

/** Stages in a row. What comes out is in step with what went in: every stage's latency is cut off at the front. */
export interface Pipeline {
  /** Of the blocks that come out. */
  readonly format: AudioFormat;
  process(block: AudioBlock, emit: Emit): void;
  flush(emit: Emit): void;
  close(): void;
}

/** Lets blocks through but for the first `frames` frames. */
function trimming(frames: number, emit: Emit): Emit {
  let left = frames;
  return (block) => {
    const cut = Math.min(left, block.frames);
    left -= cut;
    if (cut === 0) emit(block);
    else if (cut < block.frames)
      emit({ planes: block.planes.map((plane) => plane.subarray(cut, block.frames)), frames: block.frames - cut });
  };
}

/**
 * Opens the stages, first to last, for sound of the given format. A stage that fails to open closes those before it.
 */
export function compose(stages: readonly Stage[], format: AudioFormat): Pipeline {
  const opened: Stage[] = [];
  let out = format;
  try {
    for (const stage of stages) {
      opened.push(stage);
      out = stage.open(out);
    }
  } catch (error) {
    for (const stage of opened) stage.close();
    throw error;
  }
  let sink: Emit = () => undefined;
  // From the last stage to the first: each hands on to the trimmed entry of the next.
  let entry: Emit = (block) => sink(block);
  const entries: Emit[] = [];
  for (const stage of opened.toReversed()) {
    const next = trimming(stage.latencyFrames, entry);
    entries.unshift(next);
    entry = (block) => stage.process(block, next);
  }
  const first = entry;
  return {
    format: out,
    process(block, emit) {
      sink = emit;
      first(block);
    },
    flush(emit) {
      sink = emit;
      for (const [index, stage] of opened.entries()) stage.flush(entries[index] as Emit);
    },
    close() {
      for (const stage of opened) stage.close();
    },
  };
}
