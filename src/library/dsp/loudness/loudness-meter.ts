import { gainToDb } from '../../core/levels.ts';
import { channelWeights, createLoudness, type Loudness, type LoudnessResult } from '../../kernels/loudness.ts';
import { createTruePeak, type TruePeak } from '../../kernels/true-peak.ts';
import type { Analyser } from '../../pcm/stage.ts';

/** What a whole sound measures, and its peaks. */
export interface LoudnessReading extends LoudnessResult {
  /** -Infinity for digital silence. */
  readonly truePeakDbtp: number;
  readonly samplePeakDbfs: number;
}

/** EBU R 128 loudness and BS.1770-5 true peak of the sound that passes. */
export function meterLoudness(): Analyser<LoudnessReading> {
  let loudness: Loudness | null = null;
  let truePeak: TruePeak | null = null;
  return {
    latencyFrames: 0,
    open(format) {
      loudness = createLoudness({
        sampleRate: format.sampleRate,
        weights: channelWeights(format.layout, format.channels),
      });
      truePeak = createTruePeak({ sampleRate: format.sampleRate, channels: format.channels });
      return format;
    },
    process(block, emit) {
      loudness?.push(block.planes, block.frames);
      truePeak?.push(block.planes, block.frames);
      emit(block);
    },
    flush: () => undefined,
    close: () => undefined,
    result() {
      if (!loudness || !truePeak) throw new TypeError('Expected open before result');
      const peaks = truePeak.finish();
      return {
        ...loudness.result(),
        truePeakDbtp: gainToDb(peaks.truePeak),
        samplePeakDbfs: gainToDb(peaks.samplePeak),
      };
    },
  };
}
