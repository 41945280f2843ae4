import type { AudioBlock, AudioFormat } from './block.ts';
import { createInbox, type Inbox } from './inbox.ts';
import type { AnyStage, AsyncStage, Emit, Stage } from './stage.ts';

/** Stages in a row. What comes out is in step with what went in: every stage's latency is cut off at the front. */
export interface Pipeline {
  readonly asynchronous: false;
  /** Of the blocks that come out. */
  readonly format: AudioFormat;
  process(block: AudioBlock, emit: Emit): void;
  flush(emit: Emit): void;
  /** Closes every stage once, however often it is called. */
  close(): void;
}

/**
 * Stages of which some are asynchronous. `process` resolves when every stage has taken what the block brought it, so no
 * more than that is ever waiting inside; the block must stay as it is until then.
 */
export interface AsyncPipeline {
  readonly asynchronous: true;
  readonly format: AudioFormat;
  process(block: AudioBlock, emit: Emit): Promise<void>;
  flush(emit: Emit): Promise<void>;
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

interface Opened {
  readonly format: AudioFormat;
  close(): void;
}

/** Closes all, though some may fail to; then the first failure is thrown. */
function closeAll(stages: readonly AnyStage[]): void {
  const failures: unknown[] = [];
  for (const stage of stages) {
    try {
      stage.close();
    } catch (thrown) {
      failures.push(thrown);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** First to last. A stage that fails to open is closed with those before it. */
function openAll(stages: readonly AnyStage[], format: AudioFormat): Opened {
  let out = format;
  for (const [index, stage] of stages.entries()) {
    try {
      out = stage.open(out);
    } catch (error) {
      try {
        closeAll(stages.slice(0, index + 1));
      } catch {
        // What went wrong first says more.
      }
      throw error;
    }
  }
  let open = true;
  return {
    format: out,
    close() {
      if (!open) return;
      open = false;
      closeAll(stages);
    },
  };
}

function inOneGo(stages: readonly Stage[], { format, close }: Opened): Pipeline {
  let sink: Emit = () => undefined;
  // From the last stage to the first: each hands on to the trimmed entry of the next.
  let entry: Emit = (block) => sink(block);
  const entries: Emit[] = [];
  for (const stage of stages.toReversed()) {
    const next = trimming(stage.latencyFrames, entry);
    entries.unshift(next);
    entry = (block) => stage.process(block, next);
  }
  const first = entry;
  return {
    asynchronous: false,
    format,
    process(block, emit) {
      sink = emit;
      first(block);
    },
    flush(emit) {
      sink = emit;
      for (const [index, stage] of stages.entries()) stage.flush(entries[index] as Emit);
    },
    close,
  };
}

const isAsync = (stage: AnyStage): stage is AsyncStage => stage.asynchronous === true;

/**
 * Blocks run through synchronous stages as in a synchronous pipeline and wait, as copies, in front of each asynchronous
 * one. These are then served first to last; what one emits runs on to the next inbox.
 */
function waiting(stages: readonly AnyStage[], { format, close }: Opened): AsyncPipeline {
  let sink: Emit = () => undefined;
  let entry: Emit = (block) => sink(block);
  const entries: Emit[] = [];
  const counters: { readonly stage: AsyncStage; readonly inbox: Inbox; readonly next: Emit }[] = [];
  for (const stage of stages.toReversed()) {
    const next = trimming(stage.latencyFrames, entry);
    entries.unshift(next);
    if (isAsync(stage)) {
      const inbox = createInbox();
      counters.unshift({ stage, inbox, next });
      entry = inbox.put;
    } else entry = (block) => stage.process(block, next);
  }
  const first = entry;
  const serve = async (): Promise<void> => {
    for (const { stage, inbox, next } of counters) await inbox.drain((block) => stage.process(block, next));
  };
  return {
    asynchronous: true,
    format,
    async process(block, emit) {
      sink = emit;
      first(block);
      await serve();
    },
    async flush(emit) {
      sink = emit;
      for (const [index, stage] of stages.entries()) {
        await stage.flush(entries[index] as Emit);
        await serve();
      }
    },
    close,
  };
}

/**
 * Opens the stages, first to last, for sound of the given format. A stage that fails to open closes those before it.
 * With synchronous stages alone the pipeline is synchronous: no promise is made for a block.
 */
export function compose(stages: readonly Stage[], format: AudioFormat): Pipeline;
export function compose(stages: readonly AnyStage[], format: AudioFormat): Pipeline | AsyncPipeline;
export function compose(stages: readonly AnyStage[], format: AudioFormat): Pipeline | AsyncPipeline {
  const opened = openAll(stages, format);
  const synchronous = stages.filter((stage) => !isAsync(stage));
  return synchronous.length === stages.length ? inOneGo(synchronous, opened) : waiting(stages, opened);
}
