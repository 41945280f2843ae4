import { rmSync } from 'node:fs';
import type { Warning } from '../../core/progress/progress.ts';
import { type EditList, keptFrames, type KeepRange, mergeRanges } from '../../edit/edit-list.ts';
import { soften, softFadeSeconds } from '../../edit/soften.ts';
import { writeKeeps } from '../../edit/write-sequence.ts';
import { countFrames, declaredLength, type Length } from '../../media/read/length.ts';
import { probe } from '../../media/read/probe.ts';
import { measurePicture, processedLength } from '../../media/read/recording-length.ts';
import { planOutput } from '../../media/write/output.ts';
import { partOutput } from './part-output.ts';
import type { RunOutput, RunResult } from '../declare/run.ts';
import type { CutAudioContext } from './options.ts';
import { type Edit, editOf } from './ranges.ts';
import type { CutAudioResult } from './result.ts';

interface Cut {
  readonly done: RunResult<CutAudioResult>;
  readonly warnings: readonly Warning[];
  /** The measured length in frames; only where it had to be measured. */
  readonly sourceFrames: number;
}

async function cut(
  context: CutAudioContext,
  { frames, facts }: Length,
  { keeps, muted }: Edit,
  measureSource: boolean,
  onProgress: (fraction: number) => void,
): Promise<Cut> {
  const { options, signal } = context;
  const sampleRate = facts.audio?.sampleRate ?? 0;
  const plan = planOutput(facts, 'same');
  const warnings: Warning[] = [...plan.warnings];
  const parts = options.output === 'separate' ? keeps.map((keep) => [keep]) : [keeps];
  const crossfadeFrames = Math.round((options.crossfade_ms / 1000) * sampleRate);
  const silent = muted.map((range) => ({ ...range, gain: 0 }));
  const outputs: RunOutput[] = [];
  let sourceFrames = 0;
  for (const [index, part] of parts.entries()) {
    const edits: EditList = { sampleRate, sourceFrames: frames, keeps: part, crossfadeFrames };
    const written = await writeKeeps(facts, plan, edits, context.workDir, {
      signal,
      threads: context,
      stages: muted.length === 0 ? [] : [soften(silent, Math.round(softFadeSeconds * sampleRate))],
      name: `output-${index + 1}`,
      measureSource: measureSource && index + 1 === parts.length,
      onProgress: (fraction) => onProgress((index + fraction) / parts.length),
    });
    // Each says the same of the recording, and each its own of its samples.
    for (const warning of written.warnings)
      if (!warnings.some(({ message }) => message === warning.message)) warnings.push(warning);
    ({ sourceFrames } = written);
    outputs.push(partOutput(context.inputs.file_id.name, plan, written, index, parts.length));
  }
  const inSeconds = ({ start, end }: KeepRange): [number, number] => [start / sampleRate, end / sampleRate];
  const kept = keptFrames({ keeps });
  const result = {
    keptRanges: keeps.map(inSeconds),
    keptSeconds: kept / sampleRate,
    // A range may come twice.
    removedSeconds: (frames - keptFrames({ keeps: mergeRanges(keeps, frames) })) / sampleRate,
    ...(muted.length === 0 ? {} : { mutedRanges: muted.map(inSeconds) }),
  };
  const processedSeconds = await processedLength(plan, facts, frames / sampleRate, signal);
  return { done: { outputs, result, processedSeconds }, warnings, sourceFrames };
}

/**
 * Cuts by the length in the header, which saves a pass over the file; null where the file turns out to have another
 * length.
 */
async function cutByHeader(context: CutAudioContext, declared: Length): Promise<Cut | null> {
  let edit: Edit;
  try {
    edit = editOf(context.options, declared);
  } catch {
    // Counting will tell whether the ranges or the header are wrong.
    return null;
  }
  const tried = await cut(context, declared, edit, true, context.pass('cutting'));
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
  if (context.options.keep_encoding) {
    const { cutPackets } = await import('./packets.ts');
    return cutPackets(context);
  }
  const facts = probe(context.inputs.file_id.path);
  // Where the order goes back, the whole recording is not read in one go, which would tell its length.
  const declared = context.options.order === 'given' ? null : declaredLength(facts);
  let written = declared && (await cutByHeader(context, declared));
  if (!written) {
    const { pictureEndSeconds } = await measurePicture(facts, context.signal);
    const counted = await countFrames(facts, {
      signal: context.signal,
      pictureEndSeconds,
      onProgress: context.pass('measuring', ['cutting']),
    });
    written = await cut(context, counted, editOf(context.options, counted), false, context.pass('cutting'));
  }
  for (const warning of written.warnings) context.warn(warning);
  return written.done;
}
