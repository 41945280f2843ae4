import { join } from 'node:path';
import type { JsonObject } from '../../core/json.ts';
import { roundedDb } from '../../core/levels.ts';
import { targetCeilingDbtp, targetLufsOf } from '../../core/loudness-target.ts';
import { chooseNoiseEngine } from '../../dsp/denoise/engines.ts';
import { amplify, limit } from '../../dsp/limit.ts';
import { type LoudnessReading, meterLoudness } from '../../dsp/loudness-meter.ts';
import { deepestLimitingDb, type GainSetting, type LevelAndPeak, loudnessToleranceDb, lossyHeadroomDb, reachLoudness } from '../../dsp/reach-loudness.ts';
import { suppressionShare } from '../../dsp/voice/presence.ts';
import { openAudio } from '../../media/decode.ts';
import { type BlockSource, drive, passesOf, type PassOptions } from '../../media/drive.ts';
import { outputFormats, type OutputFormatId, videoContainers } from '../../media/formats.ts';
import { openPlannedOutput, outputName, type OutputPlan, planOutput } from '../../media/output.ts';
import type { AudioFormat } from '../../pcm/block.ts';
import { compose } from '../../pcm/compose.ts';
import { createSpool, type Spool } from '../../pcm/spool.ts';
import type { Stage } from '../../pcm/stage.ts';
import type { RunContext, RunResult } from '../define.ts';
import { enhance } from './enhance.ts';
import { inspect, prepare, type Prepared, type Recording } from './prepare.ts';
import type { EnhanceVoiceOptions } from './tool.ts';

type Context = RunContext<EnhanceVoiceOptions>;
type Source = BlockSource & { close(): void };

const levelAndPeak = (loudness: LoudnessReading): LevelAndPeak => ({ level: loudness.integratedLufs, truePeakDbtp: loudness.truePeakDbtp });

const stagesFor = ({ gainDb, ceilingDbtp, limited }: GainSetting): Stage[] => (limited ? [limit({ gainDb, ceilingDbtp })] : gainDb === 0 ? [] : [amplify(gainDb)]);

/** Reads a source through `stages` and measures what comes out; closes the source. */
async function measure(source: Source, stages: readonly Stage[], options: PassOptions): Promise<LoudnessReading> {
  const meter = meterLoudness();
  const pipeline = compose([...stages, meter], source.format);
  try {
    await drive(source, (block) => pipeline.process(block, () => undefined), options);
    pipeline.flush(() => undefined);
    return meter.result();
  } finally {
    pipeline.close();
    source.close();
  }
}

/** Rates at which a voice's restored highs have room. */
const roomyRate = 32_000;
const restoredRate = 48_000;

/**
 * Sample rate of the output: the input's, but 48 kHz where highs were restored that the input's rate cannot hold and the output's codec takes
 * that rate.
 */
export function outputRate(inputRate: number, restored: boolean, plan: Pick<OutputPlan, 'kind' | 'format'>): number {
  if (!restored || inputRate >= roomyRate) return inputRate;
  const id = plan.kind === 'audio' ? (plan.format as OutputFormatId) : Object.values(videoContainers).find(({ extension }) => extension === plan.format)?.like;
  const { sampleRates = [] } = id ? outputFormats[id] : {};
  return sampleRates.length === 0 || sampleRates.includes(restoredRate) ? restoredRate : inputRate;
}

/** Voices have little above this. */
const fullBandHz = 16_000;

/** What was found in the recording (of several voices: the first) and done about it, for the answer. */
function describe(recording: Recording, { presence, plans }: Prepared): JsonObject {
  const [plan] = plans;
  if (!presence.voice) return { voice: false, signalToNoiseDb: roundedDb(presence.snrDb), noiseSuppression: 0, bandwidthHz: null, bandwidthRestored: false, reverberationSeconds: null, balanceDb: 0 };
  return {
    voice: true,
    signalToNoiseDb: roundedDb(presence.snrDb),
    noiseSuppression: Math.round(suppressionShare(presence.snrDb) * 100) / 100,
    bandwidthHz: plan && plan.cutoffHz < fullBandHz ? Math.round(Math.min(plan.cutoffHz, recording.format.sampleRate / 2)) : null,
    bandwidthRestored: plans.some(({ extend }) => extend),
    reverberationSeconds: plan?.room ? Math.round(plan.room.t60Seconds * 100) / 100 : null,
    balanceDb: plan?.balance ? Math.round(10 * Math.max(...plan.balance.map(({ gainDb }) => Math.abs(gainDb)))) / 10 : 0,
  };
}

interface Written {
  readonly path: string;
  readonly result: JsonObject;
}

interface WriteOptions {
  readonly recording: Recording;
  readonly plan: OutputPlan;
  readonly pass: ReturnType<typeof passesOf>;
  readonly processed: boolean;
}

async function encode(context: Context, source: Source, setting: GainSetting, { recording, plan, pass, processed }: WriteOptions): Promise<string> {
  try {
    const stages = compose(stagesFor(setting), source.format);
    try {
      const { path, sink } = openPlannedOutput(context.workDir, recording.facts, plan, stages.format, { processed: processed || setting.limited || setting.gainDb !== 0 });
      try {
        await drive(source, (block) => stages.process(block, sink.write), { signal: context.signal, onProgress: pass('encoding', 0.6) });
        stages.flush(sink.write);
        sink.finish();
        for (const warning of sink.warnings) context.warn(warning);
        return path;
      } finally {
        sink.close();
      }
    } finally {
      stages.close();
    }
  } finally {
    source.close();
  }
}

const untouched: GainSetting = { gainDb: 0, ceilingDbtp: targetCeilingDbtp, limited: false };

/** Writes what `open` reads: with auto_volume by the one gain that brings it to -16 LUFS, measured after encoding. */
async function write(context: Context, open: () => Source, read: LoudnessReading, options: WriteOptions): Promise<Written> {
  const { signal } = context;
  const { plan, pass } = options;
  if (!context.options.auto_volume || read.integratedLufs === null) {
    if (context.options.auto_volume) context.warn({ code: 'silent', message: 'The recording is silent or shorter than 0.4 s: there is no loudness to set' });
    return { path: await encode(context, open(), untouched, options), result: {} };
  }
  const targetLufs = targetLufsOf({ target: 'podcast' });
  let path = '';
  const { setting, output } = await reachLoudness({
    input: levelAndPeak(read),
    level: targetLufs,
    ceilingDbtp: targetCeilingDbtp,
    headroomDb: plan.lossless ? 0 : lossyHeadroomDb,
    tryOut: async (tried) => levelAndPeak(await measure(open(), stagesFor(tried), { signal, onProgress: pass('measuring', 0.3) })),
    write: async (tried) => {
      path = await encode(context, open(), tried, options);
      const loudness = await measure(openAudio(path), [], { signal, onProgress: pass('checking', 0.5) });
      return { ...levelAndPeak(loudness), loudness };
    },
  });
  const level = output.level ?? Number.NEGATIVE_INFINITY;
  if (Math.abs(level - targetLufs) > loudnessToleranceDb) {
    context.warn({ code: 'target_not_reached', message: `The output has ${level.toFixed(1)} LUFS instead of ${targetLufs.toFixed(1)}: more gain would push its peaks more than ${deepestLimitingDb} dB into the limiter and distort them` });
  }
  if (output.truePeakDbtp > targetCeilingDbtp + 0.05) {
    context.warn({ code: 'peak_over_ceiling', message: `The encoder raised the true peak to ${output.truePeakDbtp.toFixed(1)} dBTP, over the limit of ${targetCeilingDbtp}; write WAV or FLAC` });
  }
  const { integratedLufs, truePeakDbtp } = output.loudness;
  return { path, result: { gainDb: roundedDb(setting.gainDb), limited: setting.limited, output: { integratedLufs: roundedDb(integratedLufs), truePeakDbtp: roundedDb(truePeakDbtp) } } };
}

/**
 * First pass: how the channels belong together, where music plays. Second: noise suppression (dsp/denoise) onto disk, and what the voice
 * lacks. Third: the voice's stages (dsp/voice/chain), mixed with the original. Then the volume, as in remove_noise.
 * A recording without a voice keeps its sound.
 */
export async function run(context: Context): Promise<RunResult> {
  const { signal, options, parallelism, fanOut, workDir } = context;
  const path = context.inputs['file_id']?.[0] ?? '';
  const pass = passesOf((fraction, stage) => context.progress(fraction, stage));
  // Before anything is read: a damaged model is reported at once.
  const engine = await chooseNoiseEngine(context.modelsDir);
  const recording = await inspect(path, { signal, onProgress: pass('analysing', 0.06) });
  const plan = planOutput(recording.facts, options.output_format);
  for (const warning of [...recording.warnings, ...plan.warnings]) context.warn(warning);

  const prepared = await prepare(recording, { engine, parallelism, fanOut, workDir, signal, onProgress: pass('denoising', 0.6) });
  let voice: Spool | null = null;
  let written: Written;
  let sampleRate = recording.format.sampleRate;
  try {
    if (prepared.presence.voice) {
      sampleRate = outputRate(sampleRate, prepared.plans.some(({ extend }) => extend), plan);
      const format: AudioFormat = { ...recording.format, sampleRate };
      const spool = (voice = createSpool(join(workDir, 'voice.f32'), format));
      const meter = meterLoudness();
      const pipeline = compose([meter], format);
      await enhance(recording, prepared, (block) => pipeline.process(block, spool.write), { share: options.noise_reduction / 100, sampleRate, signal, onProgress: pass('enhancing', 0.5) });
      pipeline.close();
      prepared.clean.remove();
      written = await write(context, () => spool.read(), meter.result(), { recording, plan, pass, processed: true });
    } else {
      prepared.clean.remove();
      if (recording.integratedLufs !== null) context.warn({ code: 'no_voice', message: 'No voice was found in the recording: its sound was left as it is' });
      const loudness = await measure(openAudio(path), [], { signal, onProgress: pass('measuring', 0.3) });
      written = await write(context, () => openAudio(path), loudness, { recording, plan, pass, processed: false });
    }
  } finally {
    prepared.clean.remove();
    voice?.remove();
  }
  const durationSeconds = recording.frames / recording.format.sampleRate;
  return {
    outputs: [{ path: written.path, filename: outputName(path, plan.format), contentType: plan.contentType, format: plan.format, durationSeconds }],
    result: {
      engine: engine.id,
      noiseReduction: options.noise_reduction,
      sampleRate,
      found: describe(recording, prepared),
      input: { integratedLufs: roundedDb(recording.integratedLufs) },
      ...written.result,
    },
    processedSeconds: durationSeconds,
  };
}
