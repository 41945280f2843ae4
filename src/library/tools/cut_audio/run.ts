import { rmSync } from 'node:fs';
import { EarshotError } from '../../core/errors/errors.ts';
import type { Warning } from '../../core/progress/progress.ts';
import { complementRanges, type EditList, type KeepRange, mergeRanges } from '../../edit/edit-list.ts';
import { writeEdited } from '../../edit/write.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { countFrames, declaredLength, type Length } from '../../media/read/length.ts';
import { probe } from '../../media/read/probe.ts';
import { measurePicture, processedLength } from '../../media/read/recording-length.ts';
import { outputName, planOutput } from '../../media/write/output.ts';
import type { RunOutput, RunResult } from '../declare/run.ts';
import type { CutAudioContext } from './options.ts';
import type { CutAudioResult } from './result.ts';

/** Typed and rounded times: an end this little past the recording's end means its end. */
const endToleranceSeconds = 0.05;
/** Headers count padding and round: a header's length is valid if the packets agree with it this closely. */
const headerToleranceSeconds = 0.3;

/** The file's length as players show it: the header's, unless it is further off. */
function shownLength(length: number, { durationSeconds }: MediaFacts): number {
  const declared = durationSeconds ?? 0;
  return declared > length && declared < length + headerToleranceSeconds ? declared : length;
}

/** The ranges as frames. @throws EarshotError ranges_outside for the first that is not inside the recording */
function rangesInFrames(
  { ranges = [], mode }: CutAudioContext['options'],
  sampleRate: number,
  { frames, facts }: Length,
): KeepRange[] {
  const length = frames / sampleRate;
  const longest = shownLength(length, facts) + endToleranceSeconds;
  return ranges.map(([startSeconds, endSeconds]) => {
    if (startSeconds >= length || endSeconds > longest) {
      throw new EarshotError(
        'ranges_outside',
        `Expected ranges within the recording's ${length.toFixed(3)} s but received [${startSeconds}, ${endSeconds}]`,
        {
          details: { range: [startSeconds, endSeconds], durationSeconds: length },
        },
      );
    }
    const start = Math.round(startSeconds * sampleRate);
    const end = Math.min(frames, Math.round(endSeconds * sampleRate));
    if (end > start) return { start, end };
    // Shorter than a frame: that frame stays, for both modes.
    const kept = Math.min(start, frames - 1);
    return { start: kept, end: mode === 'keep' ? kept + 1 : kept };
  });
}

/** What is kept of a recording of this length. @throws EarshotError ranges_outside; bad_request when nothing is kept */
function keepsOf(options: CutAudioContext['options'], length: Length): KeepRange[] {
  const { ranges, mode } = options;
  const { frames, facts } = length;
  const wanted = rangesInFrames(options, facts.audio?.sampleRate ?? 0, length);
  const keeps = mode === 'keep' ? mergeRanges(wanted, frames) : complementRanges(wanted, frames);
  if (keeps.length === 0)
    throw new EarshotError('bad_request', 'The ranges remove the whole recording', {
      details: { field: 'ranges', expected: 'something to keep', received: ranges },
    });
  return keeps;
}

interface Cut {
  readonly done: RunResult<CutAudioResult>;
  readonly warnings: readonly Warning[];
  /** The measured length in frames; only where it had to be measured. */
  readonly sourceFrames: number;
}

async function cut(
  context: CutAudioContext,
  { frames, facts }: Length,
  keeps: readonly KeepRange[],
  measureSource: boolean,
  onProgress: (fraction: number) => void,
): Promise<Cut> {
  const { options, signal } = context;
  const sampleRate = facts.audio?.sampleRate ?? 0;
  const plan = planOutput(facts, 'same');
  const warnings: Warning[] = [...plan.warnings];
  const parts = options.output === 'separate' ? keeps.map((keep) => [keep]) : [keeps];
  const crossfadeFrames = Math.round((options.crossfade_ms / 1000) * sampleRate);
  const outputs: RunOutput[] = [];
  let sourceFrames = 0;
  for (const [index, part] of parts.entries()) {
    const edits: EditList = { sampleRate, sourceFrames: frames, keeps: part, crossfadeFrames };
    const written = await writeEdited(facts, plan, edits, context.workDir, {
      signal,
      threads: context,
      name: `output-${index + 1}`,
      measureSource: measureSource && index + 1 === parts.length,
      onProgress: (fraction) => onProgress((index + fraction) / parts.length),
    });
    // Each says the same of the recording, and each its own of its samples.
    for (const warning of written.warnings)
      if (!warnings.some(({ message }) => message === warning.message)) warnings.push(warning);
    ({ sourceFrames } = written);
    const suffix = parts.length > 1 ? `-${index + 1}` : '';
    outputs.push({
      path: written.path,
      filename: outputName(context.inputs.file_id.name, plan.format).replace(/(\.\w+)$/, `${suffix}$1`),
      contentType: plan.contentType,
      format: plan.format,
      durationSeconds: written.durationSeconds,
      ...(parts.length > 1 ? { role: `part-${index + 1}` } : {}),
    });
  }
  const kept = keeps.reduce((sum, keep) => sum + keep.end - keep.start, 0);
  const result = {
    keptRanges: keeps.map((keep): [number, number] => [keep.start / sampleRate, keep.end / sampleRate]),
    keptSeconds: kept / sampleRate,
    removedSeconds: (frames - kept) / sampleRate,
  };
  const processedSeconds = await processedLength(plan, facts, frames / sampleRate, signal);
  return { done: { outputs, result, processedSeconds }, warnings, sourceFrames };
}

/**
 * Cuts by the length in the header, which saves a pass over the file; null where the file turns out to have another
 * length.
 */
async function cutByHeader(context: CutAudioContext, declared: Length): Promise<Cut | null> {
  let keeps: KeepRange[];
  try {
    keeps = keepsOf(context.options, declared);
  } catch {
    // Counting will tell whether the ranges or the header are wrong.
    return null;
  }
  const tried = await cut(context, declared, keeps, true, context.pass('cutting'));
  if (tried.sourceFrames === declared.frames) return tried;
  for (const { path } of tried.done.outputs) rmSync(path, { force: true });
  return null;
}

/**
 * A cut is exact to the frame, so ranges are checked against the decoded length; the header's only when the decoded one
 * agrees with it.
 */
export async function run(context: CutAudioContext): Promise<RunResult<CutAudioResult>> {
  if (context.inputs.by_text_file_id !== undefined) {
    const { cutByText } = await import('./by-text.ts');
    return cutByText(context, context.inputs.by_text_file_id.path);
  }
  const facts = probe(context.inputs.file_id.path);
  const declared = declaredLength(facts);
  let written = declared && (await cutByHeader(context, declared));
  if (!written) {
    const { pictureEndSeconds } = await measurePicture(facts, context.signal);
    const counted = await countFrames(facts, {
      signal: context.signal,
      pictureEndSeconds,
      onProgress: context.pass('measuring', ['cutting']),
    });
    written = await cut(context, counted, keepsOf(context.options, counted), false, context.pass('cutting'));
  }
  for (const warning of written.warnings) context.warn(warning);
  return written.done;
}
