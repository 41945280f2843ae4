import { unmeasured } from '../../dsp/loudness/unmeasured.ts';
import { join } from 'node:path';
import { roundedDb } from '../../core/levels.ts';
import type { TimeRange } from '../../core/time-range.ts';
import { targetLufsOf } from '../../contract/loudness-target.ts';
import type { VolumeFacts } from '../../contract/tool-results.ts';
import { chooseNoiseEngine } from '../../dsp/denoise/engines.ts';
import { listenerAtHand } from '../../dsp/listener/listener.ts';
import { type LoudnessReading, meterLoudness } from '../../dsp/loudness/loudness-meter.ts';
import { isClipped } from '../../dsp/repair/damage.ts';
import { meanSuppression, type VoicePresence } from '../../dsp/voice/presence.ts';
import type { GainSetting } from '../../dsp/loudness/reach-loudness.ts';
import { openRestorer, type Restorer, restorerId } from '../../dsp/voice/restorer.ts';
import {
  type LoudnessTask,
  toWrite,
  untouched,
  writeAndMeasure,
  writeAtLoudness,
  writeWithGain,
} from '../../edit/at-loudness.ts';
import { openAudio } from '../../media/read/decode.ts';
import { outputFormats, videoContainers } from '../../media/formats.ts';
import { probe } from '../../media/read/probe.ts';
import { processedLength } from '../../media/read/recording-length.ts';
import { plannedFile, type OutputPlan, planOutput } from '../../media/write/output.ts';
import { createSpool, type Spool } from '../../pcm/spool.ts';
import type { RunResult } from '../declare/run.ts';
import { enhance } from './enhance.ts';
import { inspect, prepare, type Prepared, type Recording } from './prepare.ts';
import { repair } from './repair.ts';
import { restoreVoice } from './restore.ts';
import type { EnhanceVoiceContext } from './options.ts';
import type { EnhanceVoiceResult, FoundVoice, RepairedDamage } from './result.ts';
import type { RunStage } from '../../core/progress/stages.ts';

type Context = EnhanceVoiceContext;

/** Lowest rate that can hold a voice's restored highs, Hz. */
const roomyRate = 32_000;
const restoredRate = 48_000;

/**
 * Sample rate of the output: the input's, or 48 kHz where restored highs need more than the input's rate and the
 * output's codec allows 48 kHz.
 */
export function outputRate(
  inputRate: number,
  restored: boolean,
  plan: Pick<OutputPlan, 'soundFormat' | 'format'>,
): number {
  if (!restored || inputRate >= roomyRate) return inputRate;
  const id =
    plan.soundFormat ?? Object.values(videoContainers).find(({ extension }) => extension === plan.format)?.like;
  const { sampleRates = [] } = id ? outputFormats[id] : {};
  return sampleRates.length === 0 || sampleRates.includes(restoredRate) ? restoredRate : inputRate;
}

/** If a smaller share of the sound was processed, the recording is music with a few words: its level is not changed. */
const leastEnhancedShare = 1 / 3;

/** Voices have little energy above this. */
const fullBandHz = 16_000;

/** The target of `auto_volume`. */
const targetLufs = targetLufsOf({ target: 'podcast' });

/** The facts about the recording (of several voices: the first) for the result. */
function describe(recording: Recording, { presence, plans }: Prepared, network: boolean): FoundVoice {
  const [plan] = plans;
  if (!presence.voice)
    return {
      voice: false,
      signalToNoiseDb: roundedDb(presence.snrDb),
      noiseSuppression: 0,
      bandwidthHz: null,
      bandwidthRestored: false,
      bandwidthRestorer: null,
      reverberationSeconds: null,
      balanceDb: 0,
    };
  return {
    voice: true,
    signalToNoiseDb: roundedDb(presence.snrDb),
    noiseSuppression: Math.round(meanSuppression(presence) * 100) / 100,
    bandwidthHz:
      plan && plan.cutoffHz < fullBandHz ? Math.round(Math.min(plan.cutoffHz, recording.format.sampleRate / 2)) : null,
    bandwidthRestored: plans.some(({ extend }) => extend),
    bandwidthRestorer: plans.some(({ extend }) => extend) ? (network ? restorerId : 'built-in') : null,
    reverberationSeconds: plan?.room ? Math.round(plan.room.t60Seconds * 100) / 100 : null,
    balanceDb: plan?.balance
      ? Math.round(10 * Math.max(...plan.balance.map(({ gainDb }) => Math.abs(gainDb)))) / 10
      : 0,
  };
}

const noRepairs: RepairedDamage = { clippedShare: null, humHz: null, clicks: 0, plosives: 0 };

const mostOf = (channels: readonly (readonly TimeRange[])[]): number =>
  Math.max(...channels.map(({ length }) => length));

function describeRepairs({ damage }: Recording): RepairedDamage {
  const humHz = damage.hum.find((reading) => reading !== null)?.hz;
  return {
    clippedShare: isClipped(damage) ? Math.round(damage.clipping.share * 1e4) / 1e4 : null,
    humHz: humHz === undefined ? null : Math.round(humHz * 100) / 100,
    clicks: mostOf(damage.bursts.clicks),
    plosives: mostOf(damage.bursts.plosives),
  };
}

const describeLevel = (setting: GainSetting, { integratedLufs, truePeakDbtp }: LoudnessReading): VolumeFacts => ({
  targetLufs,
  gainDb: roundedDb(setting.gainDb),
  limited: setting.limited,
  output: { integratedLufs: roundedDb(integratedLufs), truePeakDbtp: roundedDb(truePeakDbtp) },
});

interface Written {
  readonly path: string;
  readonly result: Partial<VolumeFacts>;
}

type WriteTask = Omit<LoudnessTask, 'read' | 'targetLufs'>;

/** Writes a recording at its own level: when nothing is improved, it is not made louder. */
async function leave(
  context: Context,
  integratedLufs: number | null,
  task: WriteTask,
  setting: GainSetting = untouched,
): Promise<Written> {
  if (context.options.auto_volume && integratedLufs !== null) {
    const { path, loudness } = await writeAndMeasure(context, task, setting);
    return { path, result: describeLevel(setting, loudness) };
  }
  if (context.options.auto_volume) {
    context.warn(unmeasured('The recording', task.facts.durationSeconds, 'its level is unchanged'));
  }
  const { path } = await writeWithGain(context, task.open(), setting, task, task.pass('encoding'));
  return { path, result: {} };
}

/** Writes a voice: with auto_volume by the single gain that brings it to -16 LUFS, measured after encoding. */
async function write(
  context: Context,
  read: LoudnessReading,
  task: WriteTask,
  unlevelled: GainSetting,
): Promise<Written> {
  if (!context.options.auto_volume || read.integratedLufs === null) return leave(context, null, task, unlevelled);
  const { path, setting, loudness } = await writeAtLoudness(context, {
    ...task,
    read,
    targetLufs,
  });
  return { path, result: describeLevel(setting, loudness) };
}

/** Peaks that were restored reach beyond full scale: the level is lowered until they fit. */
function fitting(context: Context, recording: Recording, { truePeakDbtp }: LoudnessReading): GainSetting {
  const over = (truePeakDbtp ?? Number.NEGATIVE_INFINITY) - untouched.ceilingDbtp;
  if (!isClipped(recording.damage) || over <= 0) return untouched;
  context.warn({
    code: 'level_lowered',
    message: `Clipped peaks were restored; the level was lowered by ${over.toFixed(1)} dB, so that they fit`,
  });
  return { ...untouched, gainDb: -over };
}

/** What the passes after the second one work with. */
interface Work {
  readonly context: Context;
  readonly recording: Recording;
  readonly prepared: Prepared;
  readonly restorer: Restorer | null;
  /** For writing, without what is written. */
  readonly file: Pick<WriteTask, 'facts' | 'plan' | 'pass'>;
  /** Passes that follow in any case, and those that may. */
  readonly certain: readonly RunStage[];
  readonly fits: readonly RunStage[];
  /** Removed when the run ends. */
  readonly spools: Spool[];
}

/** For each group of channels: its highs by the user's network where it lacks them. */
async function restoreLacking(
  { context: { workDir, signal, pass }, recording, prepared, certain, fits, spools }: Work,
  restorer: Restorer,
): Promise<(Spool | null)[]> {
  const restored: (Spool | null)[] = [];
  for (const [group, channels] of recording.groups.groups.entries()) {
    if (prepared.plans[group]?.extend !== true) {
      restored.push(null);
      continue;
    }
    const onProgress = pass('restoring', ['enhancing', ...certain], fits);
    const spool = await restoreVoice(prepared.clean, channels, group, { restorer, workDir, signal, onProgress });
    spools.push(spool);
    restored.push(spool);
  }
  return restored;
}

async function writeVoice(work: Work, sampleRate: number): Promise<Written> {
  const { context, recording, prepared, restorer, file, certain, fits, spools } = work;
  const { signal, options, workDir, pass } = context;
  const isVoice = prepared.presence.voice;
  const restored = isVoice && restorer ? await restoreLacking(work, restorer) : [];
  const voice = createSpool(join(workDir, 'voice.f32'), { ...recording.format, sampleRate });
  spools.push(voice);
  const meter = meterLoudness();
  const wanted = isVoice ? prepared : { ...prepared, plans: [], presence: allOf(prepared.presence) };
  await enhance(recording, wanted, [meter], voice.write, {
    share: options.noise_reduction / 100,
    sampleRate,
    restored,
    signal,
    onProgress: pass('enhancing', certain, fits),
  });
  prepared.clean.remove();
  const task = { ...file, open: () => voice.read(), processed: true };
  const read = meter.result();
  if (isVoice ? prepared.presence.enhancedShare >= leastEnhancedShare : prepared.doubt === 'voice') {
    const isLevelled = options.auto_volume && read.integratedLufs !== null;
    return await write(context, read, task, isLevelled ? untouched : fitting(context, recording, read));
  }
  if (isVoice && options.auto_volume) {
    context.warn({
      code: 'level_kept',
      message: 'Most of the recording is music without a voice, so its level is unchanged',
    });
  }
  return await leave(context, read.integratedLufs, task, fitting(context, recording, read));
}

/** The whole recording is processed at full strength. */
const allOf = (presence: VoicePresence): VoicePresence => ({
  ...presence,
  share: Float32Array.of(1),
  musicBehind: new Uint8Array(),
  snrDb: null,
});

const doneWithoutVoice = {
  leave: 'its sound and its level are unchanged',
  kept: 'its noise was removed in case there is one, and its level is unchanged',
  voice: 'only its noise was removed and its level set, as remove_noise does',
} as const;

function warnOfNoVoice({ context, recording, prepared }: Work): void {
  if (recording.integratedLufs === null) return;
  const found = prepared.doubt === 'voice' ? 'No clear voice' : 'No voice';
  context.warn({
    code: 'no_voice',
    message: `${found} was found in the recording: ${doneWithoutVoice[prepared.doubt]}`,
  });
}

/** A recording without a voice. */
async function writeUnchanged({ context, recording, prepared, file }: Work): Promise<Written> {
  prepared.clean.remove();
  const open = (): ReturnType<typeof openAudio> => openAudio(recording.facts);
  return await leave(context, recording.integratedLufs, { ...file, open, processed: false });
}

/**
 * First pass: groups of channels, music. Second: noise suppression (dsp/denoise) onto disk, and what the voice lacks.
 * If it lacks highs and the user has a network for them, that runs next. Then the voice's stages (dsp/voice/chain),
 * mixed with the original. Then the volume, as in remove_noise. A recording without a voice keeps its sound and its
 * level.
 */
export async function run(context: Context): Promise<RunResult<EnhanceVoiceResult>> {
  const { signal, options, fanOut, workDir, pass } = context;
  const { path, name } = context.inputs.file_id;
  // Before anything is read: a damaged model is reported at once.
  const engine = await chooseNoiseEngine(context.modelsDir);
  const listener = await listenerAtHand(
    context,
    'music may be removed as noise, and barks and bangs may be kept as voices',
  );
  const restorer = await openRestorer(context.modelsDir);
  const [certain, fits] = options.auto_volume ? toWrite : ([['encoding'], []] as const);
  const restoring = restorer ? (['restoring'] as const) : [];
  const inspected = await inspect(probe(path), {
    signal,
    onProgress: pass('analysing', ['denoising', 'enhancing', ...certain], ['repairing', ...restoring, ...fits]),
  });
  const plan = planOutput(inspected.facts, options.output_format);
  for (const warning of [...inspected.warnings, ...plan.warnings]) context.warn(warning);
  const { recording, spool: repaired } = await repair(inspected, {
    workDir,
    signal,
    pass: () => pass('repairing', ['denoising', 'enhancing', ...certain], [...restoring, ...fits]),
  });

  const prepared = await prepare(recording, {
    engine,
    listener,
    fanOut,
    workDir,
    signal,
    onProgress: pass('denoising', ['enhancing', ...certain], [...restoring, ...fits]),
  });
  for (const warning of prepared.warnings) context.warn(warning);
  const { voice } = prepared.presence;
  const isWorked = voice || prepared.doubt !== 'leave';
  const inputRate = recording.format.sampleRate;
  const extended = prepared.plans.some(({ extend }) => extend);
  const sampleRate = voice ? outputRate(inputRate, extended, plan) : inputRate;
  const file = { facts: recording.facts, plan, pass };
  const spools: Spool[] = repaired ? [repaired] : [];
  const work = { context, recording, prepared, restorer, file, certain, fits, spools };
  let written: Written;
  try {
    if (!voice) warnOfNoVoice(work);
    written = isWorked ? await writeVoice(work, sampleRate) : await writeUnchanged(work);
  } finally {
    prepared.clean.remove();
    for (const spool of spools) spool.remove();
    await restorer?.close();
  }
  const durationSeconds = recording.frames / recording.format.sampleRate;
  return {
    outputs: [plannedFile(plan, written.path, name, durationSeconds)],
    result: {
      engine: engine.id,
      noiseReduction: options.noise_reduction,
      sampleRate,
      found: describe(recording, prepared, restorer !== null),
      repaired: isWorked ? describeRepairs(recording) : noRepairs,
      input: { integratedLufs: roundedDb(recording.integratedLufs) },
      ...written.result,
    },
    processedSeconds: await processedLength(plan, recording.facts, durationSeconds, context.signal),
  };
}
