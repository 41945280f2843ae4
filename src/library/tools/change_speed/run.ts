import { changePace } from '../../dsp/stretch/change-pace.ts';
import { openAudio } from '../../media/read/decode.ts';
import { drive } from '../../media/read/drive.ts';
import { probe } from '../../media/read/probe.ts';
import { openPlannedOutput, plannedFile, planOutput } from '../../media/write/output.ts';
import type { RunResult } from '../declare/run.ts';
import type { ChangeSpeedContext } from './options.ts';
import type { ChangeSpeedResult } from './result.ts';

/** Reads the recording once. Chapters and marks move with their sound. */
export async function run(context: ChangeSpeedContext): Promise<RunResult<ChangeSpeedResult>> {
  const { options, workDir, signal } = context;
  const { path, name } = context.inputs.file_id;
  const { speed } = options;
  const facts = probe(path);
  const format = options.output_format === 'same' && facts.hasVideo ? 'm4a' : options.output_format;
  const plan = planOutput(facts, format);
  const source = openAudio(facts);
  try {
    const pace = 1 / speed;
    const { path: written, sink } = openPlannedOutput(workDir, facts, plan, source.format, {
      processed: speed !== 1,
      threads: context,
      sources: [{ facts, kept: [{ startSeconds: 0, endSeconds: Number.POSITIVE_INFINITY, atSeconds: 0, pace }] }],
      ...(facts.durationSeconds === null ? {} : { expectedSeconds: facts.durationSeconds * pace }),
    });
    let frames = 0;
    try {
      frames = await drive(source, speed === 1 ? [] : [changePace(speed)], sink, {
        signal,
        onProgress: context.pass('encoding'),
      });
      await sink.finish();
    } finally {
      sink.close();
    }
    for (const warning of [...source.warnings, ...plan.warnings, ...sink.warnings]) context.warn(warning);
    const { sampleRate } = source.format;
    const durationSeconds = Math.round(frames * pace) / sampleRate;
    return {
      outputs: [plannedFile(plan, written, name, durationSeconds)],
      result: { speed, inputSeconds: frames / sampleRate, durationSeconds },
      processedSeconds: frames / sampleRate,
    };
  } finally {
    source.close();
  }
}
