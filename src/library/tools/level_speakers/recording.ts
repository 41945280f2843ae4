import { unmeasured } from '../../dsp/loudness/unmeasured.ts';
import { roundedDb } from '../../core/levels.ts';
import { integratedOfHops, peakOfHops } from '../../dsp/voicing/hop-loudness.ts';
import { type Leveling, levelSpeech } from '../../dsp/gain/leveling.ts';
import { speakersOfHops } from '../../dsp/gain/speaker-hops.ts';
import { targetCeilingDbtp, targetLufsOf } from '../../contract/loudness-target.ts';
import type { InputFile } from '../../contract/tool-inputs.ts';
import {
  type GainSetting,
  type LevelAndPeak,
  lossyHeadroomDb,
  reachLoudness,
} from '../../dsp/loudness/reach-loudness.ts';
import { rideGain } from '../../dsp/gain/ride-gain.ts';
import { findSpeech } from '../../dsp/voicing/speech-activity.ts';
import type { StartPass } from '../../core/progress/passes.ts';
import {
  fitted,
  gainStages,
  mayBeAgain,
  reductionsOf,
  toWrite,
  untouched,
  warnOfMisses,
  writeChanged,
} from '../../edit/at-loudness.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { probe } from '../../media/read/probe.ts';
import { processedLength } from '../../media/read/recording-length.ts';
import { plannedFile, plannedLevelDb } from '../../media/write/output.ts';
import { speakerPasses } from '../../speech/speakers/find-speakers.ts';
import type { Stage } from '../../pcm/stage.ts';
import type { RunResult } from '../declare/run.ts';
import { analyse, describe, type FileReading, measure, planFile, secondsOf, write as writeFile } from './passes.ts';
import type { LevelSpeakersContext } from './options.ts';
import type { LeveledRecording } from './result.ts';
import { listen } from './listen.ts';

interface Written extends LevelAndPeak {
  readonly reading: FileReading;
}

interface Found extends LevelAndPeak {
  readonly input: FileReading;
  readonly leveling: Leveling;
  readonly speechSeconds: number;
  readonly musicSeconds: number;
  /** Number of speakers; null where no network can tell. */
  readonly speakers: number | null;
}

const levelAndPeak = ({ loudness }: FileReading): LevelAndPeak => ({
  level: loudness.integratedLufs,
  truePeakDbtp: loudness.truePeakDbtp,
});

/**
 * First pass: where speech is and whose, the gains that level it, and the resulting loudness and peaks, computed from
 * the hops without another pass. The levels themselves, 25 MB at ten hours, are dropped afterwards.
 */
async function findLevels(
  context: LevelSpeakersContext,
  facts: MediaFacts,
  maxChannels: number | undefined,
  pass: StartPass,
): Promise<Found> {
  const [certain, fits] = toWrite;
  const { levels, ...input } = await analyse(
    facts,
    { timbre: true },
    {
      maxChannels,
      signal: context.signal,
      onProgress: pass('finding speech', certain, ['reading', ...speakerPasses, ...fits]),
    },
  );
  const { turns, activity, bed } = await listen(context, facts, levels, findSpeech(levels, { softTurns: true }));
  const speakers = turns && speakersOfHops(turns, levels.energy.length, levels.hopSeconds);
  const leveling = levelSpeech(levels.energy, activity, { speakers, timbre: levels.timbre });
  const { gainsDb } = leveling.curve;
  const { integratedLufs, truePeakDbtp, samplePeakDbfs } = input.loudness;
  const between = Math.max(0, truePeakDbtp - samplePeakDbfs);
  return {
    input,
    leveling,
    speakers: turns && new Set(turns.map(({ speaker }) => speaker)).size,
    speechSeconds: secondsOf(activity.speech, activity.hopSeconds),
    musicSeconds: secondsOf(
      activity.music.map((alone, hop) => alone | (bed[hop] as number)),
      activity.hopSeconds,
    ),
    level:
      integratedLufs === null || leveling.speechLufs === null
        ? integratedLufs
        : integratedOfHops(levels.energy, levels.hopSeconds, gainsDb),
    truePeakDbtp: peakOfHops(levels.peak, gainsDb) + between,
  };
}

/**
 * One recording with everyone. First pass: speech is found and divided into stretches of one level. Each stretch gets
 * its gain, and the whole is brought to the target under a true-peak limiter, measured after encoding (as in
 * adjust_loudness).
 */
export async function levelRecording(
  context: LevelSpeakersContext,
  { path, name }: InputFile,
): Promise<RunResult<LeveledRecording>> {
  const { signal } = context;
  const targetLufs = targetLufsOf(context.options);
  const { pass } = context;
  const facts = probe(path);
  const { plan, maxChannels } = planFile(facts, context.options.output_format, context.warn);
  const { input, leveling, level, truePeakDbtp, speechSeconds, musicSeconds, speakers } = await findLevels(
    context,
    facts,
    maxChannels,
    pass,
  );
  for (const warning of input.warnings) context.warn(warning);

  const stages = (setting: GainSetting): Stage[] => [
    ...(leveling.speechLufs === null ? [] : [rideGain(leveling.curve)]),
    ...gainStages(setting),
  ];
  const write = async (setting: GainSetting, encodes: number, again = mayBeAgain): Promise<Written> => {
    const written = await writeFile(context.workDir, `output-${encodes}`, facts, plan, stages(setting), context.warn, {
      maxChannels,
      signal,
      again,
      threads: context,
      onProgress: pass('encoding', ['checking']),
    });
    const reading = await measure(written, [], { signal, onProgress: pass('checking') });
    return { ...levelAndPeak(reading), reading };
  };

  const reached =
    level === null
      ? { setting: untouched, output: await write(untouched, 1) }
      : await reachLoudness({
          input: { level, truePeakDbtp },
          level: targetLufs,
          ceilingDbtp: targetCeilingDbtp,
          headroomDb: plan.lossless ? 0 : lossyHeadroomDb,
          encoderDb: plannedLevelDb(facts, plan, facts.audio?.channels ?? 0),
          tryOut: async (tried) =>
            levelAndPeak(
              await measure(facts, stages(tried), { maxChannels, signal, onProgress: pass('fitting', ...fitted) }),
            ),
          write,
          rewrite: (tried, encodes, { written, softer }) =>
            writeChanged(written.reading.facts.path, softer[0], (again) => write(tried, encodes, again)),
          reductions: ({ reading }, ceilingDbtp) => reductionsOf([reading], ceilingDbtp, context),
        });

  const { setting, output } = reached;
  if (level === null) context.warn(unmeasured('The recording', input.facts.durationSeconds, 'the sound is unchanged'));
  else {
    if (leveling.speechLufs === null)
      context.warn({
        code: 'no_speech',
        message: 'No speech was found: the recording was brought to the target with one gain',
      });
    warnOfMisses(context.warn, { level: targetLufs, lossless: plan.lossless }, reached);
  }
  return {
    outputs: [plannedFile(plan, output.reading.facts.path, name, input.durationSeconds, output.reading.facts)],
    result: {
      mode: 'recording',
      target: context.options.target,
      targetLufs,
      gainDb: roundedDb(setting.gainDb),
      speechSeconds,
      musicSeconds,
      speakers,
      levels: leveling.segments.length,
      lowestLevelingGainDb: roundedDb(leveling.lowestGainDb),
      highestLevelingGainDb: roundedDb(leveling.highestGainDb),
      input: describe(input),
      output: describe(output.reading),
    },
    processedSeconds: await processedLength(plan, facts, input.durationSeconds, signal),
  };
}
