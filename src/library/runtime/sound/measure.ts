// Work on samples in this process: the analysers and stages of the tools, without a file and without another process.
import { gainToDb } from '../../core/levels.ts';
import { badValue } from '../../core/checks/schema.ts';
import { limit as limiting } from '../../dsp/loudness/limit.ts';
import { meterLevels } from '../../dsp/loudness/level-meter.ts';
import { type LoudnessReading, meterLoudness } from '../../dsp/loudness/loudness-meter.ts';
import { findSilences, type Silences } from '../../dsp/pauses/silences.ts';
import { createTruePeak } from '../../kernels/true-peak.ts';
import { compose } from '../../pcm/compose.ts';
import { type AudioBufferLike, type HeldSamples, type OpenedSound, openSound, type Sound } from '../../pcm/sound.ts';
import type { Analyser, Emit, Stage } from '../../pcm/stage.ts';
import { meterPeaks, type WaveformPeaks } from '../../waveform/meter-peaks.ts';

/** Sound that is held whole: samples, or an `AudioBuffer` of Web Audio. */
export type HeldSound = HeldSamples | AudioBufferLike;

/** The highest peaks of a sound. */
export interface PeakReading {
  /** Of the interpolated signal, dBTP (full scale 0); -Infinity for digital silence. */
  readonly truePeakDbtp: number;
  /** Of the samples, dBFS; -Infinity for digital silence. */
  readonly samplePeakDbfs: number;
  /** By channel, in order. */
  readonly channels: readonly { readonly truePeakDbtp: number; readonly samplePeakDbfs: number }[];
}

/** How silences are found. */
export interface SilenceOptions {
  /** Shorter ones are not counted, seconds, above 0. Default 0.5. */
  readonly minSeconds?: number;
}

/** How peaks are limited. */
export interface LimitSoundOptions {
  /** Greatest true peak of the result, dBTP, -80 to 20. Default -1. */
  readonly ceilingDbtp?: number;
  /** Gain before the limiter, dB, -120 to 120. Default 0. */
  readonly gainDb?: number;
}

/** Sound behind a gain and a limiter. */
export interface LimitedSound extends Sound {
  /** The limiter's greatest reduction, dB, 0 or more. */
  readonly maxReductionDb: number;
}

/**
 * Passes sound through stages, which may change it in place: blocks are copied.
 * @param result is asked for at the end, before the stages are closed
 */
export function passThrough<Result>(
  opened: OpenedSound,
  stages: readonly Stage[],
  emit: Emit,
  result: () => Result,
): Result {
  const pipeline = compose(stages, opened.format);
  try {
    for (const { planes, frames } of opened.blocks())
      pipeline.process({ planes: planes.map((plane) => plane.slice()), frames }, emit);
    pipeline.flush(emit);
    return result();
  } finally {
    pipeline.close();
  }
}

function analyse<Result>(opened: OpenedSound, analyser: Analyser<Result>): Result {
  analyser.open(opened.format);
  for (const block of opened.blocks()) analyser.process(block, () => undefined);
  analyser.flush(() => undefined);
  const result = analyser.result();
  analyser.close();
  return result;
}

/** Writes what stages emit into one array a channel, which grows. */
export function gather(frames: number): { readonly emit: Emit; take(): Float32Array[] } {
  let planes: Float32Array[] = [];
  let at = 0;
  return {
    emit({ planes: given, frames: count }) {
      if (planes.length === 0) planes = given.map(() => new Float32Array(Math.max(frames, count)));
      if (at + count > (planes[0] as Float32Array).length)
        planes = planes.map((plane) => {
          const larger = new Float32Array(2 * (at + count));
          larger.set(plane);
          return larger;
        });
      for (const [channel, plane] of planes.entries())
        plane.set((given[channel] as Float32Array).subarray(0, count), at);
      at += count;
    },
    take: () => planes.map((plane) => (plane.length === at ? plane : plane.slice(0, at))),
  };
}

/**
 * Loudness of EBU R 128 and true peak of BS.1770-5, as analyze_audio measures them, not rounded.
 * @throws EarshotError bad_request for what is no sound; tool_unavailable without the native kernels
 */
export const measureLoudness = (sound: HeldSound): LoudnessReading => analyse(openSound(sound), meterLoudness());

/**
 * True peak of BS.1770-5, annex 2, and sample peak, of all channels and of each.
 * @throws EarshotError as `measureLoudness`
 */
export function truePeak(sound: HeldSound): PeakReading {
  const opened = openSound(sound);
  const meter = createTruePeak(opened.format);
  for (const { planes, frames } of opened.blocks()) meter.push(planes, frames);
  const inDb = (each: { truePeak: number; samplePeak: number }) => ({
    truePeakDbtp: gainToDb(each.truePeak),
    samplePeakDbfs: gainToDb(each.samplePeak),
  });
  const read = meter.finish();
  return { ...inDb(read), channels: read.perChannel.map(inDb) };
}

/**
 * The lowest and highest samples in bins of equal length, all channels together, as `peaks` of a file.
 * @throws EarshotError as `measureLoudness`
 */
export function peaks(sound: HeldSound): WaveformPeaks {
  const opened = openSound(sound);
  return analyse(opened, meterPeaks(opened.frames));
}

/**
 * Silent stretches, as analyze_audio finds them, not rounded: the threshold comes from the sound itself.
 * @throws EarshotError as `measureLoudness`; bad_request for an option out of range
 */
export function detectSilence(sound: HeldSound, { minSeconds }: SilenceOptions = {}): Silences {
  if (minSeconds !== undefined && !(minSeconds > 0)) throw badValue('minSeconds', 'seconds above 0', minSeconds);
  const opened = openSound(sound);
  const { envelope, hopSeconds } = analyse(opened, meterLevels());
  return findSilences(envelope, hopSeconds, opened.frames / opened.format.sampleRate, minSeconds);
}

/**
 * One gain, then the tools' look-ahead limiter of true peaks. The result is as long as the sound; what is under the
 * ceiling is the input times the gain, as adjust_loudness writes it with `gain_db`.
 * @throws EarshotError as `measureLoudness`; bad_request for an option out of range
 */
export function limit(sound: HeldSound, options: LimitSoundOptions = {}): LimitedSound {
  const opened = openSound(sound);
  const stage = limiting(limitOptions(options));
  const gathered = gather(opened.frames);
  const maxReductionDb = passThrough(opened, [stage], gathered.emit, stage.maxReductionDb);
  return { samples: gathered.take(), sampleRate: opened.format.sampleRate, maxReductionDb };
}

/** @throws EarshotError bad_request */
export function limitOptions({ ceilingDbtp = -1, gainDb = 0 }: LimitSoundOptions): Required<LimitSoundOptions> {
  if (!(ceilingDbtp >= -80 && ceilingDbtp <= 20)) throw badValue('ceilingDbtp', 'dBTP between -80 and 20', ceilingDbtp);
  if (!(gainDb >= -120 && gainDb <= 120)) throw badValue('gainDb', 'dB between -120 and 120', gainDb);
  return { ceilingDbtp, gainDb };
}
