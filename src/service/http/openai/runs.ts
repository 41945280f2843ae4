import { text as readText } from 'node:stream/consumers';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { parseTranscript } from '../../../library/contract/parse-transcript.ts';
import type { Transcript } from '../../../library/contract/transcript.ts';
import type { FreeRuns, FreeRunView } from '../../rules/free-runs/free-run-use-cases.ts';
import type { Account } from '../../rules/accounts/account.ts';
import type { Service } from '../../rules/service.ts';
import { fromStored } from '../../rules/shared/stored-error.ts';

/** What runs of transcribe_audio have in common here. */

export const tool = 'transcribe_audio';
/** Files are kept for an hour: the transcript is in the answer, so they are not needed afterwards. */
export const keepSeconds = 3600;
/** Longer than any job may take; the client's own time-out ends the wait. */
const mostWaitSeconds = 24 * 3600;

type Runs = Pick<Service, 'freeRuns' | 'jobs'>;

/**
 * For a client that has disconnected or will be told to retry: the official clients retry by themselves, and the user
 * must not be charged twice.
 */
async function cancel({ freeRuns, jobs }: Runs, account: Account, id: string): Promise<void> {
  const view = await freeRuns.follow(id, 60, 'started', new AbortController().signal).catch(() => null);
  if (view?.job === null || view === null) return;
  await jobs.cancel(account, view.job.id).catch(() => undefined);
}

/**
 * @param stopped ends the wait; the run is cancelled then, unless it is `repeatable`
 * @throws EarshotError for a run without a transcript
 */
export async function ended(
  service: Runs,
  account: Account,
  id: string,
  stopped: AbortSignal,
  repeatable: boolean,
): Promise<FreeRunView> {
  const leave = (): void => void cancel(service, account, id);
  if (!repeatable) {
    if (stopped.aborted) leave();
    else stopped.addEventListener('abort', leave, { once: true });
  }
  const view = await service.freeRuns.follow(id, mostWaitSeconds, 'ended', stopped);
  if (!stopped.aborted) stopped.removeEventListener('abort', leave);
  requireSuccess(view);
  return view;
}

/** @throws EarshotError for a run without a transcript */
function requireSuccess({ run, job }: FreeRunView): void {
  if (run.status === 'refused' && run.error !== null) throw EarshotError.fromJSON(run.error);
  if (job?.status === 'failed' && job.error !== null) throw fromStored(job.error, { jobId: job.id });
  if (job?.status === 'cancelled')
    throw new EarshotError('conflict', `The job ${job.id} was cancelled`, { details: { jobId: job.id } });
  if (job?.status !== 'succeeded')
    throw new EarshotError('internal_error', 'The service is stopping; the transcription was cancelled', {
      retryable: true,
      details: { outage: true },
    });
}

export const readTranscript = async (view: FreeRunView, freeRuns: Pick<FreeRuns, 'open'>): Promise<Transcript> => {
  const { read } = await openOutput(view, 'json', freeRuns);
  return parseTranscript(await readText(await read()));
};

export async function openOutput(
  { outputs }: FreeRunView,
  format: string,
  { open }: Pick<FreeRuns, 'open'>,
): ReturnType<FreeRuns['open']> {
  const output = outputs.find(({ file }) => file.format === format);
  if (output === undefined) throw new EarshotError('internal_error', `The transcript has no ${format} file`);
  return open(output.file);
}
