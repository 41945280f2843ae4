import type { AudioBlock, AudioFormat } from './block.ts';
import { createInbox, type Inbox } from './inbox.ts';
import type { AnyStage, AsyncStage, Emit, Stage } from './stage.ts';

/** Stages in sequence. The output is in step with the input: every stage's latency is trimmed at the front. */
export interface Pipeline {
  readonly asynchronous: false;
  /** Of the output blocks. */
  readonly format: AudioFormat;
  process(block: AudioBlock, emit: Emit): void;
  flush(emit: Emit): void;
  /** Closes every stage; further calls do nothing. */
  close(): void;
}

/**
 * Stages of which some are asynchronous. `process` resolves when every stage has taken its part of the block, so
 * nothing else is buffered; the block must not change until then.
 */
export interface AsyncPipeline {
  readonly asynchronous: true;
  readonly format: AudioFormat;
  process(block: AudioBlock, emit: Emit): Promise<void>;
  flush(emit: Emit): Promise<void>;
  close(): void;
}

/** Drops the first `frames` frames. */
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

/** Closes all stages, even if some fail; then throws the first failure. */
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

/** First to last. If a stage fails to open, it and those before it are closed. */
function openAll(stages: readonly AnyStage[], format: AudioFormat): Opened {
  let out = format;
  for (const [index, stage] of stages.entries()) {
    try {
      out = stage.open(out);
    } catch (error) {
      try {
        closeAll(stages.slice(0, index + 1));
      } catch {
        // The first failure is the more useful one.
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
  // From the last stage to the first: each emits into the trimmed entry of the next.
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
 * Blocks pass through synchronous stages as in a synchronous pipeline and are buffered, as copies, before each
 * asynchronous one. These then run first to last; each emits into the next buffer.
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
 * Opens the stages, first to last, for sound of the given format. If a stage fails to open, those before it are closed.
 * With only synchronous stages the pipeline is synchronous: no promise is made for a block.
 */
export function compose(stages: readonly Stage[], format: AudioFormat): Pipeline;
export function compose(stages: readonly AnyStage[], format: AudioFormat): Pipeline | AsyncPipeline;
export function compose(stages: readonly AnyStage[], format: AudioFormat): Pipeline | AsyncPipeline {
  const opened = openAll(stages, format);
  const synchronous = stages.filter((stage) => !isAsync(stage));
  return synchronous.length === stages.length ? inOneGo(synchronous, opened) : waiting(stages, opened);
}
