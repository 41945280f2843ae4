// Some seconds of a long sound, spread over all of it: to try something out on them takes a fraction of a second, not a
// pass over the whole.
import type { AudioBlock, AudioFormat } from '../../pcm/block.ts';
import type { Analyser } from '../../pcm/stage.ts';
import type { BlockSource } from './drive.ts';

/** Blocks of about one second, and at least half as many: 6 MB of stereo at 44.1 kHz. */
const mostBlocks = 16;
/** Of a sound that is not longer than so many times the sample, to read it is not worth while. */
const leastTimes = 100;

/** Reads the sample from its start, again and again. */
export type SoundSample = () => BlockSource & { close(): void };

/**
 * Keeps each block, then each second, fourth, eighth one, as more come.
 * @returns null where the sound is too short: up to 17 minutes
 */
export function sampleSound(): Analyser<SoundSample | null> {
  let format: AudioFormat | null = null;
  let kept: AudioBlock[] = [];
  let every = 1;
  let seen = 0;
  return {
    latencyFrames: 0,
    open: (opened) => (format = opened),
    process(block, emit) {
      if (seen % every === 0) {
        if (kept.length === mostBlocks) {
          kept = kept.filter((_, index) => index % 2 === 0);
          every *= 2;
        }
        if (seen % every === 0)
          kept.push({ planes: block.planes.map((plane) => plane.slice(0, block.frames)), frames: block.frames });
      }
      seen += 1;
      emit(block);
    },
    flush: () => undefined,
    close: () => undefined,
    result() {
      if (!format) throw new TypeError('Expected open before result');
      return kept.length * leastTimes >= seen ? null : readerOf(format, kept);
    },
  };
}

const readerOf =
  (format: AudioFormat, kept: readonly AudioBlock[]): SoundSample =>
  () => {
    let at = 0;
    return {
      format,
      expectedFrames: kept.reduce((sum, { frames }) => sum + frames, 0),
      next() {
        const block = kept[at];
        at += 1;
        // Stages work in place.
        return block ? { planes: block.planes.map((plane) => plane.slice()), frames: block.frames } : null;
      },
      close: () => undefined,
    };
  };
