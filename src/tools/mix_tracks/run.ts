import { EarshotError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { roundedDb } from '../../core/levels.ts';
import { duckDepthDb, duckUnder } from '../../dsp/duck.ts';
import type { GainCurve } from '../../dsp/gain-curve.ts';
import { amplify, limit } from '../../dsp/limit.ts';
import { type LoudnessReading, meterLoudness } from '../../dsp/loudness-meter.ts';
import { targetCeilingDbtp, targetLufsOf } from '../../core/loudness-target.ts';
import { deepestLimitingDb, type GainSetting, type LevelAndPeak, loudnessToleranceDb, lossyHeadroomDb, reachLoudness } from '../../dsp/reach-loudness.ts';
import { rideGainIsFlat } from '../../dsp/ride-gain.ts';
import { levelHopSeconds } from '../../dsp/speech-levels.ts';
import { openAudio } from '../../media/decode.ts';
import { type BlockSource, drive, passesOf, type PassOptions } from '../../media/drive.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { openPlannedOutput, outputName, type OutputPlan, planOutput } from '../../media/output.ts';
import { compose } from '../../pcm/compose.ts';
import type { Stage } from '../../pcm/stage.ts';
import type { RunContext, RunResult } from '../define.ts';
import { analyseTracks, type MixAnalysis } from './analyse.ts';
import { openMix, type Recipe } from './mixer.ts';
import { type MixTracksOptions, refuseTracks, settingsOf, type TrackSetting } from './tool.ts';

interface Written extends LevelAndPeak {
  readonly loudness: LoudnessReading;
}

const levelAndPeak = (loudness: LoudnessReading): LevelAndPeak => ({ level: loudness.integratedLufs, truePeakDbtp: loudness.truePeakDbtp });

const stagesFor = ({ gainDb, ceilingDbtp, limited }: GainSetting): Stage[] => (limited ? [limit({ gainDb, ceilingDbtp })] : gainDb === 0 ? [] : [amplify(gainDb)]);

/** Reads a source through `stages` and measures what comes out; closes the source. */
async function measure(source: BlockSource & { close(): void }, stages: readonly Stage[], options: PassOptions): Promise<LoudnessReading> {
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

async function encode(context: RunContext<MixTracksOptions>, recipe: Recipe, facts: MediaFacts, plan: OutputPlan, setting: GainSetting, onProgress: (fraction: number) => void): Promise<string> {
  const source = openMix(recipe);
  try {
    const pipeline = compose(stagesFor(setting), source.format);
    try {
      const { path, sink } = openPlannedOutput(context.workDir, facts, plan, pipeline.format, { processed: true });
      try {
        await drive(source, (block) => pipeline.process(block, sink.write), { signal: context.signal, onProgress });
        pipeline.flush(sink.write);
        sink.finish();
        for (const warning of sink.warnings) context.warn(warning);
        return path;
      } finally {
        sink.close();
      }
    } finally {
      pipeline.close();
    }
  } finally {
    source.close();
  }
}

/** The curve of the music; null, with a warning, when nothing is to be ducked or nobody speaks. */
function duckCurve(context: RunContext<MixTracksOptions>, settings: readonly TrackSetting[], analysis: MixAnalysis): GainCurve | null {
  if (!context.options.duck) return null;
  const voices = analysis.tracks.flatMap(({ phrases }) => (phrases ? [phrases] : []));
  const hops = Math.ceil(analysis.frames / analysis.format.sampleRate / levelHopSeconds) + 1;
  const curve = duckUnder(voices, hops, levelHopSeconds);
  const hasMusic = settings.some(({ role }) => role === 'music');
  if (hasMusic && voices.length > 0 && !rideGainIsFlat(curve)) return curve;
  const why = !hasMusic ? 'no track has the role music' : voices.length === 0 ? 'no track has the role voice' : 'no speech was found on the voice tracks';
  context.warn({ code: 'nothing_to_duck', message: `duck changed nothing: ${why}` });
  return null;
}

/**
 * Tracks are read in lockstep at the highest rate of all, in stereo as soon as one of them has two channels (mono stands in the centre at
 * unity on both sides); the sum is as long as the longest. First pass: loudness of each track, speech on voice tracks, the sum. Then
 * one gain and a true-peak limiter bring the sum to the target, measured after encoding.
 */
export async function run(context: RunContext<MixTracksOptions>): Promise<RunResult> {
  const { signal, options } = context;
  const paths = context.inputs['tracks'] ?? [];
  const refusal = refuseTracks(paths.length, options.tracks);
  if (refusal) throw new EarshotError(refusal.code, refusal.message, { details: { field: 'tracks', expected: `${paths.length} items`, received: `${options.tracks?.length ?? 0} items` } });
  const settings = settingsOf(paths.length, options.tracks);
  const targetLufs = targetLufsOf(options);
  const pass = passesOf((fraction, stage) => context.progress(fraction, stage));

  const analysis = await analyseTracks(paths, settings, options.duck, { signal, onProgress: pass('analysing', 0.3) });
  const first = analysis.tracks[0]?.facts as MediaFacts;
  const plan = planOutput(first, options.output_format);
  for (const warning of [...analysis.warnings, ...plan.warnings]) context.warn(warning);
  const duck = duckCurve(context, settings, analysis);
  const recipe: Recipe = { paths, settings, format: analysis.format, duck };
  const sum = duck ? await measure(openMix(recipe), [], { signal, onProgress: pass('measuring', 0.3) }) : analysis.sum;

  let outputPath = '';
  const write = async (setting: GainSetting): Promise<Written> => {
    outputPath = await encode(context, recipe, first, plan, setting, pass('encoding', 0.7));
    const loudness = await measure(openAudio(outputPath), [], { signal, onProgress: pass('checking', 0.5) });
    return { ...levelAndPeak(loudness), loudness };
  };
  const silent = sum.integratedLufs === null;
  const { setting, output } = silent
    ? { setting: { gainDb: 0, limited: false }, output: await write({ gainDb: 0, ceilingDbtp: targetCeilingDbtp, limited: false }) }
    : await reachLoudness({
      input: levelAndPeak(sum),
      level: targetLufs,
      ceilingDbtp: targetCeilingDbtp,
      headroomDb: plan.lossless ? 0 : lossyHeadroomDb,
      tryOut: async (tried) => levelAndPeak(await measure(openMix(recipe), stagesFor(tried), { signal, onProgress: pass('measuring', 0.3) })),
      write,
    });
  report(context, silent, targetLufs, output);

  const tracks = analysis.tracks.map(({ integratedLufs, durationSeconds }, index): JsonObject => {
    const { role, volume_db } = settings[index] as TrackSetting;
    return {
      role,
      volumeDb: volume_db,
      gainDb: roundedDb(volume_db + setting.gainDb),
      ducked: duck !== null && role === 'music',
      durationSeconds: Math.round(durationSeconds * 1000) / 1000,
      input: { integratedLufs: roundedDb(integratedLufs) },
    };
  });
  const durationSeconds = analysis.frames / analysis.format.sampleRate;
  return {
    outputs: [{ path: outputPath, filename: outputName(paths[0] ?? '', plan.format), contentType: plan.contentType, format: plan.format, durationSeconds }],
    result: {
      target: options.target,
      targetLufs,
      gainDb: roundedDb(setting.gainDb),
      limited: setting.limited,
      duckDepthDb: duck ? duckDepthDb : null,
      sampleRate: analysis.format.sampleRate,
      channels: analysis.format.channels,
      tracks,
      output: {
        integratedLufs: roundedDb(output.loudness.integratedLufs),
        loudnessRangeLu: roundedDb(output.loudness.loudnessRangeLu),
        truePeakDbtp: roundedDb(output.loudness.truePeakDbtp),
      },
    },
    processedSeconds: durationSeconds,
  };
}

/** Says plainly where the promise could not be kept. */
function report(context: RunContext<MixTracksOptions>, silent: boolean, targetLufs: number, output: Written): void {
  if (silent) {
    context.warn({ code: 'silent', message: 'The mix is silent or shorter than 0.4 s: there is no loudness to set' });
    return;
  }
  const level = output.level ?? Number.NEGATIVE_INFINITY;
  if (Math.abs(level - targetLufs) > loudnessToleranceDb) {
    context.warn({ code: 'target_not_reached', message: `The output has ${level.toFixed(1)} LUFS instead of ${targetLufs.toFixed(1)}: more gain would push its peaks more than ${deepestLimitingDb} dB into the limiter and distort them` });
  }
  if (output.truePeakDbtp > targetCeilingDbtp + 0.05) {
    context.warn({ code: 'peak_over_ceiling', message: `The encoder raised the true peak to ${output.truePeakDbtp.toFixed(1)} dBTP, over the limit of ${targetCeilingDbtp}; write WAV or FLAC` });
  }
}
