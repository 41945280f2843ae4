// Writes sound whose parts change their order.
import { soundFormat } from '../media/read/probe.ts';
import { EarshotError } from '../core/errors/errors.ts';
import { openAudio } from '../media/read/decode.ts';
import { drive } from '../media/read/drive.ts';
import type { MediaFacts } from '../media/facts.ts';
import { openPlannedOutput, type OutputPlan } from '../media/write/output.ts';
import { isInOrder, keptFrames, keptOf } from './edit-list.ts';
import { requireNotManyTimes } from './many-times.ts';
import { createJoiner } from './overlap.ts';
import { passesOf, type Sequence } from './passes.ts';
import { renderEdits } from './render-sound.ts';
import { writeEdited, type WriteEditOptions, type WrittenEdit } from './write.ts';

/** Renders keeps in any order; see `writeEdited` for those that follow the recording. @throws as both */
export const writeKeeps = (...order: Parameters<typeof writeEdited>): Promise<WrittenEdit> =>
  (isInOrder(order[2].keeps) ? writeEdited : writeSequence)(...order);

/**
 * Renders keeps in their order, which need not be the source's: exact to the frame, with crossfades as `writeEdited`.
 * The source is read again wherever the order goes back in it. Memory is the same for any length.
 * @param plan of sound; see `planOutput`
 * @throws EarshotError bad_request when nothing is kept; limit_exceeded beyond twice the source; wrong_file_type for a
 *   video
 */
export async function writeSequence(
  facts: MediaFacts,
  plan: OutputPlan,
  sequence: Sequence,
  folder: string,
  { signal, onProgress, threads, name = 'output' }: WriteEditOptions,
): Promise<WrittenEdit> {
  const frames = keptFrames(sequence);
  if (frames === 0) throw new EarshotError('bad_request', 'The edit removes the whole recording');
  requireNotManyTimes(sequence);
  if (plan.kind === 'video')
    throw new EarshotError(
      'wrong_file_type',
      'Expected sound but received a video: its passages cannot change their order',
      {
        nextAction: 'Only delete words, or convert the video to sound first.',
      },
    );
  const { sampleRate, crossfadeFrames } = sequence;
  const passes = passesOf(sequence);
  const format = soundFormat(facts);
  const { path: outputPath, sink } = openPlannedOutput(folder, facts, plan, format, {
    name,
    threads,
    sources: [{ facts, kept: keptOf(sequence) }],
    processed: false,
  });
  try {
    const joiner = createJoiner(
      format.channels,
      passes.slice(1).map(({ overlapFrames }) => overlapFrames),
      sink.write,
    );
    const warnings = [];
    let done = 0;
    for (const [index, { edits }] of passes.entries()) {
      if (index > 0) joiner.next();
      const from = Math.max(0, (edits.keeps[0]?.start ?? 0) - crossfadeFrames);
      const to = Math.min(edits.sourceFrames, (edits.keeps.at(-1)?.end ?? 0) + crossfadeFrames);
      const source = openAudio(facts, { from: from / sampleRate, to: to / sampleRate });
      const keeps = edits.keeps.map(({ start, end }) => ({ start: start - from, end: end - from }));
      const written = keptFrames(edits);
      try {
        await drive(
          source,
          [renderEdits({ ...edits, sourceFrames: to - from, keeps })],
          { write: joiner.write, ready: sink.ready },
          {
            signal,
            expectedFrames: to - from,
            onProgress: (fraction) => onProgress(Math.min(1, (done + fraction * written) / frames)),
          },
        );
        if (index === 0) warnings.push(...source.warnings);
      } finally {
        source.close();
      }
      done += written;
    }
    joiner.finish();
    await sink.finish();
    return {
      path: outputPath,
      frames,
      durationSeconds: frames / sampleRate,
      warnings: [...warnings, ...sink.warnings],
      sourceFrames: sequence.sourceFrames,
    };
  } finally {
    sink.close();
  }
}
