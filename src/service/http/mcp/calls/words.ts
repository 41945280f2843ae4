import { measuredWords } from '../../../../library/contract/assistant-answers.ts';
import type { Warning } from '../../../../library/core/progress.ts';
import type { StoredFile } from '../../../rules/records.ts';
import type { JobView } from '../../../rules/service.ts';

/** Descriptions of records for a model. */

/** "talk.wav (file_1, wav, 1.5 MB, 12.3 s)" */
export function fileWords({ id, filename, format, sizeBytes, durationSeconds, status }: StoredFile): string {
  const facts = [
    id,
    ...(format === null ? [] : [format]),
    ...(sizeBytes === null ? [] : [sizeWords(sizeBytes)]),
    ...(durationSeconds === null ? [] : [`${Math.round(durationSeconds * 10) / 10} s`]),
    ...(status === 'ready' ? [] : [status]),
  ];
  return `${filename} (${facts.join(', ')})`;
}

const sizeWords = (bytes: number): string =>
  bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : `${Math.round(bytes / 1e5) / 10} MB`;

/** The outcome of a job, and what to do next. */
export function jobWords({ job, outputs }: JobView): string {
  const { id, tool, status, progress, stage, estimatedSecondsLeft, error, result, free, processedSeconds } = job;
  if (status === 'failed')
    return `${tool} failed (${id}): ${error?.message ?? 'for an unknown reason'}. Nothing was charged.`;
  if (status === 'cancelled') return `${tool} was cancelled (${id}). Nothing was charged.`;
  if (status !== 'succeeded') {
    const left = estimatedSecondsLeft === null ? '' : `, about ${Math.ceil(estimatedSecondsLeft)} s left`;
    return `${tool} is ${status} (${id}): ${Math.round(progress * 100)} %, ${stage}${left}. Call get_job with this job_id to wait for it.`;
  }
  const part = free && processedSeconds !== null ? ` on the free part, ${Math.round(processedSeconds)} s` : '';
  return [
    `${tool} succeeded${part} (${id}).`,
    ...(outputs.length === 0 ? [] : [`Outputs: ${outputs.map(fileWords).join('; ')}.`]),
    ...measuredWords(result),
    ...warningWords(job.warnings),
    ...nextWords(tool, outputs),
  ].join('\n');
}

const warningWords = (warnings: readonly Warning[]): readonly string[] =>
  warnings.map(({ message }) => `Warning: ${message}`);

function nextWords(tool: string, outputs: readonly StoredFile[]): readonly string[] {
  const transcript = outputs.find(({ format }) => format === 'json');
  const speaks = ['transcribe_audio', 'align_script', 'remove_fillers'].includes(tool);
  return transcript !== undefined && speaks ? [`Read the words with get_transcript and file_id ${transcript.id}.`] : [];
}
