import { unmeasured } from '../../dsp/loudness/unmeasured.ts';
import { acxLimits, checkAcx } from '../../dsp/loudness/acx.ts';
import { roundedDb } from '../../core/levels.ts';
import {
  type GainSetting,
  type LevelAndPeak,
  lossyHeadroomDb,
  type Reached,
  reachLoudness,
} from '../../dsp/loudness/reach-loudness.ts';
import { amplify } from '../../dsp/loudness/limit.ts';
import {
  fitted,
  gainStages,
  mayBeAgain,
  measureLoudness,
  reductionsOf,
  toWrite,
  warnOfMisses,
  warnOfPeak,
  writeChanged,
  writeWithGain,
} from '../../edit/at-loudness.ts';
import type { Stage } from '../../pcm/stage.ts';
import { removeOffset } from '../../dsp/spectrum/offset.ts';
import { channelsReduced } from '../../media/formats.ts';
import { openAudio } from '../../media/read/decode.ts';
import type { PassOptions } from '../../media/read/drive.ts';
import { probe } from '../../media/read/probe.ts';
import { processedLength } from '../../media/read/recording-length.ts';
import { stateLoudness } from '../../media/wave/bext.ts';
import {
  type EncodedAgain,
  type OutputPlan,
  plannedFile,
  plannedLevelDb,
  planOutput,
} from '../../media/write/output.ts';
import type { RunResult } from '../declare/run.ts';
import { measure, measureWithoutOffset, type Measurement } from './measure.ts';
import { type LoudnessTarget, targetOf } from './target.ts';
import type { AdjustLoudnessContext } from './options.ts';
import type { AdjustedLoudness, AdjustLoudnessResult } from './result.ts';

/** The absolute gate of BS.1770 and the length of its blocks. */
const gateLufs = -70;
const gateSeconds = 0.4;
/** Largest gain: a signal that needs more (the last bit of 24, float residue of a filter in silence) is silence. */
const mostRaisedDb = 100;

interface Written extends LevelAndPeak {
  readonly measurement: Measurement;
}

const peakAndLevel = ({ level, loudness }: Measurement): LevelAndPeak => ({
  level,
  truePeakDbtp: loudness.truePeakDbtp,
});

/**
 * Gain that brings the level to the target without limiting; for audiobooks less, if that keeps the noise floor within
 * its limit.
 */
function wantedGain(target: LoudnessTarget, input: Measurement): number {
  const gain = target.level - (input.level ?? target.level);
  const floor = input.levels?.noiseFloorDbfs;
  if (target.measure !== 'rms' || floor === undefined || floor + gain <= acxLimits.maxNoiseFloorDbfs) return gain;
  const quietest = acxLimits.minRmsDbfs + 0.5 - (input.level ?? 0);
  const quietEnough = acxLimits.maxNoiseFloorDbfs - 0.5 - floor;
  // If even the quietest allowed setting is too noisy, lowering the voice does not help.
  return quietEnough >= quietest ? Math.min(gain, quietEnough) : gain;
}

/** All sound is below the meter's absolute gate, but there is enough of it to measure. */
const isVeryWeak = ({ loudness, durationSeconds }: Measurement): boolean =>
  loudness.integratedLufs === null && loudness.samplePeakDbfs >= -mostRaisedDb && durationSeconds >= gateSeconds;

/** Drops a level that only amplified silence would reach. */
const levelWorthRaising = (target: LoudnessTarget, input: Measurement): Measurement =>
  input.level !== null && target.level - input.level > mostRaisedDb ? { ...input, level: null } : input;

/** The level that sound below the absolute gate would have without the gate: measured after raising it. */
async function measureWeak(target: LoudnessTarget, read: Measurement, options: PassOptions): Promise<Measurement> {
  const raisedDb = -read.loudness.samplePeakDbfs;
  const { level } = await measure(read.facts, target, [amplify(raisedDb)], { ...options, offsets: read.offsets });
  return { ...read, level: level === null ? null : level - raisedDb };
}

/** What a setting makes of the part that was kept. */
function levelOfSample(
  { sample }: Measurement,
  signal: AbortSignal,
): ((setting: GainSetting) => Promise<number | null>) | undefined {
  if (sample === null) return undefined;
  return async (setting) => {
    const { integratedLufs } = await measureLoudness(sample(), gainStages({ ...setting, dips: [] }), {
      signal,
      onProgress: () => undefined,
    });
    return integratedLufs;
  };
}

type Fading = Pick<typeof import('./fades.ts'), 'fadesOf' | 'fadeResult'>;

/** Loaded where a fade is asked for. */
const fadingOf = async ({ options }: AdjustLoudnessContext): Promise<Fading> =>
  options.fade_in_seconds === undefined && options.fade_out_seconds === undefined
    ? { fadesOf: () => [], fadeResult: () => ({}) }
    : import('./fades.ts');

/** What of `writeWithGain` comes before the gain. */
const before = (
  offsets: readonly number[],
  fades: readonly Stage[],
): Pick<Parameters<typeof writeWithGain>[3], 'processed' | 'before'> => ({
  processed: offsets.length > 0 || fades.length > 0,
  before: [...(offsets.length === 0 ? [] : [removeOffset(offsets)]), ...fades],
});

function warnOfOffset(context: AdjustLoudnessContext, { offsets }: Measurement): void {
  if (offsets.length === 0) return;
  const most = Math.max(...offsets.map(Math.abs)).toFixed(3);
  context.warn({
    code: 'offset_removed',
    message:
      `The sound lay ${most} of full scale off its zero line, which takes the room of its peaks: it was put back ` +
      'on it',
  });
}

export async function run(context: AdjustLoudnessContext): Promise<RunResult<AdjustLoudnessResult>> {
  const { pass } = context;
  const { path, name } = context.inputs.file_id;
  const facts = probe(path);
  const fading = await fadingOf(context);
  const target = targetOf(context.options);
  const read = await measureWithoutOffset(facts, target, {
    sampled: target.measure === 'lufs',
    signal: context.signal,
    onProgress: pass('measuring', ...toWrite),
  });

  const veryWeak = isVeryWeak(read);
  const found =
    read.level === null && veryWeak
      ? await measureWeak(target, read, { signal: context.signal, onProgress: pass('measuring', ...toWrite) })
      : read;
  const input = levelWorthRaising(target, found);
  const plan = planOutput(facts, context.options.output_format);
  for (const warning of [...input.warnings, ...plan.warnings]) context.warn(warning);

  warnOfOffset(context, read);
  const silent = input.level === null;
  const heard = silent ? { input } : await faded(context, target, await mixDown(context, target, plan, input), fading);
  const wantedLevel = silent ? 0 : (heard.input.level ?? 0) + wantedGain(target, heard.input);
  const write = writerOf(context, target, plan, heard, fading.fadesOf(context, input));
  const untouched: GainSetting = { gainDb: 0, ceilingDbtp: target.ceilingDbtp, limited: false };
  const { gain_db: given } = context.options;
  const asGiven = given === undefined ? untouched : { ...untouched, gainDb: given };
  const reached =
    silent || given !== undefined
      ? { setting: asGiven, output: await write(asGiven, 1) }
      : await reachLoudness({
          input: peakAndLevel(heard.input),
          level: wantedLevel,
          ceilingDbtp: target.ceilingDbtp,
          headroomDb: plan.lossless ? 0 : lossyHeadroomDb,
          encoderDb: plannedLevelDb(facts, plan, heard.channels ?? facts.audio?.channels ?? 0),
          sampled: levelOfSample(heard.input, context.signal),
          tryOut: async (tried) =>
            peakAndLevel(
              await measure(facts, target, [...fading.fadesOf(context, input), ...gainStages(tried)], {
                channels: heard.channels,
                offsets: heard.input.offsets,
                signal: context.signal,
                onProgress: pass('fitting', ...fitted),
              }),
            ),
          write,
          rewrite: (tried, encodes, { written, softer }) =>
            writeChanged(written.measurement.facts.path, softer[0], (again) => write(tried, encodes, again)),
          reductions: ({ measurement }, ceilingDbtp) => reductionsOf([measurement], ceilingDbtp, context),
        });
  const { setting } = reached;
  const output = reached.output.measurement;
  stateLoudness(output.facts.path, output.loudness);

  if (veryWeak && !silent)
    context.warn({
      code: 'very_weak',
      message:
        `The recording is far below ${gateLufs} LUFS, where loudness is not defined. It was raised by ` +
        `${setting.gainDb.toFixed(1)} dB anyway; the result may be only noise`,
    });
  // A gain is given to what is too short to be measured, too; silence alone stays as it is.
  const unchanged = silent && input.loudness.samplePeakDbfs === Number.NEGATIVE_INFINITY;
  if (given === undefined || unchanged) report(context, target, silent ? null : wantedLevel, reached, plan.lossless);
  // Without a limiter: over full scale other formats would clip.
  else warnOfPeak(context.warn, output.loudness.truePeakDbtp, 0, plan.lossless);
  const result: AdjustLoudnessResult = {
    target: context.options.target,
    targetLufs: given === undefined && target.measure === 'lufs' ? target.level : null,
    targetRmsDbfs: given === undefined && target.measure === 'rms' ? target.level : null,
    gainDb: roundedDb(setting.gainDb),
    ...fading.fadeResult(context.options),
    limited: setting.limited,
    input: describe(input),
    output: describe(output),
    ...acxOf(output),
  };
  return {
    outputs: [plannedFile(plan, output.facts.path, name, input.durationSeconds, output.facts)],
    result,
    processedSeconds: await processedLength(plan, facts, input.durationSeconds, context.signal),
  };
}

type Write = (setting: GainSetting, encodes: number, again?: EncodedAgain) => Promise<Written>;

/** Writes the recording with a setting, and measures the file. */
function writerOf(
  context: AdjustLoudnessContext,
  target: LoudnessTarget,
  plan: OutputPlan,
  { input: { facts, offsets }, channels }: Heard,
  fades: readonly Stage[],
): Write {
  const { pass, signal } = context;
  return async (setting, encodes, again = mayBeAgain) => {
    const source = openAudio(facts, channels === undefined ? {} : { channels });
    const file = { facts, plan, name: `output-${encodes}`, again, ...before(offsets, fades) };
    const written = await writeWithGain(context, source, setting, file, pass('encoding', ['checking']));
    const measurement = await measure(written, target, [], { signal, onProgress: pass('checking') });
    return { ...peakAndLevel(measurement), measurement };
  };
}

/** The input with its fades, where a target is to be reached with them. */
async function faded(
  context: AdjustLoudnessContext,
  target: LoudnessTarget,
  heard: Heard,
  fading: Fading,
): Promise<Heard> {
  const { input, channels } = heard;
  const fades = fading.fadesOf(context, input);
  if (fades.length === 0 || context.options.gain_db !== undefined) return heard;
  const measured = await measure(input.facts, target, fades, {
    channels,
    offsets: input.offsets,
    sampled: target.measure === 'lufs',
    signal: context.signal,
    onProgress: context.pass('measuring', ...toWrite),
  });
  return measured.level === null ? heard : { ...heard, input: measured };
}

const acxOf = ({ levels }: Measurement): Pick<AdjustLoudnessResult, 'acx'> =>
  levels
    ? {
        acx: checkAcx({
          rmsDbfs: levels.rmsDbfs,
          peakDbfs: levels.samplePeakDbfs,
          noiseFloorDbfs: levels.noiseFloorDbfs,
        }),
      }
    : {};

interface Heard {
  readonly input: Measurement;
  readonly channels?: number;
}

/** The input as the output's format carries it: gain and limiter are for what is heard. */
async function mixDown(
  context: AdjustLoudnessContext,
  target: LoudnessTarget,
  { limits }: OutputPlan,
  input: Measurement,
): Promise<Heard> {
  const channels = input.facts.audio?.channels ?? 0;
  if (channels <= limits.maxChannels) return { input };
  context.warn(channelsReduced(limits, channels));
  const mixed = await measureWithoutOffset(input.facts, target, {
    channels: limits.maxChannels,
    sampled: target.measure === 'lufs',
    signal: context.signal,
    onProgress: context.pass('measuring', ...toWrite),
  });
  return { input: mixed.level === null ? input : mixed, channels: limits.maxChannels };
}

function describe(reading: Measurement): AdjustedLoudness {
  return {
    integratedLufs: roundedDb(reading.loudness.integratedLufs),
    loudnessRangeLu: roundedDb(reading.loudness.loudnessRangeLu),
    truePeakDbtp: roundedDb(reading.loudness.truePeakDbtp),
    ...(reading.levels
      ? { rmsDbfs: roundedDb(reading.levels.rmsDbfs), noiseFloorDbfs: roundedDb(reading.levels.noiseFloorDbfs) }
      : {}),
  };
}

/** Warns where the target or a limit was not met. @param wantedLevel null for silence */
function report(
  context: AdjustLoudnessContext,
  target: LoudnessTarget,
  wantedLevel: number | null,
  reached: Reached<Written>,
  lossless: boolean,
): void {
  const output = reached.output.measurement;
  if (wantedLevel === null) {
    context.warn(unmeasured('The recording', output.facts.durationSeconds, 'the sound is unchanged'));
    return;
  }
  const unit = target.measure === 'lufs' ? 'LUFS' : 'dB RMS';
  warnOfMisses(context.warn, { level: wantedLevel, ceilingDbtp: target.ceilingDbtp, unit, lossless }, reached);
  if (output.levels && output.levels.noiseFloorDbfs > acxLimits.maxNoiseFloorDbfs) {
    context.warn({
      code: 'noise_floor',
      message:
        `The noise floor is ${output.levels.noiseFloorDbfs.toFixed(1)} dB and ACX allows at most ` +
        `${acxLimits.maxNoiseFloorDbfs}: run remove_noise first`,
    });
  }
}
