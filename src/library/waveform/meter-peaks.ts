import { createPeaks, type PeakLevel, type Peaks } from '../kernels/peaks.ts';
import type { Analyser } from '../pcm/stage.ts';

/** The lowest and highest samples of a file in bins of equal length, at several resolutions. */
export interface WaveformPeaks {
  /** Length of the decoded sound, seconds. */
  readonly durationSeconds: number;
  /** Loudest sample, 0 to 1. */
  readonly peak: number;
  /**
   * 500, 50 and 5 bins a second; `data` holds `count` pairs of signed bytes, minimum then maximum, 127 is full scale.
   */
  readonly levels: readonly PeakLevel[];
}

/** @param expectedFrames of the sound, if known: reserves memory */
export function meterPeaks(expectedFrames: number | null): Analyser<WaveformPeaks> {
  let kernel: Peaks | null = null;
  let sampleRate = 1;
  let frames = 0;
  return {
    latencyFrames: 0,
    open(format) {
      ({ sampleRate } = format);
      kernel = createPeaks({ ...format, ...(expectedFrames === null ? {} : { expectedFrames }) });
      return format;
    },
    process(block, emit) {
      kernel?.push(block.planes, block.frames);
      frames += block.frames;
      emit(block);
    },
    flush: () => undefined,
    close: () => undefined,
    result() {
      if (!kernel) throw new TypeError('Expected open before result');
      return { durationSeconds: frames / sampleRate, ...kernel.finish() };
    },
  };
}
