// One pass that measures a whole recording.
import type { Warning } from '../core/progress/progress.ts';
import { meterLevels, type LevelReading } from '../dsp/loudness/level-meter.ts';
import { meterLoudness, type LoudnessReading } from '../dsp/loudness/loudness-meter.ts';
import { findSilences, type Silences } from '../dsp/pauses/silences.ts';
import { type ClippingReading, meterClipping } from '../dsp/repair/clipping.ts';
import { meterBandwidth } from '../dsp/spectrum/bandwidth.ts';
import type { MediaFacts } from '../media/facts.ts';
import { discard, drive } from '../media/read/drive.ts';
import { openToMeasure } from '../media/read/segments/open-segments.ts';
import type { FanOut } from '../core/machine/fan-out.ts';

/** What a recording measures. */
export interface RecordingMeasures {
  /** Of the decoded sound. */
  readonly durationSeconds: number;
  readonly loudness: LoudnessReading;
  readonly levels: LevelReading;
  /** Of half a second and longer. */
  readonly silences: Silences;
  readonly clipping: ClippingReading;
  /** Upper end of the spectrum, Hz; null: not measurable. */
  readonly bandwidthHz: number | null;
}

/** A run's context fits. */
interface MeasuringRun {
  readonly signal: AbortSignal;
  readonly fanOut: FanOut;
  warn(warning: Warning): void;
}

/** Shorter silences are not counted, seconds. */
export const minSilenceSeconds = 0.5;

/**
 * Measures loudness, levels, silence, clipping and bandwidth in one pass.
 * @throws EarshotError file_invalid; AbortError
 */
export async function measureRecording(
  facts: MediaFacts,
  run: MeasuringRun,
  onProgress: (fraction: number) => void,
): Promise<RecordingMeasures> {
  const source = openToMeasure(facts, run);
  const loudness = meterLoudness();
  const levels = meterLevels();
  const clipping = meterClipping();
  const bandwidth = meterBandwidth(
    source.expectedFrames === null ? null : source.expectedFrames / source.format.sampleRate,
  );
  try {
    const frames = await drive(source, [loudness, levels, bandwidth, clipping], discard, {
      signal: run.signal,
      onProgress,
    });
    for (const warning of source.warnings) run.warn(warning);
    const durationSeconds = frames / source.format.sampleRate;
    const level = levels.result();
    return {
      durationSeconds,
      loudness: loudness.result(),
      levels: level,
      silences: findSilences(level.envelope, level.hopSeconds, durationSeconds, minSilenceSeconds),
      clipping: clipping.result(),
      bandwidthHz: bandwidth.result(),
    };
  } finally {
    source.close();
  }
}
