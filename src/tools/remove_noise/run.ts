import { join } from 'node:path';
import type { JsonObject } from '../../core/json.ts';
import { roundedDb } from '../../core/levels.ts';
import { targetCeilingDbtp, targetLufsOf } from '../../core/loudness-target.ts';
import { chooseNoiseEngine } from '../../dsp/denoise/engines.ts';
import { amplify, limit } from '../../dsp/limit.ts';
import { type LoudnessReading, meterLoudness } from '../../dsp/loudness-meter.ts';
import { deepestLimitingDb, type GainSetting, type LevelAndPeak, loudnessToleranceDb, lossyHeadroomDb, reachLoudness } from '../../dsp/reach-loudness.ts';
import { openAudio } from '../../media/decode.ts';
import { type BlockSource, drive, passesOf, type PassOptions } from '../../media/drive.ts';
import { openPlannedOutput, outputName, type OutputPlan, planOutput } from '../../media/output.ts';
import { compose } from '../../pcm/compose.ts';
import { createSpool } from '../../pcm/spool.ts';
import type { Emit, Stage } from '../../pcm/stage.ts';
import type { RunContext, RunResult } from '../define.ts';
import { denoise, inspect, type Recording } from './denoise.ts';
import type { RemoveNoiseOptions } from './tool.ts';

type Context = RunContext<RemoveNoiseOptions>;
type Source = BlockSource & { close(): void };

/** A fall of loudness beyond this means that nothing but noise was there: raising what is left would bring it back. */
const onlyNoiseDb = 25;

const levelAndPeak = (loudness: LoudnessReading): LevelAndPeak => ({ level: loudness.integratedLufs, truePeakDbtp: loudness.truePeakDbtp });

const stagesFor = ({ gainDb, ceilingDbtp, limited }: GainSetting): Stage[] => (limited ? [limit({ gainDb, ceilingDbtp })] : gainDb === 0 ? [] : [amplify(gainDb)]);

/** Reads a source through `stages` and measures what comes out; closes the source. */
async function measure(source: Source, stages: readonly Stage[], options: PassOptions): Promise<LoudnessReading> {
  const meter = meterLoudness();
  try {
    const pipeline = compose([...stages, meter], source.format);
    try {
      await drive(source, (block) => pipeline.process(block, () => undefined), options);
      pipeline.flush(() => undefined);
      return meter.result();
    } finally {
      pipeline.close();
    }
  } finally {
    source.close();
  }
}

/** Writes what `produce` emits as the planned output. */
async function encode(context: Context, { facts, format }: Recording, plan: OutputPlan, processed: boolean, produce: (emit: Emit) => Promise<void>): Promise<string> {
  const { path, sink } = openPlannedOutput(context.workDir, facts, plan, format, { processed });
  try {
    await produce(sink.write);
    sink.finish();
    for (const warning of sink.warnings) context.warn(warning);
    return path;
  } finally {
    sink.close();
  }
}

interface Written {
  readonly path: string;
  readonly result: JsonObject;
}

/** Noise away, then one gain: the clean sound is set aside, so that the networks run once however often the gain is tried. */
async function withVolume(context: Context, recording: Recording, plan: OutputPlan, clean: (emit: Emit) => Promise<void>, pass: ReturnType<typeof passesOf>, inputLufs: number | null): Promise<Written> {
  const { signal } = context;
  const spool = createSpool(join(context.workDir, 'clean.f32'), recording.format);
  try {
    const meter = meterLoudness();
    const pipeline = compose([meter], recording.format);
    await clean((block) => pipeline.process(block, spool.write));
    const read = meter.result();
    const targetLufs = targetLufsOf({ target: 'podcast' });
    let path = '';
    const write = async (setting: GainSetting): Promise<LevelAndPeak & { loudness: LoudnessReading }> => {
      path = await encode(context, recording, plan, true, async (emit) => {
        const source = spool.read();
        const stages = compose(stagesFor(setting), source.format);
        try {
          await drive(source, (block) => stages.process(block, emit), { signal, onProgress: pass('encoding', 0.6) });
          stages.flush(emit);
        } finally {
          stages.close();
          source.close();
        }
      });
      const loudness = await measure(openAudio(path), [], { signal, onProgress: pass('checking', 0.5) });
      return { ...levelAndPeak(loudness), loudness };
    };
    const silent = read.integratedLufs === null;
    const onlyNoise = !silent && inputLufs !== null && inputLufs - (read.integratedLufs ?? 0) > onlyNoiseDb;
    const untouched: GainSetting = { gainDb: 0, ceilingDbtp: targetCeilingDbtp, limited: false };
    const { setting, output } = silent || onlyNoise
      ? { setting: untouched, output: await write(untouched) }
      : await reachLoudness({
        input: levelAndPeak(read),
        level: targetLufs,
        ceilingDbtp: targetCeilingDbtp,
        headroomDb: plan.lossless ? 0 : lossyHeadroomDb,
        tryOut: async (tried) => levelAndPeak(await measure(spool.read(), stagesFor(tried), { signal, onProgress: pass('measuring', 0.3) })),
        write,
      });
    if (silent) context.warn({ code: 'silent', message: 'Without its noise the recording is silent or shorter than 0.4 s: there is no loudness to set' });
    else if (onlyNoise) context.warn({ code: 'only_noise', message: `Taking the noise away left ${(read.integratedLufs ?? 0).toFixed(0)} LUFS of ${inputLufs.toFixed(0)}: no voice was found, so what is left was not made louder` });
    else report(context, targetLufs, output);
    const { integratedLufs, truePeakDbtp } = output.loudness;
    return { path, result: { gainDb: roundedDb(setting.gainDb), limited: setting.limited, output: { integratedLufs: roundedDb(integratedLufs), truePeakDbtp: roundedDb(truePeakDbtp) } } };
  } finally {
    spool.remove();
  }
}

/** Says plainly where the promise could not be kept. */
function report(context: Context, targetLufs: number, output: LevelAndPeak): void {
  const level = output.level ?? Number.NEGATIVE_INFINITY;
  if (Math.abs(level - targetLufs) > loudnessToleranceDb) {
    context.warn({ code: 'target_not_reached', message: `The output has ${level.toFixed(1)} LUFS instead of ${targetLufs.toFixed(1)}: more gain would push its peaks more than ${deepestLimitingDb} dB into the limiter and distort them` });
  }
  if (output.truePeakDbtp > targetCeilingDbtp + 0.05) {
    context.warn({ code: 'peak_over_ceiling', message: `The encoder raised the true peak to ${output.truePeakDbtp.toFixed(1)} dBTP, over the limit of ${targetCeilingDbtp}; write WAV or FLAC` });
  }
}

/**
 * First pass: how the channels belong together, how loud and how long the recording is. Second pass: the noise suppressor, see
 * dsp/denoise. With auto_volume, one gain and a true-peak limiter then bring what is left to -16 LUFS, measured after encoding.
 */
export async function run(context: Context): Promise<RunResult> {
  const { signal, options, parallelism, fanOut } = context;
  const path = context.inputs['file_id']?.[0] ?? '';
  const pass = passesOf((fraction, stage) => context.progress(fraction, stage));
  // Before anything is read: a damaged model is reported at once.
  const engine = await chooseNoiseEngine(context.modelsDir);
  const recording = await inspect(path, { signal, onProgress: pass('analysing', 0.05) });
  const plan = planOutput(recording.facts, options.output_format);
  for (const warning of [...recording.warnings, ...plan.warnings]) context.warn(warning);

  const nothingToDo = recording.groups.groups.length === 0;
  const dryShare = 1 - options.noise_reduction / 100;
  const onProgress = pass('denoising', options.auto_volume ? 0.8 : 1);
  const clean = (emit: Emit): Promise<void> => denoise(recording, emit, { engine, dryShare, parallelism, fanOut, signal, onProgress });
  const written = options.auto_volume
    ? await withVolume(context, recording, plan, clean, pass, recording.integratedLufs)
    : { path: await encode(context, recording, plan, !nothingToDo, clean), result: {} };

  const durationSeconds = recording.frames / recording.format.sampleRate;
  return {
    outputs: [{ path: written.path, filename: outputName(path, plan.format), contentType: plan.contentType, format: plan.format, durationSeconds }],
    result: {
      engine: engine.id,
      noiseReduction: options.noise_reduction,
      linkedChannels: recording.groups.groups.some((channels) => channels.length > 1),
      input: { integratedLufs: roundedDb(recording.integratedLufs) },
      ...written.result,
    },
    processedSeconds: durationSeconds,
  };
}
