import { measuredWords } from '../../../../library/contract/assistant-answers.ts';
import type { ToolId } from '../../../../library/contract/tool-ids.ts';
import { toolWork } from '../../../../library/contract/tool-work.ts';
import type { Warning } from '../../../../library/core/progress/progress.ts';
import type { StoredFile } from '../../../rules/files/stored-file.ts';
import type { JobView } from '../../../rules/jobs/jobs.ts';

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

/** Words for a model: ours, and what others have written. */
export interface Words {
  readonly text: string;
  readonly quoted: string;
}

/** The outcome of a job, and what to do next. */
export function jobWords({ job, outputs }: JobView): Words {
  const { id, tool, status, progress, stage, estimatedSecondsLeft, error, result, free, processedSeconds } = job;
  if (status === 'failed')
    return { text: `${tool} failed (${id}). Nothing was charged.`, quoted: error?.message ?? 'The reason is unknown.' };
  if (status === 'cancelled') return { text: `${tool} was cancelled (${id}). Nothing was charged.`, quoted: '' };
  if (status !== 'succeeded') {
    const left = estimatedSecondsLeft === null ? '' : `, about ${Math.ceil(estimatedSecondsLeft)} s left`;
    const text =
      `${tool} is ${status} (${id}): ${Math.round(progress * 100)} %, ${stage}${left}. Call get_job with this job_id ` +
      'to wait for it.';
    return { text, quoted: '' };
  }
  const part = free && processedSeconds !== null ? ` on the free part, ${Math.round(processedSeconds)} s` : '';
  return {
    text: [`${tool} succeeded${part} (${id}).`, ...nextWords(tool, outputs)].join('\n'),
    quoted: [
      ...(outputs.length === 0 ? [] : [`Outputs: ${outputs.map(fileWords).join('; ')}.`]),
      ...measuredWords(result),
      ...warningWords(job.warnings),
    ].join('\n'),
  };
}

const warningWords = (warnings: readonly Warning[]): readonly string[] =>
  warnings.map(({ message }) => `Warning: ${message}`);

function nextWords(tool: ToolId, outputs: readonly StoredFile[]): readonly string[] {
  const transcript = outputs.find(({ format }) => format === 'json');
  const writesWords = toolWork[tool].transcriptOf !== null;
  return transcript !== undefined && writesWords
    ? [`Read the words with get_transcript and file_id ${transcript.id}.`]
    : [];
}
