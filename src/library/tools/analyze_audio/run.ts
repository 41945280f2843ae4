import { checkAcx } from '../../dsp/loudness/acx.ts';
import { gainToDb, roundedDb } from '../../core/levels.ts';
import { measureRecording, minSilenceSeconds } from '../../edit/measure-recording.ts';
import { probe } from '../../media/read/probe.ts';
import type { RunResult } from '../declare/run.ts';
import { mediaReport } from './report.ts';
import type { AnalyzeAudioContext } from './options.ts';
import type { AnalyzeAudioResult } from './result.ts';
import { suggestTools } from './suggest.ts';

/** Stretches listed with detail "concise". */
const conciseStretches = 50;

/** Avoids -0. */
const rounded = (value: number, digits: number): number => Number(value.toFixed(digits)) + 0;

export async function run(context: AnalyzeAudioContext): Promise<RunResult<AnalyzeAudioResult>> {
  const facts = probe(context.inputs.file_id.path);
  const { durationSeconds, loudness, levels, silences, clipping, bandwidthHz } = await measureRecording(
    facts,
    context,
    (fraction) => context.progress(fraction, 'analysing'),
  );
  const listed = context.options.detail === 'full' ? silences.stretches : silences.stretches.slice(0, conciseStretches);
  const silentSeconds = silences.stretches.reduce(
    (sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds,
    0,
  );
  const result: AnalyzeAudioResult = {
    ...mediaReport(facts, durationSeconds),
    loudness: {
      integratedLufs: roundedDb(loudness.integratedLufs),
      loudnessRangeLu: roundedDb(loudness.loudnessRangeLu),
      maxMomentaryLufs: roundedDb(loudness.maxMomentaryLufs),
      maxShortTermLufs: roundedDb(loudness.maxShortTermLufs),
      truePeakDbtp: roundedDb(loudness.truePeakDbtp),
    },
    levels: {
      samplePeakDbfs: roundedDb(levels.samplePeakDbfs),
      rmsDbfs: roundedDb(levels.rmsDbfs),
      crestFactorDb: roundedDb(levels.samplePeakDbfs - levels.rmsDbfs),
      noiseFloorDbfs: roundedDb(levels.noiseFloorDbfs),
      clippedSamples: levels.perChannel.reduce((sum, channel) => sum + channel.clippedSamples, 0),
      dcOffset: levels.perChannel.map((channel) => rounded(channel.dcOffset, 6)),
      bandwidthHz: bandwidthHz === null ? null : Math.round(bandwidthHz),
      stereoCorrelation: levels.stereoCorrelation === null ? null : rounded(levels.stereoCorrelation, 3),
      channels: levels.perChannel.map((channel) => ({
        rmsDbfs: roundedDb(gainToDb(channel.rms)),
        samplePeakDbfs: roundedDb(gainToDb(channel.samplePeak)),
      })),
    },
    silences: {
      count: silences.stretches.length,
      totalSeconds: rounded(silentSeconds, 2),
      thresholdDbfs: roundedDb(silences.thresholdDbfs),
      minSeconds: minSilenceSeconds,
      listed: listed.length,
      stretches: listed.map((stretch) => ({
        startSeconds: rounded(stretch.startSeconds, 2),
        endSeconds: rounded(stretch.endSeconds, 2),
      })),
    },
    acx: checkAcx({ rmsDbfs: levels.rmsDbfs, peakDbfs: levels.samplePeakDbfs, noiseFloorDbfs: levels.noiseFloorDbfs }),
    suggestions: suggestTools({
      integratedLufs: loudness.integratedLufs,
      truePeakDbtp: loudness.truePeakDbtp,
      rmsDbfs: levels.rmsDbfs,
      noiseFloorDbfs: levels.noiseFloorDbfs,
      bandwidthHz,
      silentSeconds,
      durationSeconds,
      clipping,
      stereoCorrelation: levels.stereoCorrelation,
      channelRms: levels.perChannel.map(({ rms }) => rms),
    }),
  };
  return { outputs: [], result, processedSeconds: durationSeconds };
}
