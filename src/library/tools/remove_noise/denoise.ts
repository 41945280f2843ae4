import type { Warning } from '../../core/progress/progress.ts';
import { type ChannelGroups, meterChannelGroups } from '../../dsp/denoise/channel-groups.ts';
import { denoiseStages } from '../../dsp/denoise/denoise-stages.ts';
import type { NoiseEngine } from '../../dsp/denoise/engines.ts';
import { type ChannelLevels, meterChannelLevels } from '../../dsp/denoise/level/channel-levels.ts';
import type { PassageReport } from '../../dsp/denoise/passages/passage-report.ts';
import type { FanOut } from '../../core/machine/fan-out.ts';
import type { Balance } from '../../dsp/denoise/passages/balance.ts';
import { removeSteady } from '../../dsp/denoise/steady/remove-steady.ts';
import { meterSteadyNoise, type SteadyNoise } from '../../dsp/denoise/steady/steady-noise.ts';
import type { Listener } from '../../dsp/listener/listener.ts';
import { mixBack } from '../../dsp/denoise/mix-back.ts';
import { suppressorRate } from '../../dsp/denoise/suppressor/suppressor.ts';
import { meterLoudness } from '../../dsp/loudness/loudness-meter.ts';
import type { SpeechLevels } from '../../dsp/voicing/speech-levels.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { resampleTo } from '../../media/convert/format-converter.ts';
import { openAudio } from '../../media/read/decode.ts';
import { discard, drive, type PassOptions, type Receiver } from '../../media/read/drive.ts';
import { meterAsOne } from '../../dsp/voice/voice-found.ts';
import type { AudioFormat } from '../../pcm/block.ts';
import { exactLength } from '../../pcm/exact-length.ts';
import type { AnyStage, Emit } from '../../pcm/stage.ts';

export interface Recording {
  readonly facts: MediaFacts;
  readonly format: AudioFormat;
  /** Counted while decoding. */
  readonly frames: number;
  readonly groups: ChannelGroups;
  /** null for silence. */
  readonly integratedLufs: number | null;
  readonly levels: ChannelLevels;
  /** null where not requested. */
  readonly steadyNoise: SteadyNoise | null;
  /** null where not requested. */
  readonly speechLevels: SpeechLevels | null;
  readonly warnings: readonly Warning[];
}

/**
 * Reads a file once and measures what the noise suppressor needs to know.
 * @param want levels of speech for the volume, steady noise for its removal
 */
export async function inspect(facts: MediaFacts, want: Wanted, options: PassOptions): Promise<Recording> {
  const source = openAudio(facts);
  try {
    const meter = meterChannelGroups();
    const loudness = meterLoudness();
    const levels = meterChannelLevels();
    const speech = want.speechLevels ? meterAsOne({ tones: false }) : null;
    const steady = want.steadyNoise ? meterSteadyNoise() : null;
    const meters = [
      meter,
      loudness,
      levels,
      ...(speech ? [speech] : []),
      ...(steady ? [resampleTo(suppressorRate), steady] : []),
    ];
    const frames = await drive(source, meters, discard, options);
    return {
      facts,
      format: source.format,
      frames,
      groups: meter.result(),
      integratedLufs: loudness.result().integratedLufs,
      levels: levels.result(),
      steadyNoise: steady?.result() ?? null,
      speechLevels: speech?.result() ?? null,
      warnings: source.warnings,
    };
  } finally {
    source.close();
  }
}

/** What the first pass measures besides. */
export interface Wanted {
  readonly speechLevels: boolean;
  readonly steadyNoise: boolean;
}

/** Steady noise is left at -30 dB at least: with less of it, what is not noise sounds cut out. */
const leastSteadyGain = 10 ** (-30 / 20);

export interface DenoiseOptions extends PassOptions {
  readonly engine: NoiseEngine;
  readonly listener: Listener | null;
  readonly report: PassageReport;
  /** Share of the noise that is kept, 0 to 1; part of the balance where there is one. */
  readonly dryShare: number;
  /** null: voices and music are as loud as they were. */
  readonly balance: Balance | null;
  readonly fanOut: FanOut;
}

/**
 * Reads a recording and emits it without its noise, at the same rate, channels and length, in step. The suppressors
 * work at 48 kHz; other rates are converted there and back. Sound above 24 kHz is not voice and is removed with the
 * noise.
 * @param behind final stages of the result
 */
export async function denoise(
  recording: Recording,
  behind: readonly AnyStage[],
  to: Emit | Receiver,
  options: DenoiseOptions,
): Promise<void> {
  const { dryShare, balance, signal, onProgress } = options;
  const { format, frames, groups, levels, steadyNoise } = recording;
  const clean = [
    resampleTo(suppressorRate),
    ...(steadyNoise === null
      ? denoiseStages({ ...options, groups, levels, seconds: frames / format.sampleRate })
      : [removeSteady({ groups, noise: steadyNoise, leastGain: Math.max(leastSteadyGain, dryShare) })]),
    resampleTo(format.sampleRate),
    exactLength(frames),
  ];
  const source = openAudio(recording.facts);
  try {
    const stages = dryShare > 0 && balance === null && steadyNoise === null ? [mixBack(clean, dryShare)] : clean;
    await drive(source, [...stages, ...behind], to, { signal, onProgress, expectedFrames: frames });
  } finally {
    source.close();
  }
}
