// Passes over one file that both modes of leveling use.
import { soundFormat } from '../../media/read/probe.ts';
import type { LoudnessFacts } from '../../contract/tool-results.ts';
import type { Warning } from '../../core/progress/progress.ts';
import { roundedDb } from '../../core/levels.ts';
import { type LoudnessReading, meterLoudness } from '../../dsp/loudness/loudness-meter.ts';
import { meterSpeechLevels, type SpeechLevelOptions, type SpeechLevels } from '../../dsp/voicing/speech-levels.ts';
import { channelsReduced } from '../../media/formats.ts';
import { openAudio } from '../../media/read/decode.ts';
import { mixedDown } from '../../media/read/mixed-down.ts';
import { discard, drive, type PassOptions } from '../../media/read/drive.ts';
import type { MediaFacts } from '../../media/facts.ts';
import type { OnThreadsOption } from '../../media/write/encode.ts';
import {
  type EncodedAgain,
  openPlannedOutput,
  type OutputChoice,
  type OutputPlan,
  planOutput,
} from '../../media/write/output.ts';
import type { Stage } from '../../pcm/stage.ts';

/** What a pass over a file wants besides its stages. */
export interface FilePassOptions extends PassOptions {
  /** More channels than this are mixed down before anything else: gain and limiter are for what is heard. */
  readonly maxChannels?: number | undefined;
}

export interface FileReading {
  readonly facts: MediaFacts;
  readonly loudness: LoudnessReading;
  readonly durationSeconds: number;
  readonly warnings: readonly Warning[];
}

/** How a file will be written. */
export interface FilePlan {
  readonly plan: OutputPlan;
  /** The channels that it is mixed down to for it; undefined: it keeps them. */
  readonly maxChannels: number | undefined;
}

/** @throws EarshotError no_audio */
export function planFile(facts: MediaFacts, choice: OutputChoice, warn: (warning: Warning) => void): FilePlan {
  const { channels } = soundFormat(facts);
  const plan = planOutput(facts, choice);
  for (const warning of plan.warnings) warn(warning);
  if (channels <= plan.limits.maxChannels) return { plan, maxChannels: undefined };
  warn(channelsReduced(plan.limits, channels));
  return { plan, maxChannels: plan.limits.maxChannels };
}

function openAtMost(facts: MediaFacts, maxChannels = Number.POSITIVE_INFINITY) {
  const file = openAudio(facts);
  const warnings: Warning[] = [];
  const isMixed = file.format.channels > maxChannels;
  const source = isMixed ? mixedDown(file, maxChannels, (warning) => warnings.push(warning)) : file;
  return { source, warnings: () => [...file.warnings, ...warnings] };
}

/** Reads a file through `stages` and measures the result. */
export async function measure(
  facts: MediaFacts,
  stages: readonly Stage[],
  options: FilePassOptions,
): Promise<FileReading> {
  const { source, warnings } = openAtMost(facts, options.maxChannels);
  const meter = meterLoudness();
  try {
    const frames = await drive(source, [...stages, meter], discard, options);
    return {
      facts,
      loudness: meter.result(),
      durationSeconds: frames / source.format.sampleRate,
      warnings: warnings(),
    };
  } finally {
    source.close();
  }
}

/** Reads a file once; returns its loudness and the levels that speech detection uses. */
export async function analyse(
  facts: MediaFacts,
  levels: SpeechLevelOptions,
  options: FilePassOptions,
): Promise<FileReading & { readonly levels: SpeechLevels }> {
  const meter = meterSpeechLevels(levels);
  const reading = await measure(facts, [meter], options);
  return { ...reading, levels: meter.result() };
}

/** Writes a file's sound through `stages`. */
export async function write(
  folder: string,
  name: string,
  facts: MediaFacts,
  plan: OutputPlan,
  stages: readonly Stage[],
  warn: (warning: Warning) => void,
  options: FilePassOptions & OnThreadsOption & { readonly again?: EncodedAgain },
): Promise<MediaFacts> {
  const { source } = openAtMost(facts, options.maxChannels);
  try {
    const { sink } = openPlannedOutput(folder, facts, plan, source.format, {
      processed: true,
      name,
      again: options.again,
      threads: options.threads,
    });
    try {
      await drive(source, stages, sink, options);
      await sink.finish();
      for (const warning of sink.warnings) warn(warning);
      return sink.written();
    } finally {
      sink.close();
    }
  } finally {
    source.close();
  }
}

export const describe = ({ loudness }: Pick<FileReading, 'loudness'>): LoudnessFacts => ({
  integratedLufs: roundedDb(loudness.integratedLufs),
  loudnessRangeLu: roundedDb(loudness.loudnessRangeLu),
  truePeakDbtp: roundedDb(loudness.truePeakDbtp),
});

export const secondsOf = (mask: Uint8Array, hopSeconds: number): number =>
  Math.round(mask.reduce((sum, on) => sum + on, 0) * hopSeconds * 100) / 100;
