import { roundedDb } from '../../core/levels.ts';
import type { Warning } from '../../core/progress/progress.ts';
import { unmeasured } from '../../dsp/loudness/unmeasured.ts';
import type { StartPass } from '../../core/progress/passes.ts';
import type { SpeakerTrack } from '../../dsp/gain/dominance.ts';
import type { GainCurve } from '../../dsp/gain/gain-curve.ts';
import { levelTogether, type TrackGains } from '../../dsp/gain/level-together.ts';
import { type LoudnessReading, meterLoudness } from '../../dsp/loudness/loudness-meter.ts';
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
import { fitted, gainStages, reductionsOf, toWrite, warnOfMisses } from '../../edit/at-loudness.ts';
import { type BlockSource, discard, drive, type PassOptions } from '../../media/read/drive.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { probe } from '../../media/read/probe.ts';
import { openLockstep } from '../../media/read/lockstep.ts';
import { processedLength } from '../../media/read/recording-length.ts';
import { outputNames } from '../../media/write/output.ts';
import { mixInto } from '../../kernels/ops.ts';
import type { AudioFormat } from '../../pcm/block.ts';
import { compose, type Pipeline } from '../../pcm/compose.ts';
import type { Emit, Stage } from '../../pcm/stage.ts';
import type { RunOutput, RunResult } from '../declare/run.ts';
import { analyse, describe, type FilePlan, type FileReading, measure, planFile, secondsOf, write } from './passes.ts';
import { trackWithoutBeds } from './listen.ts';
import type { LevelSpeakersContext } from './options.ts';
import type { LeveledTracks } from './result.ts';

interface Written extends LevelAndPeak {
  readonly sum: LoudnessReading;
  readonly files: readonly FileReading[];
  readonly outputPaths: readonly string[];
}

interface LeveledTrack extends InputFile, FilePlan {
  readonly input: FileReading;
  readonly speechSeconds: number;
  readonly curve: GainCurve;
  /** Gain that brings the track's own speech to 0 LUFS, before the common gain; null for a track without speech. */
  readonly alignDb: number | null;
}

/**
 * Measures the sum of tracks at unity, all in one common format, each through its own stages first. The stages work on
 * the common format, so their curves are in seconds rather than frames.
 */
async function measureSum(
  files: readonly MediaFacts[],
  stages: readonly (readonly Stage[])[],
  options: PassOptions,
): Promise<LoudnessReading> {
  const together = openLockstep(files);
  const meter = meterLoudness();
  try {
    const source: BlockSource = {
      // The channels of all tracks, one track after the other.
      format: { ...together.format, channels: files.length * together.format.channels },
      expectedFrames: together.expectedFrames,
      next() {
        const block = together.next();
        return block && { planes: block.tracks.flatMap((track) => track.planes), frames: block.frames };
      },
    };
    await drive(source, [sumTracks(together.format, stages), meter], discard, options);
    return meter.result();
  } finally {
    together.close();
  }
}

/** Sends each track's channels through the track's own stages and adds up the results. */
function sumTracks(format: AudioFormat, stages: readonly (readonly Stage[])[]): Stage {
  const pipelines: Pipeline[] = [];
  // Limiters at one rate have the same latency, so all pipelines emit the same length for a block.
  const sum = Array.from({ length: format.channels }, () => new Float32Array(2 * format.sampleRate));
  const add = (feed: (pipeline: Pipeline, index: number, emit: Emit) => void, emit: Emit): void => {
    for (const plane of sum) plane.fill(0);
    let length = 0;
    for (const [index, pipeline] of pipelines.entries()) {
      let at = 0;
      feed(pipeline, index, ({ planes, frames }) => {
        mixInto(
          sum.map((plane) => plane.subarray(at, at + frames)),
          planes,
          1,
          frames,
        );
        at += frames;
      });
      length = Math.max(length, at);
    }
    if (length > 0) emit({ planes: sum.map((plane) => plane.subarray(0, length)), frames: length });
  };
  return {
    latencyFrames: 0,
    open() {
      for (const list of stages) pipelines.push(compose(list, format));
      return format;
    },
    process({ planes, frames }, emit) {
      add((pipeline, index, own) => {
        pipeline.process({ planes: planes.slice(index * format.channels, (index + 1) * format.channels), frames }, own);
      }, emit);
    },
    flush: (emit) => add((pipeline, _, own) => pipeline.flush(own), emit),
    close() {
      for (const pipeline of pipelines) pipeline.close();
    },
  };
}

const notLevelled = (name: string, { beforeDb, levelledDb, afterDb }: NonNullable<TrackGains['left']>): Warning => ({
  code: 'track_not_levelled',
  message:
    `The own voice of ${name} is ${beforeDb.toFixed(1)} dB over the others' and would be ${levelledDb.toFixed(1)} dB ` +
    (afterDb > beforeDb
      ? `after leveling; the track keeps its own levels and is lowered while others speak: ${afterDb.toFixed(1)} dB`
      : 'after leveling; the track keeps its own levels'),
});

async function analyseTracks(
  context: LevelSpeakersContext,
  files: readonly InputFile[],
  pass: StartPass,
): Promise<LeveledTrack[]> {
  const looked = files.map(({ path }) => probe(path));
  const plans = looked.map((facts) => planFile(facts, context.options.output_format, context.warn));
  const readings: (FileReading & { readonly track: SpeakerTrack })[] = [];
  const onProgress = pass('finding speech', ...toWrite);
  for (const [index, facts] of looked.entries()) {
    const { levels, ...reading } = await analyse(
      facts,
      { peaks: false },
      {
        maxChannels: plans[index]?.maxChannels,
        signal: context.signal,
        onProgress: (fraction) => onProgress((index + fraction) / files.length),
      },
    );
    for (const warning of reading.warnings) context.warn(warning);
    const activity = await trackWithoutBeds(context, facts, levels, findSpeech(levels));
    readings.push({ ...reading, track: { energy: levels.energy, activity } });
  }
  // A mono track in a stereo sum plays on both sides, 3 LU louder.
  const anyStereo = readings.some(({ facts }) => (facts.audio?.channels ?? 1) > 1);
  const { tracks: gains, isBleedKnown } = levelTogether(readings.map(({ track }) => track));
  if (!isBleedKnown)
    context.warn({
      code: 'bleed_not_told',
      message:
        'The tracks are too alike, or too short, to tell what each speaker says from what their microphone hears of ' +
        'others; each track was compared with its own speech only, and keeps the levels within it. Check that each ' +
        "track is one speaker's microphone",
    });
  // The levels, which are large, are not needed any more.
  return readings.map(({ facts, loudness, durationSeconds, warnings }, index) => {
    const { own, curve, speechLufs, left } = gains[index] as (typeof gains)[number];
    const file = files[index] as InputFile;
    if (left !== null) context.warn(notLevelled(file.name, left));
    const doubled = anyStereo && facts.audio?.channels === 1 ? 10 * Math.log10(2) : 0;
    return {
      ...file,
      ...(plans[index] as FilePlan),
      input: { facts, loudness, durationSeconds, warnings },
      speechSeconds: secondsOf(own, curve.hopSeconds),
      curve,
      alignDb: speechLufs === null ? null : -(speechLufs + doubled),
    };
  });
}

async function writeTracks(
  context: LevelSpeakersContext,
  tracks: readonly LeveledTrack[],
  stagesOf: (track: LeveledTrack) => Stage[],
  encodes: number,
): Promise<Written> {
  const { signal, pass } = context;
  const files: FileReading[] = [];
  const written: MediaFacts[] = [];
  const encoding = pass('encoding', ['checking']);
  for (const [index, track] of tracks.entries())
    written.push(
      await write(
        context.workDir,
        `track-${index + 1}-${encodes}`,
        track.input.facts,
        track.plan,
        stagesOf(track),
        context.warn,
        {
          maxChannels: track.maxChannels,
          signal,
          threads: context,
          onProgress: (fraction) => encoding((index + fraction) / tracks.length),
        },
      ),
    );
  const checking = pass('checking');
  for (const [index, facts] of written.entries())
    files.push(
      await measure(facts, [], {
        signal,
        onProgress: (fraction) => checking((index + fraction) / (2 * tracks.length)),
      }),
    );
  const sum = await measureSum(
    written,
    written.map(() => []),
    { signal, onProgress: (fraction) => checking((1 + fraction) / 2) },
  );
  // The level is the sum's, the peak the worst track's: no single file exceeds the ceiling.
  return {
    level: sum.integratedLufs,
    truePeakDbtp: Math.max(...files.map(({ loudness }) => loudness.truePeakDbtp)),
    sum,
    files,
    outputPaths: written.map(({ path }) => path),
  };
}

/**
 * Tracks of one speaker each: on every track the speaker's own speech is leveled and all are brought to the same
 * loudness; a track falls by 12 dB or more while only others speak. The common gain puts the SUM of the tracks, played
 * at unity, at the target: in an editor, all faders at zero give the finished level. Each track is limited to -1 dBTP
 * by itself; where speakers overlap the sum can exceed that. Lengths and alignment are kept to the sample.
 */
export async function levelTracks(
  context: LevelSpeakersContext,
  files: readonly InputFile[],
): Promise<RunResult<LeveledTracks>> {
  const { signal } = context;
  const targetLufs = targetLufsOf(context.options);
  const { pass } = context;
  const tracks = await analyseTracks(context, files, pass);
  for (const { name, alignDb } of tracks)
    if (alignDb === null)
      context.warn({
        code: 'no_speech',
        message: `No own speech was found on ${name}: it got the mean gain of the other tracks`,
      });

  const aligned = tracks.flatMap(({ alignDb }) => (alignDb === null ? [] : [alignDb]));
  const usual = aligned.length === 0 ? 0 : aligned.reduce((sum, db) => sum + db, 0) / aligned.length;
  const gainOf = (track: LeveledTrack, sharedDb: number): number => (track.alignDb ?? usual) + sharedDb;
  const stagesOf = (track: LeveledTrack, setting: GainSetting): Stage[] => [
    rideGain(track.curve),
    ...gainStages({ ...setting, gainDb: gainOf(track, setting.gainDb) }, tracks.indexOf(track)),
  ];
  const sumOf = (setting: GainSetting, onProgress: (fraction: number) => void): Promise<LoudnessReading> =>
    measureSum(
      tracks.map(({ input }) => input.facts),
      tracks.map((track) => stagesOf(track, setting)),
      { signal, onProgress },
    );

  const writeAll = (setting: GainSetting, encodes: number): Promise<Written> =>
    writeTracks(context, tracks, (track) => stagesOf(track, setting), encodes);
  // Aligned tracks have speech at 0 LUFS before the common gain, and so, nearly, has their sum.
  const untouched: GainSetting = { gainDb: 0, ceilingDbtp: targetCeilingDbtp, limited: true };
  const level =
    aligned.length > 0
      ? 0
      : (await sumOf({ ...untouched, ceilingDbtp: 20 }, pass('fitting', ...fitted))).integratedLufs;
  const lossless = tracks.every(({ plan }) => plan.lossless);
  const reached =
    level === null
      ? { setting: untouched, output: await writeAll(untouched, 1) }
      : await reachLoudness({
          input: { level, truePeakDbtp: Number.POSITIVE_INFINITY },
          level: targetLufs,
          ceilingDbtp: targetCeilingDbtp,
          headroomDb: lossless ? 0 : lossyHeadroomDb,
          tryOut: async (tried) => {
            const { integratedLufs, truePeakDbtp } = await sumOf(tried, pass('fitting', ...fitted));
            return { level: integratedLufs, truePeakDbtp };
          },
          write: writeAll,
          reductions: (written, ceilingDbtp) => reductionsOf(written.files, ceilingDbtp, context),
        });

  const { setting, output } = reached;
  if (output.level !== null) warnOfMisses(context.warn, { level: targetLufs, lossless }, reached);
  else
    context.warn(
      unmeasured(
        'The sum of the tracks',
        Math.max(...output.files.map(({ facts }) => facts.durationSeconds ?? 0)),
        'nothing was levelled',
      ),
    );
  let processedSeconds = 0;
  for (const { plan, input } of tracks)
    processedSeconds += await processedLength(plan, input.facts, input.durationSeconds, signal);
  const names = outputNames(
    files.map(({ name }) => name),
    tracks.map(({ plan }) => plan.format),
  );
  const outputs = tracks.map(({ input, plan: { contentType, format } }, index): RunOutput => {
    return {
      path: output.outputPaths[index] as string,
      filename: names[index] as string,
      contentType,
      format,
      durationSeconds: input.durationSeconds,
      role: `speaker-${index + 1}`,
    };
  });
  return {
    outputs,
    result: {
      mode: 'tracks',
      target: context.options.target,
      targetLufs,
      tracks: tracks.map((track, index) => ({
        role: `speaker-${index + 1}`,
        speechSeconds: track.speechSeconds,
        gainDb: roundedDb(gainOf(track, setting.gainDb)),
        input: describe(track.input),
        output: describe(output.files[index] as FileReading),
      })),
      sum: describe({ loudness: output.sum }),
    },
    // Processed time is billed as the sum.
    processedSeconds,
  };
}
