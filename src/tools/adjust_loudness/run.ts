import { setImmediate as turn } from 'node:timers/promises';
import { throwIfAborted } from '../../core/abort.ts';
import { acxLimits, checkAcx } from '../../core/acx.ts';
import type { JsonObject } from '../../core/json.ts';
import { roundedDb } from '../../core/levels.ts';
import { amplify, limit } from '../../dsp/limit.ts';
import { openAudio } from '../../media/decode.ts';
import { openPlannedOutput, outputName, type OutputPlan, planOutput } from '../../media/output.ts';
import { compose } from '../../pcm/compose.ts';
import type { Stage } from '../../pcm/stage.ts';
import type { RunContext, RunResult } from '../define.ts';
import { measure, type Measurement } from './measure.ts';
import { type LoudnessTarget, targetOf } from './target.ts';
import type { AdjustLoudnessOptions } from './tool.ts';

/** The promise: output within this of the target, measured after encoding. */
const toleranceDb = 0.1;
/** Aim closer than the promise, so that the encoder may take its part. */
const aimDb = 0.03;
/** More limiting than this is heard as distortion; the loudness then stays under the target, and a warning says so. */
const deepestLimitingDb = 15;
/** Lossy codecs overshoot the peaks they are given by a few tenths of a dB at usual rates. */
const lossyHeadroomDb = 0.4;
const mostSettlingPasses = 5;
const mostEncodes = 3;

interface Setting {
  readonly gainDb: number;
  readonly ceilingDbtp: number;
  readonly limited: boolean;
}

const stagesFor = (setting: Setting): Stage[] =>
  setting.limited ? [limit({ gainDb: setting.gainDb, ceilingDbtp: setting.ceilingDbtp })] : setting.gainDb === 0 ? [] : [amplify(setting.gainDb)];

/** Progress of several passes over the same file as one number: each pass takes half of what the ones before left. */
function passes(context: RunContext<AdjustLoudnessOptions>): (stage: string, share: number) => (fraction: number) => void {
  let done = 0;
  return (stage, share) => {
    const from = done;
    const span = (1 - done) * share;
    done += span;
    return (fraction) => context.progress(from + span * fraction, stage);
  };
}

/** Gain that brings the level to the target without limiting; for audiobooks less, where that keeps the noise floor in its limit. */
function wantedGain(target: LoudnessTarget, input: Measurement): number {
  const gain = target.level - (input.level ?? target.level);
  const floor = input.levels?.noiseFloorDbfs;
  if (target.measure !== 'rms' || floor === undefined || floor + gain <= acxLimits.maxNoiseFloorDbfs) return gain;
  const quietest = acxLimits.minRmsDbfs + 0.5 - (input.level ?? 0);
  const quietEnough = acxLimits.maxNoiseFloorDbfs - 0.5 - floor;
  // Where even the quietest setting is too noisy, lowering the voice would help nothing.
  return quietEnough >= quietest ? Math.min(gain, quietEnough) : gain;
}

/** Finds the gain with which the limited signal has the wanted level: limiting takes loudness away, which a little more gain gives back. */
async function settle(context: RunContext<AdjustLoudnessOptions>, path: string, target: LoudnessTarget, input: Measurement, wantedLevel: number, setting: Setting, pass: ReturnType<typeof passes>): Promise<Setting> {
  if (!setting.limited) return setting;
  const highest = wantedLevel - (input.level ?? 0) + deepestLimitingDb;
  let current = setting;
  // Secant steps from the unlimited input on, where a decibel of gain is a decibel of level; in the limiter it is less.
  let before = { gainDb: 0, level: input.level ?? 0 };
  for (let count = 0; count < mostSettlingPasses; count += 1) {
    const reading = await measure(path, target, stagesFor(current), { signal: context.signal, onProgress: pass('measuring', 0.3) });
    const level = reading.level ?? wantedLevel;
    const missing = wantedLevel - level;
    if (Math.abs(missing) <= aimDb) break;
    const moved = current.gainDb - before.gainDb;
    const slope = Math.abs(moved) < 0.01 ? 1 : Math.min(1, Math.max(0.15, (level - before.level) / moved));
    before = { gainDb: current.gainDb, level };
    const next = Math.min(highest, current.gainDb + missing / slope);
    if (next === current.gainDb) break;
    current = { ...current, gainDb: next };
  }
  return current;
}

async function encode(context: RunContext<AdjustLoudnessOptions>, path: string, plan: OutputPlan, setting: Setting, onProgress: (fraction: number) => void): Promise<string> {
  const source = openAudio(path);
  const pipeline = compose(stagesFor(setting), source.format);
  try {
    const processed = setting.limited || setting.gainDb !== 0;
    const { path: outputPath, sink } = openPlannedOutput(context.workDir, source.facts, plan, pipeline.format, { processed });
    try {
      let frames = 0;
      for (let block = source.next(); block; block = source.next()) {
        frames += block.frames;
        pipeline.process(block, sink.write);
        onProgress(source.expectedFrames ? Math.min(1, frames / source.expectedFrames) : 0);
        await turn();
        throwIfAborted(context.signal);
      }
      pipeline.flush(sink.write);
      sink.finish();
      for (const warning of sink.warnings) context.warn(warning);
      return outputPath;
    } finally {
      sink.close();
    }
  } finally {
    pipeline.close();
    source.close();
  }
}

export async function run(context: RunContext<AdjustLoudnessOptions>): Promise<RunResult> {
  const path = context.inputs['file_id']?.[0] ?? '';
  const target = targetOf(context.options);
  const pass = passes(context);
  const input = await measure(path, target, [], { signal: context.signal, onProgress: pass('measuring', 0.25) });
  const plan = planOutput(input.facts, context.options.output_format);
  for (const warning of [...input.warnings, ...plan.warnings]) context.warn(warning);

  const headroom = plan.lossless ? 0 : lossyHeadroomDb;
  const silent = input.level === null;
  const gainDb = silent ? 0 : wantedGain(target, input);
  const wantedLevel = (input.level ?? 0) + gainDb;
  const limited = !silent && input.loudness.truePeakDbtp + gainDb > target.ceilingDbtp - headroom;
  let setting = await settle(context, path, target, input, wantedLevel, { gainDb, limited, ceilingDbtp: target.ceilingDbtp - headroom }, pass);

  let outputPath = '';
  let output: Measurement = input;
  for (let count = 0; count < mostEncodes; count += 1) {
    outputPath = await encode(context, path, plan, setting, pass('encoding', 0.7));
    output = await measure(outputPath, target, [], { signal: context.signal, onProgress: pass('checking', 0.5) });
    if (silent || output.level === null) break;
    const missing = wantedLevel - output.level;
    const over = output.loudness.truePeakDbtp - target.ceilingDbtp;
    const reached = Math.abs(missing) <= toleranceDb || setting.gainDb >= wantedLevel - (input.level ?? 0) + deepestLimitingDb - 0.01;
    if (reached && over <= 0) break;
    setting = {
      limited: setting.limited || over > 0,
      ceilingDbtp: over > 0 ? setting.ceilingDbtp - over - 0.1 : setting.ceilingDbtp,
      gainDb: reached ? setting.gainDb : setting.gainDb + missing * 1.1,
    };
  }

  report(context, target, wantedLevel, silent, output);
  const result: JsonObject = {
    target: context.options.target,
    targetLufs: target.measure === 'lufs' ? target.level : null,
    targetRmsDbfs: target.measure === 'rms' ? target.level : null,
    gainDb: roundedDb(setting.gainDb),
    limited: setting.limited,
    input: describe(input),
    output: describe(output),
    ...(output.levels ? { acx: checkAcx({ rmsDbfs: output.levels.rmsDbfs, peakDbfs: output.levels.samplePeakDbfs, noiseFloorDbfs: output.levels.noiseFloorDbfs }) } : {}),
  };
  return {
    outputs: [{ path: outputPath, filename: outputName(path, plan.format), contentType: plan.contentType, format: plan.format, durationSeconds: input.durationSeconds }],
    result,
    processedSeconds: input.durationSeconds,
  };
}

function describe(reading: Measurement): JsonObject {
  return {
    integratedLufs: roundedDb(reading.loudness.integratedLufs),
    loudnessRangeLu: roundedDb(reading.loudness.loudnessRangeLu),
    truePeakDbtp: roundedDb(reading.loudness.truePeakDbtp),
    ...(reading.levels ? { rmsDbfs: roundedDb(reading.levels.rmsDbfs), noiseFloorDbfs: roundedDb(reading.levels.noiseFloorDbfs) } : {}),
  };
}

/** Says plainly where the promise could not be kept. */
function report(context: RunContext<AdjustLoudnessOptions>, target: LoudnessTarget, wantedLevel: number, silent: boolean, output: Measurement): void {
  const unit = target.measure === 'lufs' ? 'LUFS' : 'dB RMS';
  if (silent) {
    context.warn({ code: 'silent', message: 'The recording is silent or shorter than 0.4 s: there is no loudness to set, so the sound was left as it is' });
    return;
  }
  const level = output.level ?? Number.NEGATIVE_INFINITY;
  if (Math.abs(level - wantedLevel) > toleranceDb) {
    context.warn({
      code: 'target_not_reached',
      message: `The output has ${level.toFixed(1)} ${unit} instead of ${wantedLevel.toFixed(1)}: more gain would push its peaks more than ${deepestLimitingDb} dB into the limiter and distort them`,
    });
  }
  if (output.loudness.truePeakDbtp > target.ceilingDbtp + 0.05) {
    context.warn({ code: 'peak_over_ceiling', message: `The encoder raised the true peak to ${output.loudness.truePeakDbtp.toFixed(1)} dBTP, over the limit of ${target.ceilingDbtp}; write WAV or FLAC, or choose a higher bit rate` });
  }
  if (output.levels && output.levels.noiseFloorDbfs > acxLimits.maxNoiseFloorDbfs) {
    context.warn({
      code: 'noise_floor',
      message: `The noise floor is ${output.levels.noiseFloorDbfs.toFixed(1)} dB and ACX allows at most ${acxLimits.maxNoiseFloorDbfs}: run remove_noise first`,
    });
  }
}
