import { setImmediate as turn } from 'node:timers/promises';
import { throwIfAborted } from '../../core/abort.ts';
import type { Warning } from '../../core/progress.ts';
import { type LevelReading, meterLevels } from '../../dsp/loudness/level-meter.ts';
import { type LoudnessReading, meterLoudness } from '../../dsp/loudness/loudness-meter.ts';
import { openAudio } from '../../media/read/decode.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { compose } from '../../pcm/compose.ts';
import type { Stage } from '../../pcm/stage.ts';
import type { LoudnessTarget } from './target.ts';

export interface Measurement {
  readonly facts: MediaFacts;
  readonly frames: number;
  readonly durationSeconds: number;
  readonly warnings: readonly Warning[];
  /** In the target's measure, LUFS or dBFS RMS; null when there is nothing but silence. */
  readonly level: number | null;
  readonly loudness: LoudnessReading;
  /** Only when the target is an RMS. */
  readonly levels: LevelReading | null;
}

export interface MeasureOptions {
  readonly signal: AbortSignal;
  /** 0 to 1 of this pass. */
  onProgress(fraction: number): void;
}

/** Reads a file once, through `stages`, and measures what comes out of them. */
export async function measure(
  path: string,
  target: LoudnessTarget,
  stages: readonly Stage[],
  options: MeasureOptions,
): Promise<Measurement> {
  const source = openAudio(path);
  const loudness = meterLoudness();
  const levels = target.measure === 'rms' ? meterLevels() : null;
  const pipeline = compose([...stages, loudness, ...(levels ? [levels] : [])], source.format);
  try {
    let frames = 0;
    for (let block = source.next(); block; block = source.next()) {
      frames += block.frames;
      pipeline.process(block, () => undefined);
      options.onProgress(source.expectedFrames ? Math.min(1, frames / source.expectedFrames) : 0);
      await turn();
      throwIfAborted(options.signal);
    }
    pipeline.flush(() => undefined);
    const programme = loudness.result();
    const level = levels?.result() ?? null;
    const read = level ? level.rmsDbfs : programme.integratedLufs;
    return {
      facts: source.facts,
      frames,
      durationSeconds: frames / source.format.sampleRate,
      warnings: source.warnings,
      level: read === null || !Number.isFinite(read) ? null : read,
      loudness: programme,
      levels: level,
    };
  } finally {
    pipeline.close();
    source.close();
  }
}
