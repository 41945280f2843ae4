import type { Warning } from '../../core/progress/progress.ts';
import { type LevelReading, meterLevels } from '../../dsp/loudness/level-meter.ts';
import { type LoudnessReading, meterLoudness } from '../../dsp/loudness/loudness-meter.ts';
import { openAudio } from '../../media/read/decode.ts';
import { discard, drive, type PassOptions } from '../../media/read/drive.ts';
import { type SoundSample, sampleSound } from '../../media/read/sound-sample.ts';
import { hasOffset, meterOffset, removeOffset } from '../../dsp/spectrum/offset.ts';
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
  /** Constant offset of each channel of the file; [] where none is worth removing. */
  readonly offsets: readonly number[];
  /** Of a long sound, where it was asked for. */
  readonly sample: SoundSample | null;
}

export interface MeasureOptions extends PassOptions {
  /** Is a part of the sound kept, to try a limiter on? Default false. */
  readonly sampled?: boolean;
  /** Mixed down to so many. Default: all of the file's. */
  readonly channels?: number | undefined;
  /** Removed before anything else. Default []. */
  readonly offsets?: readonly number[];
}

/** Reads a file once, mixed down to `channels` where these are given, through `stages` and measures the result. */
export async function measure(
  facts: MediaFacts,
  target: LoudnessTarget,
  stages: readonly Stage[],
  { channels, offsets = [], sampled = false, ...options }: MeasureOptions,
): Promise<Measurement> {
  const source = openAudio(facts, channels === undefined ? {} : { channels });
  const loudness = meterLoudness();
  const levels = target.measure === 'rms' ? meterLevels() : null;
  const sample = sampled ? sampleSound() : null;
  try {
    const offset = offsets.length === 0 ? meterOffset() : null;
    const first = offset ?? removeOffset(offsets);
    const meters = [...(sample ? [sample] : []), loudness, ...(levels ? [levels] : [])];
    const frames = await drive(source, [first, ...stages, ...meters], discard, options);
    const found = offset?.result() ?? offsets;
    const programme = loudness.result();
    const level = levels?.result() ?? null;
    const read = level ? level.rmsDbfs : programme.integratedLufs;
    return {
      facts,
      frames,
      durationSeconds: frames / source.format.sampleRate,
      warnings: source.warnings,
      level: read === null || !Number.isFinite(read) ? null : read,
      loudness: programme,
      levels: level,
      sample: sample?.result() ?? null,
      offsets: offset === null || hasOffset(found, programme.samplePeakDbfs) ? found : [],
    };
  } finally {
    source.close();
  }
}

/**
 * The same without a constant offset, which takes the room of the peaks and that no one hears: read once more for it.
 */
export async function measureWithoutOffset(
  facts: MediaFacts,
  target: LoudnessTarget,
  options: MeasureOptions,
): Promise<Measurement> {
  const read = await measure(facts, target, [], options);
  return read.offsets.length === 0 ? read : measure(facts, target, [], { ...options, offsets: read.offsets });
}
