import { gainToDb, powerToDb } from '../../core/levels.ts';
import { createEnvelope, type Envelope } from '../../kernels/envelope.ts';
import { createStats, type Stats, type StatsResult } from '../../kernels/stats.ts';
import type { Analyser } from '../../pcm/stage.ts';
import { quietestMeanSquare } from '../pauses/silences.ts';

export interface LevelReading extends StatsResult {
  /** Over all channels, dB relative to full scale; -Infinity for digital silence. */
  readonly rmsDbfs: number;
  readonly samplePeakDbfs: number;
  /** RMS of the quietest half second; -Infinity for digital silence. */
  readonly noiseFloorDbfs: number;
  /** Mean square every `hopSeconds`. */
  readonly envelope: Float32Array;
  readonly hopSeconds: number;
}

/** RMS, peak, offset, clipping, correlation, level envelope and noise floor of the sound that passes. */
export function meterLevels(): Analyser<LevelReading> {
  let stats: Stats | null = null;
  let envelope: Envelope | null = null;
  return {
    latencyFrames: 0,
    open(format) {
      stats = createStats(format);
      envelope = createEnvelope(format);
      return format;
    },
    process(block, emit) {
      stats?.push(block.planes, block.frames);
      envelope?.push(block.planes, block.frames);
      emit(block);
    },
    flush: () => undefined,
    close: () => undefined,
    result() {
      if (!stats || !envelope) throw new TypeError('Expected open before result');
      const totals = stats.result();
      const { meanSquare, hopSeconds } = envelope.finish();
      return {
        ...totals,
        rmsDbfs: gainToDb(totals.rms),
        samplePeakDbfs: gainToDb(Math.max(0, ...totals.perChannel.map((channel) => channel.samplePeak))),
        noiseFloorDbfs: powerToDb(quietestMeanSquare(meanSquare, hopSeconds)),
        envelope: meanSquare,
        hopSeconds,
      };
    },
  };
}
