// Writes a source that can be read repeatedly to a file at a loudness, for every tool that makes its sound first and
// sets its level then.
import { targetCeilingDbtp } from '../contract/loudness-target.ts';
import type { StartPass } from '../core/progress/passes.ts';
import type { Warning } from '../core/progress/progress.ts';
import { amplify, limit } from '../dsp/loudness/limit.ts';
import { type LoudnessReading, meterLoudness } from '../dsp/loudness/loudness-meter.ts';
import { type Dips, meterReductions, rideDips, softened } from '../dsp/loudness/reductions.ts';
import {
  deepLimitingDb,
  type GainSetting,
  type LevelAndPeak,
  loudnessToleranceDb,
  lossyHeadroomDb,
  type Reached,
  reachLoudness,
} from '../dsp/loudness/reach-loudness.ts';
import { channelsReduced } from '../media/formats.ts';
import { openAudio } from '../media/read/decode.ts';
import { type BlockSource, discard, drive, type PassOptions, type Receiver } from '../media/read/drive.ts';
import { mixedDown } from '../media/read/mixed-down.ts';
import type { MediaFacts } from '../media/facts.ts';
import { type EncodedAgain, openPlannedOutput, type OutputPlan, plannedLevelDb } from '../media/write/output.ts';
import { stateLoudness } from '../media/wave/bext.ts';
import type { Threads } from '../media/write/segments/on-threads.ts';
import { NoJointError } from '../media/write/segments/patched.ts';
import type { AudioFormat } from '../pcm/block.ts';
import type { Stage } from '../pcm/stage.ts';

export type OpenedSource = BlockSource & { close(): void };

/** The parts of a run that are needed to write its output; a RunContext fits. */
export interface WriteContext extends Threads {
  readonly workDir: string;
  warn(warning: Warning): void;
}

export interface PlannedFile {
  /** Of the recording whose tags, cover and picture are kept. */
  readonly facts: MediaFacts;
  readonly plan: OutputPlan;
  /** false while the samples are the recording's own: no dither then. A gain other than 0 counts as processing. */
  readonly processed: boolean;
  /** Further files of which sound is in it. Default: none. */
  readonly besides?: readonly MediaFacts[];
  /** Of the file that is written, without extension. Default "output". */
  readonly name?: string;
  /** See `OutputOptions`. */
  readonly again?: EncodedAgain | undefined;
}

export interface LoudnessTask extends PlannedFile {
  /** Called once per reading; the source is closed after it. */
  open(): OpenedSource;
  /** Measurement of the source; integratedLufs is not null. */
  readonly read: LoudnessReading;
  readonly targetLufs: number;
  readonly pass: StartPass;
}

export interface AtLoudness {
  readonly path: string;
  readonly setting: GainSetting;
  /** Of the finished file, opened again. */
  readonly facts: MediaFacts;
  /** Of the finished file, decoded again. */
  readonly loudness: LoudnessReading;
}

/** No gain, no limiter. */
export const untouched: GainSetting = { gainDb: 0, ceilingDbtp: targetCeilingDbtp, limited: false };

const levelAndPeak = (loudness: LoudnessReading): LevelAndPeak => ({
  level: loudness.integratedLufs,
  truePeakDbtp: loudness.truePeakDbtp,
});

/** One gain, and the true-peak limiter if the setting has one. */
export const gainStages = ({ gainDb, ceilingDbtp, limited, dips = [] }: GainSetting, file = 0): Stage[] => [
  ...(limited ? [limit({ gainDb, ceilingDbtp })] : gainDb === 0 ? [] : [amplify(gainDb)]),
  ...(dips[file] ? [rideDips(dips[file])] : []),
];

/** The passes after one that analyses the sound: the gain is fitted a few times where peaks are limited. */
export const toWrite = [
  ['encoding', 'checking'],
  ['fitting', 'fitting'],
] as const;
/** The passes after one that fits the gain. */
export const fitted = [['encoding', 'checking'], ['fitting']] as const;

/** Reads a source through `stages` and measures the result; closes the source. */
export async function measureLoudness(
  source: OpenedSource,
  stages: readonly Stage[],
  options: PassOptions,
): Promise<LoudnessReading> {
  const meter = meterLoudness();
  try {
    await drive(source, [...stages, meter], discard, options);
    return meter.result();
  } finally {
    source.close();
  }
}

/** What a limiter would take from each of some files just written. */
export async function reductionsOf(
  files: readonly { readonly facts: MediaFacts }[],
  ceilingDbtp: number,
  { signal, pass }: { readonly signal: AbortSignal; readonly pass: StartPass },
): Promise<Dips[]> {
  const onProgress = pass('checking', ...fitted);
  const found: Dips[] = [];
  for (const [index, { facts }] of files.entries()) {
    const source = openAudio(facts);
    const meter = meterReductions(ceilingDbtp);
    try {
      const told = (fraction: number): void => onProgress((index + fraction) / files.length);
      await drive(source, [meter], discard, { signal, onProgress: told });
      found.push(meter.result());
    } finally {
      source.close();
    }
  }
  return found;
}

/** Writes what `produce` makes as the planned output. */
export async function writeProduced(
  { workDir, warn, fanOut, signal }: WriteContext,
  { facts, plan, processed, besides = [], name = 'output', again }: PlannedFile,
  format: AudioFormat,
  produce: (to: Receiver) => Promise<void>,
): Promise<MediaFacts> {
  const { sink } = openPlannedOutput(workDir, facts, plan, format, {
    processed,
    besides,
    name,
    again,
    threads: { fanOut, signal },
  });
  try {
    await produce(sink);
    await sink.finish();
    for (const warning of sink.warnings) warn(warning);
    return sink.written();
  } finally {
    sink.close();
  }
}

/** Writes a source with one gain (after the stages `before`) as the planned output; closes the source. */
export async function writeWithGain(
  context: WriteContext,
  source: OpenedSource,
  setting: GainSetting,
  { before = [], ...file }: PlannedFile & { readonly before?: readonly Stage[] },
  onProgress: PassOptions['onProgress'],
): Promise<MediaFacts> {
  try {
    const processed = file.processed || setting.limited || setting.gainDb !== 0 || setting.dips !== undefined;
    return await writeProduced(context, { ...file, processed }, source.format, async (to) => {
      await drive(source, [...before, ...gainStages(setting)], to, { signal: context.signal, onProgress });
    });
  } finally {
    source.close();
  }
}

/** For the first encode of those that `reachLoudness` asks for. */
export const mayBeAgain: EncodedAgain = { since: null };

/** For `rewrite` of `reachLoudness`. @returns null: the codec has no joints there */
export async function writeChanged<Written>(
  path: string,
  softer: Dips | undefined,
  write: (again: EncodedAgain) => Promise<Written>,
): Promise<Written | null> {
  try {
    return await write({ since: { path, changed: softened(softer ?? new Map()) } });
  } catch (error) {
    if (error instanceof NoJointError) return null;
    throw error;
  }
}

/** Writes with `setting` and measures the file. */
export async function writeAndMeasure(
  context: WriteContext,
  { open, pass, ...file }: Omit<LoudnessTask, 'read' | 'targetLufs'>,
  setting: GainSetting,
): Promise<AtLoudness> {
  const written = await writeWithGain(context, open(), setting, file, pass('encoding', ['checking']));
  const loudness = await measureLoudness(openAudio(written), [], {
    signal: context.signal,
    onProgress: pass('checking'),
  });
  return { path: written.path, setting, facts: written, loudness };
}

/**
 * Finds the one gain, with a true-peak limiter if needed, that brings the encoded file to the target, writes it, and
 * warns where a limit was not met.
 */
export async function writeAtLoudness(context: WriteContext, task: LoudnessTask): Promise<AtLoudness> {
  const { targetLufs, plan, pass } = task;
  const { open, read } = await asWritten(context, task);
  const write = async (
    tried: GainSetting,
    encodes: number,
    again = mayBeAgain,
  ): Promise<LevelAndPeak & { readonly written: AtLoudness }> => {
    const written = await writeAndMeasure(context, { ...task, open, name: `output-${encodes}`, again }, tried);
    return { ...levelAndPeak(written.loudness), written };
  };
  const reached = await reachLoudness({
    input: levelAndPeak(read),
    level: targetLufs,
    ceilingDbtp: targetCeilingDbtp,
    headroomDb: plan.lossless ? 0 : lossyHeadroomDb,
    encoderDb: plannedLevelDb(task.facts, plan, task.facts.audio?.channels ?? 0),
    tryOut: async (tried) =>
      levelAndPeak(
        await measureLoudness(open(), gainStages(tried), {
          signal: context.signal,
          onProgress: pass('fitting', ...fitted),
        }),
      ),
    write,
    rewrite: (tried, encodes, { written: { written }, softer }) =>
      writeChanged(written.path, softer[0], (again) => write(tried, encodes, again)),
    reductions: ({ written }, ceilingDbtp) => reductionsOf([written], ceilingDbtp, { signal: context.signal, pass }),
  });
  const { setting, output } = reached;
  warnOfMisses(context.warn, { level: targetLufs, lossless: plan.lossless }, reached);
  stateLoudness(output.written.path, output.written.loudness);
  return { ...output.written, setting };
}

/** With the channels of the file: gain and limiter are for what is heard. */
async function asWritten(
  context: WriteContext,
  { open, read, plan: { limits }, pass }: LoudnessTask,
): Promise<Pick<LoudnessTask, 'open' | 'read'>> {
  const source = open();
  const { channels } = source.format;
  if (channels <= limits.maxChannels) {
    source.close();
    return { open, read };
  }
  context.warn(channelsReduced(limits, channels));
  const onProgress = pass('fitting', ...toWrite);
  const mixed = await measureLoudness(mixedDown(source, limits.maxChannels, context.warn), [], {
    signal: context.signal,
    onProgress,
  });
  return {
    open: () => mixedDown(open(), limits.maxChannels, context.warn),
    read: mixed.integratedLufs === null ? read : mixed,
  };
}

/** What was asked for, beside what came of it. */
export interface Asked {
  readonly level: number;
  readonly ceilingDbtp?: number;
  readonly unit?: string;
  readonly lossless: boolean;
}

/** Warns where the target or a limit was not met, or was met by hard limiting. */
export function warnOfMisses(
  warn: WriteContext['warn'],
  { level: wanted, ceilingDbtp = targetCeilingDbtp, unit = 'LUFS', lossless }: Asked,
  { output, deepDb = 0, losslessLevel = null }: Reached<LevelAndPeak>,
): void {
  const level = output.level ?? Number.NEGATIVE_INFINITY;
  if (Math.abs(level - wanted) > loudnessToleranceDb) {
    const best = losslessLevel === null ? level : Math.max(level, losslessLevel);
    const way =
      best >= wanted - loudnessToleranceDb
        ? 'the encoder raises peaks, which have to be lowered for it; WAV or FLAC reach it'
        : `more gain would only distort its peaks; no format comes nearer than ${best.toFixed(1)}: choose a lower ` +
          'target';
    warn({
      code: 'target_not_reached',
      message: `The output has ${level.toFixed(1)} ${unit} instead of ${wanted.toFixed(1)}: ${way}`,
    });
  } else if (deepDb > deepLimitingDb) {
    warn({
      code: 'deep_limiting',
      message:
        `The highest peaks lie ${deepDb.toFixed(0)} dB over the limit at this level and are lowered by as much, ` +
        'which may be heard as distortion: choose a lower target',
    });
  }
  warnOfPeak(warn, output.truePeakDbtp, ceilingDbtp, lossless);
}

/** Warns of a true peak above the ceiling; an encoder with losses may have raised it. */
export function warnOfPeak(
  warn: WriteContext['warn'],
  truePeakDbtp: number,
  ceilingDbtp: number,
  lossless: boolean,
): void {
  if (truePeakDbtp <= ceilingDbtp + 0.05) return;
  const peak = `${truePeakDbtp.toFixed(1)} dBTP, above the limit of ${ceilingDbtp}`;
  warn({
    code: 'peak_over_ceiling',
    message: lossless
      ? `The output has a true peak of ${peak}; choose a lower target`
      : `The encoder raised the true peak to ${peak}; write WAV or FLAC, or choose a higher bit rate`,
  });
}
