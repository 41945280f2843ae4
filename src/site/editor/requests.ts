// Requests of the editor, whose refusals are told to people, and the jobs that they start.
import { poll } from '../../client/poll.ts';
import { ask as askService, type Problem, problemOf } from '../account/requests.ts';
import { helpIn, saidIn } from '../account/said.ts';
import { data, t } from './page-data.ts';
import { Failure, type Running } from './source.ts';

/** An answer as JSON. @throws Failure with what the service says, AbortError */
export const ask = <Answer>(...request: Parameters<typeof askService>): Promise<Answer> =>
  askService<Answer>(...request).catch((thrown: unknown) => {
    throw failureOf(problemOf(thrown));
  });

export function failureOf(problem: Problem): Failure {
  const { code, details } = problem;
  if (code === 'connection') return new Failure(code, t.cannot, t.unsaved);
  const link =
    code === 'insufficient_balance'
      ? { url: data.addresses.credits, name: t.buy }
      : code === 'unauthorized'
        ? { url: data.addresses.signIn, name: t.signIn }
        : details?.finishUrl !== undefined
          ? { url: details.finishUrl, name: t.buy }
          : null;
  return new Failure(code, saidIn(data.errors, problem), helpIn(data.errors, problem) ?? null, link);
}

/** A job of the REST API, or a run of the free one: what both say alike. */
export interface JobAnswer {
  readonly id: string;
  readonly status: string;
  readonly progress: number;
  readonly stage: string;
  readonly estimatedSecondsLeft: number | null;
  readonly processedSeconds: number | null;
  readonly free: boolean;
  readonly outputs: readonly {
    readonly id: string;
    readonly filename: string;
    readonly format: string | null;
    readonly sizeBytes: number | null;
    readonly url?: string;
  }[];
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly finishUrl?: string;
}

const endedBy = ['succeeded', 'failed', 'cancelled'];

/**
 * Waits for the end of a job.
 * @param look asks for its state
 * @param cancel called when the person has had enough
 */
export async function untilDone(
  look: () => Promise<JobAnswer>,
  cancel: () => Promise<unknown>,
  { signal, onState }: Running,
): Promise<JobAnswer> {
  const onLook = (job: JobAnswer | null): void => {
    if (job !== null) onState({ share: job.progress, secondsLeft: job.estimatedSecondsLeft });
  };
  const job = await poll<JobAnswer | null>({
    // A connection may be lost for a moment: the job goes on.
    look: () =>
      look().catch((thrown: unknown) => {
        if (thrown instanceof Failure && thrown.code === 'connection') return null;
        throw thrown;
      }),
    hasEnded: (now) => now !== null && (endedBy.includes(now.status) || now.stage === 'waiting_for_payment'),
    onLook,
    signal,
  }).catch(async (thrown: unknown) => {
    if (signal.aborted) await cancel().catch(() => undefined);
    throw thrown;
  });
  onLook(job);
  if (job?.status === 'succeeded') return job;
  if (job?.stage !== 'waiting_for_payment')
    throw failureOf(job?.error ?? { code: job?.status ?? '', message: t.cannot });
  throw new Failure(
    'free_limit_reached',
    t.cannot,
    null,
    job.finishUrl === undefined ? null : { url: job.finishUrl, name: t.buy },
  );
}
