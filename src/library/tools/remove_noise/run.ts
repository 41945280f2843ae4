import { unmeasured } from '../../dsp/loudness/unmeasured.ts';
import { join } from 'node:path';
import { roundedDb } from '../../core/levels.ts';
import { targetLufsOf } from '../../contract/loudness-target.ts';
import type { VolumeFacts } from '../../contract/tool-results.ts';
import { chooseNoiseEngine } from '../../dsp/denoise/engines.ts';
import { createPassageReport, type PassageReport } from '../../dsp/denoise/passages/passage-report.ts';
import { listenerAtHand } from '../../dsp/listener/listener.ts';
import { meterLoudness } from '../../dsp/loudness/loudness-meter.ts';
import type { Receiver } from '../../media/read/drive.ts';
import type { StartPass } from '../../core/progress/passes.ts';
import {
  toWrite,
  untouched,
  writeAndMeasure,
  writeAtLoudness,
  writeProduced,
  writeWithGain,
} from '../../edit/at-loudness.ts';
import { openAudio } from '../../media/read/decode.ts';
import { probe } from '../../media/read/probe.ts';
import { processedLength } from '../../media/read/recording-length.ts';
import { plannedFile, type OutputPlan, planOutput } from '../../media/write/output.ts';
import { createSpool } from '../../pcm/spool.ts';
import type { Emit, Stage } from '../../pcm/stage.ts';
import type { RunResult } from '../declare/run.ts';
import { denoise, inspect, type Recording } from './denoise.ts';
import type { RemoveNoiseContext } from './options.ts';
import type { RemoveNoiseResult } from './result.ts';
import { balanceOf, roomShare } from './rules.ts';
import { meterAsOne, voiceFound } from '../../dsp/voice/voice-found.ts';

type Context = RemoveNoiseContext;

/** Steady sound that is less than this under the recording may be music, dB. */
const clearDb = 15;
/** Softer steady noise is not heard, dBFS RMS. */
const audibleDbfs = -90;

const withoutListener = 'music without a voice may be removed as noise, and barks and bangs may be kept as voices';

/** If loudness falls by more, the recording was only noise: raising the rest would bring it back. */
const onlyNoiseDb = 25;

const leftAlone = {
  code: 'no_voice',
  message:
    'No voice was found in the recording, only single strokes with silence between them: drums, snaps, knocks. They ' +
    'would be removed as noise, so the sound and its level were left as they are',
} as const;

interface Written {
  readonly path: string;
  readonly result: Partial<VolumeFacts>;
}

/**
 * Removes the noise, then applies one gain. The clean sound is stored, so that trying several gains runs the networks
 * once.
 */
async function withVolume(
  context: Context,
  recording: Recording,
  plan: OutputPlan,
  clean: (behind: readonly Stage[], emit: Emit) => Promise<void>,
  pass: StartPass,
  report: PassageReport,
): Promise<Written> {
  const { integratedLufs: inputLufs, speechLevels } = recording;
  const spool = createSpool(join(context.workDir, 'clean.f32'), recording.format);
  try {
    const meter = meterLoudness();
    const levels = meterAsOne({ tones: true });
    await clean([meter, levels], spool.write);
    const read = meter.result();
    const targetLufs = targetLufsOf({ target: 'podcast' });
    const isLeft = report.isAllStruck();
    const task = isLeft
      ? { open: () => openAudio(recording.facts), facts: recording.facts, plan, processed: false, pass }
      : { open: () => spool.read(), facts: recording.facts, plan, processed: true, pass };
    const silent = read.integratedLufs === null;
    const onlyNoise = !silent && inputLufs !== null && inputLufs - (read.integratedLufs ?? 0) > onlyNoiseDb;
    const noVoice =
      !silent && !onlyNoise && speechLevels !== null && !voiceFound(speechLevels, levels.result(), report, inputLufs);
    if (isLeft) context.warn(leftAlone);
    else if (silent)
      context.warn(
        unmeasured('Without its noise the recording', recording.facts.durationSeconds, 'its level is unchanged'),
      );
    else if (onlyNoise)
      context.warn({
        code: 'only_noise',
        message:
          `Removing the noise left ${(read.integratedLufs ?? 0).toFixed(0)} LUFS of ` +
          `${inputLufs.toFixed(0)}: no voice was found, so the rest was not made louder`,
      });
    else if (noVoice)
      context.warn({
        code: 'no_voice',
        message:
          'No voice was found in the recording, so its volume was left alone; sounds without a voice are removed as ' +
          'noise unless they are music',
      });
    const { path, setting, loudness } =
      isLeft || silent || onlyNoise || noVoice
        ? await writeAndMeasure(context, task, untouched)
        : await writeAtLoudness(context, { ...task, read, targetLufs });
    const { integratedLufs, truePeakDbtp } = loudness;
    return {
      path,
      result: {
        targetLufs,
        gainDb: roundedDb(setting.gainDb),
        limited: setting.limited,
        output: { integratedLufs: roundedDb(integratedLufs), truePeakDbtp: roundedDb(truePeakDbtp) },
      },
    };
  } finally {
    spool.remove();
  }
}

/** Below this share of music that was kept, what else there was is worth a word. */
const mostKeptShare = 0.9;

/** Where the level is not set, too: castanets and bells that are no music to the listener are gone otherwise unsaid. */
function warnOfNoVoice(context: Context, report: PassageReport, seconds: number): void {
  const who = report.whoIsHeard();
  if (who !== 'music' && who !== 'other') return;
  if (report.musicSeconds().length >= mostKeptShare * seconds) return;
  context.warn({
    code: 'no_voice',
    message:
      'No speech was found in the recording: what is neither a voice nor music to the tool was removed as noise. It is ' +
      'for speech; drums, bells and songs are safe only where music is reported as kept',
  });
}

/** Writes what is cleaned at once; where that was all there is, the recording takes its place. */
async function withoutVolume(
  context: Context,
  recording: Recording,
  plan: OutputPlan,
  clean: (to: Receiver) => Promise<void>,
  report: PassageReport,
): Promise<string> {
  const { facts, groups, format } = recording;
  const written = await writeProduced(context, { facts, plan, processed: groups.groups.length > 0 }, format, clean);
  if (!report.isAllStruck()) {
    warnOfNoVoice(context, report, facts.durationSeconds ?? 0);
    return written.path;
  }
  context.warn(leftAlone);
  const left = { facts, plan, processed: false, name: 'left' };
  return (await writeWithGain(context, openAudio(facts), untouched, left, context.pass('encoding'))).path;
}

/**
 * First pass: groups of channels, loudness and length of the recording. Second pass: the noise suppressor, see
 * dsp/denoise; music without a voice is kept, and a recording of nothing but strokes is left as it is. With
 * auto_volume, one gain and a true-peak limiter then bring the result to -16 LUFS, measured after encoding.
 */
export async function run(context: Context): Promise<RunResult<RemoveNoiseResult>> {
  const { signal, options, fanOut, pass } = context;
  const { path, name } = context.inputs.file_id;
  const isSteady = options.method === 'steady';
  // Before anything is read: a damaged model is reported at once.
  const engine = await chooseNoiseEngine(context.modelsDir, isSteady ? 'rnnoise' : undefined);
  const listener = isSteady ? null : await listenerAtHand(context, withoutListener);
  const [certain, maybe] = options.auto_volume ? toWrite : ([[], ['encoding']] as const);
  const wanted = { speechLevels: options.auto_volume, steadyNoise: isSteady };
  const recording = await inspect(probe(path), wanted, {
    signal,
    onProgress: pass('analysing', ['denoising', ...certain], maybe),
  });
  const plan = planOutput(recording.facts, options.output_format);
  for (const warning of [...recording.warnings, ...plan.warnings]) context.warn(warning);

  const report = createPassageReport(recording.groups.groups.length);
  const dryShare = roomShare(options);
  const balance = balanceOf(options);
  const onProgress = pass('denoising', certain, maybe);
  const clean = (behind: readonly Stage[], to: Emit | Receiver): Promise<void> =>
    denoise(recording, behind, to, { engine, listener, report, dryShare, balance, fanOut, signal, onProgress });
  const written = options.auto_volume
    ? await withVolume(context, recording, plan, clean, pass, report)
    : { path: await withoutVolume(context, recording, plan, (to) => clean([], to), report), result: {} };

  if (!report.isAllStruck()) for (const warning of report.warnings()) context.warn(warning);
  const steadyDbfs = recording.steadyNoise?.dbfs ?? -Infinity;
  if (isSteady && steadyDbfs >= audibleDbfs && (recording.integratedLufs ?? Infinity) - steadyDbfs < clearDb)
    context.warn({
      code: 'steady_sound_loud',
      message:
        `The steady sound has ${steadyDbfs.toFixed(0)} dBFS, little less than the whole: if that is music, it was ` +
        'turned down, too; use method voice for it',
    });
  if (isSteady && steadyDbfs < audibleDbfs)
    context.warn({
      code: 'no_steady_noise',
      message: `No noise that is always there was found (below ${audibleDbfs} dBFS): the sound is as it was`,
    });

  const durationSeconds = recording.frames / recording.format.sampleRate;
  return {
    outputs: [plannedFile(plan, written.path, name, durationSeconds)],
    result: {
      engine: isSteady ? 'steady-noise' : engine.id,
      noiseReduction: Math.round(100 * (1 - dryShare)),
      ...(recording.steadyNoise === null ? {} : { steadyNoiseDbfs: roundedDb(recording.steadyNoise.dbfs) }),
      linkedChannels: recording.groups.groups.some((channels) => channels.length > 1),
      input: { integratedLufs: roundedDb(recording.integratedLufs) },
      ...written.result,
    },
    processedSeconds: await processedLength(plan, recording.facts, durationSeconds, signal),
  };
}
