import { type LinkedFile, measuredWords } from '../../../../library/contract/assistant-answers.ts';
import type { ToolId } from '../../../../library/contract/tool-ids.ts';
import { toolWork } from '../../../../library/contract/tool-work.ts';
import type { Warning } from '../../../../library/core/progress/progress.ts';
import type { JsonObject } from '../../../../library/core/json.ts';
import type { StoredFile } from '../../../rules/files/stored-file.ts';
import type { Static } from 'typebox/type';
import type { ChainRecord } from '../../interface/chain-schemas.ts';
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

/** The outcome of a chain, and what to do next. @param chain as clients see it */
export function chainWords(chain: Static<typeof ChainRecord>, outputs: readonly StoredFile[]): Words {
  const { id, name, status, progress, stage, steps, charged, failedStep, error, estimatedSecondsLeft } = chain;
  const cost = charged === null || charged === 0 ? 'Nothing was charged.' : `It cost ${charged} credits.`;
  if (status === 'queued' || status === 'running') {
    const left = estimatedSecondsLeft === null ? '' : `, about ${Math.ceil(estimatedSecondsLeft)} s left`;
    const text =
      `The chain is ${status} (${id}): ${Math.round(progress * 100)} %, ${stage}${left}. Call get_job with this id ` +
      'as job_id to wait for it.';
    return { text, quoted: '' };
  }
  const where = failedStep === null ? '' : ` at its step ${failedStep}`;
  const ended = status === 'failed' ? `failed${where}` : status === 'cancelled' ? `was cancelled${where}` : 'succeeded';
  return {
    text: `The chain ${ended} (${id}): ${steps.map((step) => `${step.tool} ${step.status}`).join(', ')}. ${cost}`,
    quoted: [
      name,
      ...(error === null ? [] : [error.message]),
      ...(outputs.length === 0 ? [] : [`Outputs: ${outputs.map(fileWords).join('; ')}.`]),
      ...steps.flatMap(({ results }) => results.flatMap((result) => measuredWords(result as JsonObject | null))),
      ...chain.warnings.map(({ message }) => `Warning: ${message}`),
    ].join('\n'),
  };
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

/** What came out in the text as well: some clients show a model nothing else. */
export const withResults = (
  { text, quoted }: Words,
  links: readonly LinkedFile[],
  transcript: Words | null,
): Words => ({
  text: [text, ...(transcript === null ? [] : [transcript.text])].join('\n'),
  quoted: [
    quoted,
    ...links.map(({ name, uri }) => `${name}: ${uri}`),
    ...(transcript === null ? [] : [transcript.quoted]),
  ].join('\n'),
});
