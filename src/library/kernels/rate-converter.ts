import { EarshotError } from '../core/errors/errors.ts';
import { nativeKernels } from './load.ts';

export interface RateConverterOptions {
  /** Frames per second, whole, 1 to 768000. */
  readonly fromRate: number;
  /** The same of the output. */
  readonly toRate: number;
  /** 1 to 64. */
  readonly channels: number;
}

export interface RateConverter {
  /** Frames that `process` will give for so many. */
  ready(frames: number): number;
  /** Frames that `flush` will give. */
  rest(): number;
  /**
   * Takes `frames` frames (default: the first plane's length) of each plane and writes `ready(frames)` frames into each
   * plane of `out`. NaN, infinite and absurd samples count as 0.
   */
  process(planes: readonly Float32Array[], out: readonly Float32Array[], frames?: number): void;
  /** Writes `rest()` frames; nothing may follow. */
  flush(out: readonly Float32Array[]): void;
  /** Gives its memory back at once; without it the collector does, but only between turns of the event loop. */
  close(): void;
}

/**
 * Frames at the lower of the two rates by which an output comes late at most: 40 beyond it, and eight come together.
 */
export const converterLate = 52;

/** Its taps grow with the ratio: from 768,000 Hz to 1 they took 30 s and a gigabyte, to 12 Hz 1.5 s and 80 MB. */
const widestRatio = 65_536;

/**
 * Another sample rate by a polyphase windowed sinc of 80 taps at the lower rate (Kaiser's window, beta 10.3). Relative
 * to the lower Nyquist frequency: flat within 0.001 dB to 0.9, -1.1 dB at 0.95, images and aliases below -100 dB from
 * 1.07 on. No delay; frames in all: `frames * toRate / fromRate`, rounded, at least one. Sound is taken to go on as its
 * mirror image on either side. The same samples for blocks of any size.
 * @throws EarshotError bad_request for a rate that is more than 65,536 times lower; TypeError on a bad option, on
 *   another number of planes, on a plane that is too short
 */
export function createRateConverter({ fromRate, toRate, channels }: RateConverterOptions): RateConverter {
  if (fromRate > widestRatio * toRate)
    throw new EarshotError(
      'bad_request',
      `Expected a sample rate of at least ${Math.ceil(fromRate / widestRatio)} Hz for sound of ${fromRate} Hz but ` +
        `received ${toRate} Hz`,
    );
  const native = nativeKernels();
  const handle = native.rateConverterCreate(fromRate, toRate, channels);
  return {
    ready: (frames) => native.rateConverterReady(handle, frames),
    rest: () => native.rateConverterRest(handle),
    process: (planes, out, frames) => native.rateConverterProcess(handle, planes, out, frames),
    flush: (out) => native.rateConverterFlush(handle, out),
    close: () => native.rateConverterClose(handle),
  };
}
