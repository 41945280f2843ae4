import { unmeasured } from '../../dsp/loudness/unmeasured.ts';
import { roundedDb } from '../../core/levels.ts';
import { targetLufsOf } from '../../contract/loudness-target.ts';
import { measureLoudness, toWrite, untouched, writeAndMeasure, writeAtLoudness } from '../../edit/at-loudness.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { probe } from '../../media/read/probe.ts';
import { plannedFile, planOutput } from '../../media/write/output.ts';
import type { RunResult } from '../declare/run.ts';
import { analyseTracks, type MixAnalysis } from './analyse.ts';
import { duckMusic, type Ducking, matchVoices } from './balance.ts';
import { openMix, type Recipe } from './mixer.ts';
import type { MixTracksContext, MixedTrack } from './options.ts';
import type { MixTracksResult } from './result.ts';

/** The ducking of the music; null, with a warning, when there is nothing to duck or no speech. */
function ducking(context: MixTracksContext, settings: readonly MixedTrack[], analysis: MixAnalysis): Ducking | null {
  if (!context.options.duck) return null;
  const hasMusic = settings.some(({ role }) => role === 'music');
  const hasVoice = settings.some(({ role }) => role === 'voice');
  const found = hasMusic && hasVoice ? duckMusic(analysis, settings) : null;
  if (found) return found;
  const why = !hasMusic
    ? 'no track has the role music'
    : !hasVoice
      ? 'no track has the role voice'
      : 'no speech was found on the voice tracks';
  context.warn({ code: 'nothing_to_duck', message: `duck changed nothing: ${why}` });
  return null;
}

/**
 * Tracks are read in lockstep at the rate of most of their sound (the highest of equals), in stereo as soon as one of
 * them has two channels (mono is in the centre at unity on both sides); the sum is as long as the longest. First pass:
 * loudness of each track, speech on voice tracks, levels of the music, the sum. Voices are brought to one loudness
 * before their volumes. Then one gain and a true-peak limiter bring the sum to the target, measured after encoding.
 */
export async function run(context: MixTracksContext): Promise<RunResult<MixTracksResult>> {
  const { signal, options, pass } = context;
  const { tracks: given } = context.inputs;
  const asked = options.tracks ?? given.map((): MixedTrack => ({ role: 'voice', volume_db: 0 }));
  const targetLufs = targetLufsOf(options);

  const voices = asked.filter(({ role }) => role === 'voice').length;
  const listen = { voices: options.duck || voices > 1, music: options.duck };
  const [certain, fits] = toWrite;
  const files = given.map(({ path }) => probe(path));
  const analysis = await analyseTracks(files, asked, listen, {
    signal,
    onProgress: pass('analysing', certain, [...(listen.voices ? (['measuring'] as const) : []), ...fits]),
  });
  const matchesDb = matchVoices(analysis.tracks);
  const settings = asked.map((each, index) => ({ ...each, volume_db: each.volume_db + (matchesDb[index] ?? 0) }));
  const first = analysis.tracks[0]?.facts as MediaFacts;
  const plan = planOutput(first, options.output_format);
  for (const warning of [...analysis.warnings, ...plan.warnings]) context.warn(warning);
  const duck = ducking(context, settings, analysis);
  const recipe: Recipe = { files, settings, format: analysis.format, duck: duck?.curve ?? null };
  const sum =
    duck || matchesDb.some((db) => db !== null && db !== 0)
      ? await measureLoudness(openMix(recipe), [], { signal, onProgress: pass('measuring', ...toWrite) })
      : analysis.sum;

  const task = { open: () => openMix(recipe), facts: first, plan, processed: true, besides: files.slice(1), pass };
  const silent = sum.integratedLufs === null;
  if (silent)
    context.warn(
      unmeasured(
        'The mix',
        Math.max(...analysis.tracks.map((track) => track.durationSeconds)),
        'it has the level of its tracks',
      ),
    );
  const {
    path,
    facts: readBack,
    setting,
    loudness,
  } = silent
    ? await writeAndMeasure(context, task, untouched)
    : await writeAtLoudness(context, { ...task, read: sum, targetLufs });

  const tracks = analysis.tracks.map(
    ({ integratedLufs, durationSeconds }, index): MixTracksResult['tracks'][number] => {
      const { role, volume_db } = asked[index] as MixedTrack;
      const matchDb = matchesDb[index] ?? null;
      return {
        role,
        volumeDb: volume_db,
        matchDb: roundedDb(matchDb),
        gainDb: roundedDb(volume_db + (matchDb ?? 0) + setting.gainDb),
        ducked: duck !== null && role === 'music',
        durationSeconds: Math.round(durationSeconds * 1000) / 1000,
        input: { integratedLufs: roundedDb(integratedLufs) },
      };
    },
  );
  const durationSeconds = analysis.frames / analysis.format.sampleRate;
  return {
    outputs: [plannedFile(plan, path, context.inputs.tracks[0]?.name ?? '', durationSeconds, readBack)],
    result: {
      target: options.target,
      targetLufs,
      gainDb: roundedDb(setting.gainDb),
      limited: setting.limited,
      duckDepthDb: duck ? roundedDb(duck.deepestDb) : null,
      musicUnderVoiceLu: duck ? roundedDb(duck.musicUnderVoiceLu) : null,
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
