import { throwIfAborted } from '../../core/abort.ts';
import { copyAll, samplesFor } from '../../edit/copy-samples.ts';
import { amplify } from '../../dsp/loudness/limit.ts';
import { leastHeadroomDb } from '../../dsp/loudness/reach-loudness.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { channelsReduced } from '../../media/formats.ts';
import { openAudio } from '../../media/read/decode.ts';
import { discard, drive } from '../../media/read/drive.ts';
import { probe, soundFormat } from '../../media/read/probe.ts';
import { openPlannedOutput, type OutputPlan, plannedFile, planOutput } from '../../media/write/output.ts';
import { fittingGainDb, meterPeak } from '../../pcm/full-scale.ts';
import { turnOpposite } from '../../pcm/opposite-channels.ts';
import type { RunResult } from '../declare/run.ts';
import type { ConvertAudioContext } from './options.ts';
import type { ConvertAudioResult } from './result.ts';

const channelCounts = { mono: 1, stereo: 2 } as const;

function open(facts: MediaFacts, { options }: ConvertAudioContext, plan: OutputPlan): ReturnType<typeof openAudio> {
  // Where one gain fits all peaks, those of the mix count.
  const mixed = options.fit_peaks && soundFormat(facts).channels > plan.limits.maxChannels;
  const channels = options.channels ? channelCounts[options.channels] : mixed ? plan.limits.maxChannels : undefined;
  return openAudio(facts, {
    ...(options.sample_rate === undefined ? {} : { rate: options.sample_rate }),
    ...(channels === undefined ? {} : { channels }),
    fitting: !options.fit_peaks,
  });
}

/** The gain that brings all peaks under full scale, dB; 0 where they are. An encoder with losses raises some again. */
async function findGain(facts: MediaFacts, context: ConvertAudioContext, plan: OutputPlan): Promise<number> {
  const source = open(facts, context, plan);
  const meter = meterPeak();
  try {
    const stages = context.options.fix_phase ? [turnOpposite(), meter] : [meter];
    const onProgress = context.pass('measuring', ['converting']);
    await drive(source, stages, discard, { signal: context.signal, onProgress });
  } finally {
    source.close();
  }
  const peak = meter.result();
  return peak > 1 ? fittingGainDb(peak, plan.lossless ? 1 : 10 ** (-leastHeadroomDb / 20)) : 0;
}

export async function run(context: ConvertAudioContext): Promise<RunResult<ConvertAudioResult>> {
  const { options } = context;
  const { path, name } = context.inputs.file_id;
  const facts = probe(path);
  soundFormat(facts);
  const plan = planOutput(facts, options.format);
  const source = open(facts, context, plan);
  try {
    const gainDb = options.fit_peaks ? await findGain(facts, context, plan) : 0;
    throwIfAborted(context.signal);
    const phase = options.fix_phase ? turnOpposite() : null;
    const converted = options.sample_rate !== undefined || options.channels !== undefined || gainDb !== 0;
    const { path: outputPath, sink } = openPlannedOutput(context.workDir, facts, plan, source.format, {
      processed: converted,
      threads: context,
      ...(options.bitrate_kbps === undefined ? {} : { bitrateKbps: options.bitrate_kbps }),
    });
    let frames = 0;
    try {
      const stages = [...(phase ? [phase] : []), ...(gainDb === 0 ? [] : [amplify(gainDb)])];
      const pass = { signal: context.signal, onProgress: context.pass('converting') };
      const samples = stages.length === 0 ? samplesFor(facts, null, sink) : null;
      try {
        frames = samples ? await copyAll(samples, sink, pass) : await drive(source, stages, sink, pass);
      } finally {
        samples?.close();
      }
      await sink.finish();
    } finally {
      sink.close();
    }
    for (const warning of [...source.warnings, ...plan.warnings, ...sink.warnings]) context.warn(warning);
    if (options.channels === undefined && source.format.channels < soundFormat(facts).channels)
      context.warn(channelsReduced(plan.limits, soundFormat(facts).channels));
    const turned = phase?.warning();
    if (turned) context.warn(turned);
    if (gainDb !== 0)
      context.warn({
        code: 'peaks_fitted',
        message: `Peaks lay above full scale: the level was lowered by ${-gainDb} dB so that they fit`,
      });
    const durationSeconds = frames / source.format.sampleRate;
    return {
      outputs: [plannedFile(plan, outputPath, name, durationSeconds)],
      result: {
        format: plan.format,
        sampleRate: sink.format.sampleRate,
        channels: sink.format.channels,
        bitrateKbps: sink.bitrateKbps,
        durationSeconds,
      },
      processedSeconds: durationSeconds,
    };
  } finally {
    source.close();
  }
}
