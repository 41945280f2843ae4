// Stages and feeding for the tests of pipelines.
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'vitest';
import type { AudioBlock, AudioFormat } from '../../../src/library/pcm/block.ts';
import type { AsyncStage, Emit, Stage } from '../../../src/library/pcm/stage.ts';

export const format: AudioFormat = { sampleRate: 48_000, channels: 1, layout: 'mono' };

/**
 * Lags by `frames`, as a look-ahead stage does, and remembers what happened to it. What it emits is spoilt as soon as
 * `emit` returns: nobody may go on reading it.
 */
export function lagging(
  frames: number,
  log: string[] = [],
  name = 'lag',
  failing: 'open' | 'process' | 'flush' | 'close' | 'none' = 'none',
): Stage {
  let line: number[] = [];
  const note = (what: 'open' | 'process' | 'flush' | 'close'): void => {
    log.push(`${what} ${name}`);
    if (failing === what) throw new Error(`${name} cannot ${what}`);
  };
  const pass = (block: AudioBlock, emit: Emit): void => {
    line.push(...(block.planes[0] ?? []));
    const plane = Float32Array.from(line.splice(0, block.frames));
    emit({ planes: [plane], frames: block.frames });
    plane.fill(Number.NaN);
  };
  return {
    latencyFrames: frames,
    open(given) {
      note('open');
      line = Array.from({ length: frames }, () => 0);
      return given;
    },
    process(block, emit) {
      note('process');
      pass(block, emit);
    },
    flush(emit) {
      note('flush');
      pass({ planes: [new Float32Array(frames)], frames }, emit);
    },
    close: () => note('close'),
  };
}

/** The same stage, at work elsewhere: it reads its block and emits only after some turns, and bears no second call. */
export function later(stage: Stage, turns = 1): AsyncStage {
  let busy = false;
  const alone = async (work: () => void): Promise<void> => {
    if (busy) throw new Error('Called before the last call had settled');
    busy = true;
    try {
      for (let left = turns; left > 0; left -= 1) await turn();
      work();
      await turn();
    } finally {
      busy = false;
    }
  };
  return {
    asynchronous: true,
    get latencyFrames() {
      return stage.latencyFrames;
    },
    open: stage.open,
    process: (block, emit) => alone(() => stage.process(block, emit)),
    flush: (emit) => alone(() => stage.flush(emit)),
    close: stage.close,
  };
}

/** Copies of a plane in pieces of the given lengths, the rest last. */
export function* pieces(plane: Float32Array, cuts: readonly number[]): Generator<AudioBlock> {
  let at = 0;
  for (const cut of [...cuts, plane.length]) {
    const frames = Math.min(cut, plane.length - at);
    yield { planes: [plane.slice(at, at + frames)], frames };
    at += frames;
    if (at >= plane.length) return;
  }
}

export interface Collector {
  readonly emit: Emit;
  readonly sound: () => Float32Array;
}

/** Keeps copies of what is emitted. */
export function collect(): Collector {
  const out: number[] = [];
  return {
    emit(block) {
      expect(block.planes[0]).toHaveLength(block.frames);
      out.push(...(block.planes[0] as Float32Array));
    },
    sound: () => Float32Array.from(out),
  };
}
