import { EarshotError } from '../../core/errors.ts';
import { complementRanges, type EditList, type KeepRange, mergeRanges } from '../../edit/edit-list.ts';
import { writeEdited } from '../../edit/write.ts';
import { countFrames } from '../../media/length.ts';
import { outputName, planOutput } from '../../media/output.ts';
import type { RunContext, RunOutput, RunResult } from '../define.ts';
import type { CutAudioOptions } from './tool.ts';

/** Times are typed by people and rounded by programs: an end this little past the recording's means its end. */
const endToleranceSeconds = 0.05;

/** The ranges as frames. Throws ranges_outside for the first that is not inside the recording. */
function rangesInFrames(ranges: CutAudioOptions['ranges'], sampleRate: number, frames: number): KeepRange[] {
  const length = frames / sampleRate;
  return ranges.map(([startSeconds, endSeconds]) => {
    if (startSeconds >= length || endSeconds > length + endToleranceSeconds) {
      throw new EarshotError('ranges_outside', `Expected ranges within the recording's ${length.toFixed(3)} s but received [${startSeconds}, ${endSeconds}]`, {
        details: { range: [startSeconds, endSeconds], durationSeconds: length },
      });
    }
    return { start: Math.round(startSeconds * sampleRate), end: Math.min(frames, Math.round(endSeconds * sampleRate)) };
  });
}

export async function run(context: RunContext<CutAudioOptions>): Promise<RunResult> {
  const { options, signal } = context;
  const path = context.inputs['file_id']?.[0] ?? '';
  const { frames, facts } = await countFrames(path, { signal, onProgress: (fraction) => context.progress(0.2 * fraction, 'measuring') });
  const sampleRate = facts.audio?.sampleRate ?? 0;
  const wanted = rangesInFrames(options.ranges, sampleRate, frames);
  const keeps = options.mode === 'keep' ? mergeRanges(wanted, frames) : complementRanges(wanted, frames);
  if (keeps.length === 0) throw new EarshotError('bad_request', 'The ranges remove everything: nothing of the recording would be left', { details: { field: 'ranges', expected: 'something to keep', received: options.ranges } });

  const plan = planOutput(facts, 'same');
  for (const warning of plan.warnings) context.warn(warning);
  const parts = options.output === 'separate' ? keeps.map((keep) => [keep]) : [keeps];
  const crossfadeFrames = Math.round((options.crossfade_ms / 1000) * sampleRate);
  const outputs: RunOutput[] = [];
  for (const [index, part] of parts.entries()) {
    const edits: EditList = { sampleRate, sourceFrames: frames, keeps: part, crossfadeFrames };
    const written = await writeEdited(path, plan, edits, context.workDir, {
      signal,
      name: `output-${index + 1}`,
      onProgress: (fraction) => context.progress(0.2 + (0.8 * (index + fraction)) / parts.length, 'cutting'),
    });
    if (index === 0) for (const warning of written.warnings) context.warn(warning);
    const suffix = parts.length > 1 ? `-${index + 1}` : '';
    outputs.push({
      path: written.path,
      filename: outputName(path, plan.format).replace(/(\.\w+)$/, `${suffix}$1`),
      contentType: plan.contentType,
      format: plan.format,
      durationSeconds: written.durationSeconds,
      ...(parts.length > 1 ? { role: `part-${index + 1}` } : {}),
    });
  }
  const kept = keeps.reduce((sum, keep) => sum + keep.end - keep.start, 0);
  return {
    outputs,
    result: {
      keptRanges: keeps.map((keep) => [keep.start / sampleRate, keep.end / sampleRate]),
      keptSeconds: kept / sampleRate,
      removedSeconds: (frames - kept) / sampleRate,
    },
    processedSeconds: frames / sampleRate,
  };
}
