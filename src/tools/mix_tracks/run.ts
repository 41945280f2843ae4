import { EarshotError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { roundedDb } from '../../core/levels.ts';
import { duckDepthDb, duckUnder } from '../../dsp/gain/duck.ts';
import type { GainCurve } from '../../dsp/gain/gain-curve.ts';
import { targetLufsOf } from '../../contract/loudness-target.ts';
import { rideGainIsFlat } from '../../dsp/gain/ride-gain.ts';
import { levelHopSeconds } from '../../dsp/voicing/speech-levels.ts';
import { measureLoudness, untouched, writeAndMeasure, writeAtLoudness } from '../../edit/at-loudness.ts';
import { passesOf } from '../../media/read/drive.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { outputName, planOutput } from '../../media/write/output.ts';
import type { RunResult } from '../declare/run.ts';
import { analyseTracks, type MixAnalysis } from './analyse.ts';
import { openMix, type Recipe } from './mixer.ts';
import { type MixTracksContext, refuseTracks, settingsOf, type TrackSetting } from './options.ts';

/** The curve of the music; null, with a warning, when nothing is to be ducked or nobody speaks. */
function duckCurve(
  context: MixTracksContext,
  settings: readonly TrackSetting[],
  analysis: MixAnalysis,
): GainCurve | null {
  if (!context.options.duck) return null;
  const voices = analysis.tracks.flatMap(({ phrases }) => (phrases ? [phrases] : []));
  const hops = Math.ceil(analysis.frames / analysis.format.sampleRate / levelHopSeconds) + 1;
  const curve = duckUnder(voices, hops, levelHopSeconds);
  const hasMusic = settings.some(({ role }) => role === 'music');
  if (hasMusic && voices.length > 0 && !rideGainIsFlat(curve)) return curve;
  const why = !hasMusic
    ? 'no track has the role music'
    : voices.length === 0
      ? 'no track has the role voice'
      : 'no speech was found on the voice tracks';
  context.warn({ code: 'nothing_to_duck', message: `duck changed nothing: ${why}` });
  return null;
}

/**
 * Tracks are read in lockstep at the highest rate of all, in stereo as soon as one of them has two channels (mono
 * stands in the centre at unity on both sides); the sum is as long as the longest. First pass: loudness of each track,
 * speech on voice tracks, the sum. Then one gain and a true-peak limiter bring the sum to the target, measured after
 * encoding.
 */
export async function run(context: MixTracksContext): Promise<RunResult> {
  const { signal, options } = context;
  const paths = context.inputs.tracks;
  const refusal = refuseTracks(paths.length, options.tracks);
  if (refusal)
    throw new EarshotError(refusal.code, refusal.message, {
      details: { field: 'tracks', expected: `${paths.length} items`, received: `${options.tracks?.length ?? 0} items` },
    });
  const settings = settingsOf(paths.length, options.tracks);
  const targetLufs = targetLufsOf(options);
  const pass = passesOf((fraction, stage) => context.progress(fraction, stage));

  const analysis = await analyseTracks(paths, settings, options.duck, { signal, onProgress: pass('analysing', 0.3) });
  const first = analysis.tracks[0]?.facts as MediaFacts;
  const plan = planOutput(first, options.output_format);
  for (const warning of [...analysis.warnings, ...plan.warnings]) context.warn(warning);
  const duck = duckCurve(context, settings, analysis);
  const recipe: Recipe = { paths, settings, format: analysis.format, duck };
  const sum = duck
    ? await measureLoudness(openMix(recipe), [], { signal, onProgress: pass('measuring', 0.3) })
    : analysis.sum;

  const task = { open: () => openMix(recipe), facts: first, plan, processed: true, pass };
  const silent = sum.integratedLufs === null;
  if (silent)
    context.warn({ code: 'silent', message: 'The mix is silent or shorter than 0.4 s: there is no loudness to set' });
  const { path, setting, loudness } = silent
    ? await writeAndMeasure(context, task, untouched)
    : await writeAtLoudness(context, { ...task, read: sum, targetLufs });

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
    outputs: [
      {
        path,
        filename: outputName(paths[0] ?? '', plan.format),
        contentType: plan.contentType,
        format: plan.format,
        durationSeconds,
      },
    ],
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
        integratedLufs: roundedDb(loudness.integratedLufs),
        loudnessRangeLu: roundedDb(loudness.loudnessRangeLu),
        truePeakDbtp: roundedDb(loudness.truePeakDbtp),
      },
    },
    processedSeconds: durationSeconds,
  };
}
