import { checkAcx } from '../../dsp/loudness/acx.ts';
import { gainToDb, roundedDb } from '../../core/levels.ts';
import { meterBandwidth } from '../../dsp/spectrum/bandwidth.ts';
import { meterLevels } from '../../dsp/loudness/level-meter.ts';
import { meterLoudness } from '../../dsp/loudness/loudness-meter.ts';
import { meterClipping } from '../../dsp/repair/clipping.ts';
import { findSilences } from '../../dsp/pauses/silences.ts';
import { discard, drive } from '../../media/read/drive.ts';
import { probe } from '../../media/read/probe.ts';
import { openToMeasure } from '../../media/read/segments/open-segments.ts';
import type { RunResult } from '../declare/run.ts';
import { mediaReport } from './report.ts';
import type { AnalyzeAudioContext } from './options.ts';
import type { AnalyzeAudioResult } from './result.ts';
import { suggestTools } from './suggest.ts';

/** Stretches listed with detail "concise". */
const conciseStretches = 50;
const minSilenceSeconds = 0.5;

/** Avoids -0. */
const rounded = (value: number, digits: number): number => Number(value.toFixed(digits)) + 0;

export async function run(context: AnalyzeAudioContext): Promise<RunResult<AnalyzeAudioResult>> {
  const facts = probe(context.inputs.file_id.path);
  const source = openToMeasure(facts, context);
  const loudness = meterLoudness();
  const levels = meterLevels();
  const clipping = meterClipping();
  const bandwidth = meterBandwidth(
    source.expectedFrames === null ? null : source.expectedFrames / source.format.sampleRate,
  );
  try {
    const frames = await drive(source, [loudness, levels, bandwidth, clipping], discard, {
      signal: context.signal,
      onProgress: (fraction) => context.progress(fraction, 'analysing'),
    });
    for (const warning of source.warnings) context.warn(warning);

    const durationSeconds = frames / source.format.sampleRate;
    const programme = loudness.result();
    const level = levels.result();
    const silences = findSilences(level.envelope, level.hopSeconds, durationSeconds, minSilenceSeconds);
    const listed =
      context.options.detail === 'full' ? silences.stretches : silences.stretches.slice(0, conciseStretches);
    const bandwidthHz = bandwidth.result();
    const silentSeconds = silences.stretches.reduce(
      (sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds,
      0,
    );
    const result: AnalyzeAudioResult = {
      ...mediaReport(facts, durationSeconds),
      loudness: {
        integratedLufs: roundedDb(programme.integratedLufs),
        loudnessRangeLu: roundedDb(programme.loudnessRangeLu),
        maxMomentaryLufs: roundedDb(programme.maxMomentaryLufs),
        maxShortTermLufs: roundedDb(programme.maxShortTermLufs),
        truePeakDbtp: roundedDb(programme.truePeakDbtp),
      },
      levels: {
        samplePeakDbfs: roundedDb(level.samplePeakDbfs),
        rmsDbfs: roundedDb(level.rmsDbfs),
        crestFactorDb: roundedDb(level.samplePeakDbfs - level.rmsDbfs),
        noiseFloorDbfs: roundedDb(level.noiseFloorDbfs),
        clippedSamples: level.perChannel.reduce((sum, channel) => sum + channel.clippedSamples, 0),
        dcOffset: level.perChannel.map((channel) => rounded(channel.dcOffset, 6)),
        bandwidthHz: bandwidthHz === null ? null : Math.round(bandwidthHz),
        stereoCorrelation: level.stereoCorrelation === null ? null : rounded(level.stereoCorrelation, 3),
        channels: level.perChannel.map((channel) => ({
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
      acx: checkAcx({ rmsDbfs: level.rmsDbfs, peakDbfs: level.samplePeakDbfs, noiseFloorDbfs: level.noiseFloorDbfs }),
      suggestions: suggestTools({
        integratedLufs: programme.integratedLufs,
        truePeakDbtp: programme.truePeakDbtp,
        rmsDbfs: level.rmsDbfs,
        noiseFloorDbfs: level.noiseFloorDbfs,
        bandwidthHz,
        silentSeconds,
        durationSeconds,
        clipping: clipping.result(),
        stereoCorrelation: level.stereoCorrelation,
        channelRms: level.perChannel.map(({ rms }) => rms),
      }),
    };
    return { outputs: [], result, processedSeconds: durationSeconds };
  } finally {
    source.close();
  }
}
