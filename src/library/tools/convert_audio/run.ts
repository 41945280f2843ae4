import { openAudio } from '../../media/read/decode.ts';
import { drive } from '../../media/read/drive.ts';
import { probe } from '../../media/read/probe.ts';
import { openPlannedOutput, plannedFile, planOutput } from '../../media/write/output.ts';
import { turnOpposite } from '../../pcm/opposite-channels.ts';
import type { RunResult } from '../declare/run.ts';
import type { ConvertAudioContext } from './options.ts';
import type { ConvertAudioResult } from './result.ts';

const channelCounts = { mono: 1, stereo: 2 } as const;

export async function run(context: ConvertAudioContext): Promise<RunResult<ConvertAudioResult>> {
  const { options } = context;
  const { path, name } = context.inputs.file_id;
  const facts = probe(path);
  const source = openAudio(facts, {
    ...(options.sample_rate === undefined ? {} : { rate: options.sample_rate }),
    ...(options.channels === undefined ? {} : { channels: channelCounts[options.channels] }),
  });
  try {
    const plan = planOutput(facts, options.format);
    const phase = options.fix_phase ? turnOpposite() : null;
    const converted = options.sample_rate !== undefined || options.channels !== undefined;
    const { path: outputPath, sink } = openPlannedOutput(context.workDir, facts, plan, source.format, {
      processed: converted,
      threads: context,
      ...(options.bitrate_kbps === undefined ? {} : { bitrateKbps: options.bitrate_kbps }),
    });
    let frames = 0;
    try {
      frames = await drive(source, phase ? [phase] : [], sink, {
        signal: context.signal,
        onProgress: (fraction) => context.progress(fraction, 'converting'),
      });
      await sink.finish();
    } finally {
      sink.close();
    }
    for (const warning of [...source.warnings, ...plan.warnings, ...sink.warnings]) context.warn(warning);
    const turned = phase?.warning();
    if (turned) context.warn(turned);
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
