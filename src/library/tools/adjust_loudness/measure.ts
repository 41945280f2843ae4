import type { Warning } from '../../core/progress.ts';
import { type LevelReading, meterLevels } from '../../dsp/loudness/level-meter.ts';
import { type LoudnessReading, meterLoudness } from '../../dsp/loudness/loudness-meter.ts';
import { openAudio } from '../../media/read/decode.ts';
import { discard, drive, type PassOptions } from '../../media/read/drive.ts';
import type { MediaFacts } from '../../media/facts.ts';
import type { Stage } from '../../pcm/stage.ts';
import type { LoudnessTarget } from './target.ts';

export interface Measurement {
  readonly facts: MediaFacts;
  readonly frames: number;
  readonly durationSeconds: number;
  readonly warnings: readonly Warning[];
  /** In the target's measure, LUFS or dBFS RMS; null for silence. */
  readonly level: number | null;
  readonly loudness: LoudnessReading;
  /** Only for an RMS target. */
  readonly levels: LevelReading | null;
}

/** Reads a file once, mixed down to `channels` where these are given, through `stages` and measures the result. */
export async function measure(
  path: string,
  target: LoudnessTarget,
  stages: readonly Stage[],
  { channels, ...options }: PassOptions & { readonly channels?: number | undefined },
): Promise<Measurement> {
  const source = openAudio(path, channels === undefined ? {} : { channels });
  const loudness = meterLoudness();
  const levels = target.measure === 'rms' ? meterLevels() : null;
  try {
    const frames = await drive(source, [...stages, loudness, ...(levels ? [levels] : [])], discard, options);
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
    source.close();
  }
}
