import type { JobRequest } from '../../../library/contract/job-request.ts';
import { toolWork } from '../../../library/contract/tool-work.ts';
import type { JsonValue } from '../../../library/core/json.ts';
import type { ToolId } from '../../../library/contract/tool-ids.ts';
import type { Account } from '../accounts/account.ts';
import type { Jobs, JobView } from '../jobs/jobs.ts';
import { hashRequest } from '../jobs/request-hash.ts';
import type { EditJob } from './edit-store.ts';

/** What the keys of the editor's jobs of a recording begin with. */
export const editKey = (fileId: string): string => `edit:${fileId}:`;

/** Ended without a result, or its result is gone. */
const isSpent = ({ job, outputs }: JobView): boolean =>
  job.status === 'failed' ||
  job.status === 'cancelled' ||
  (job.status === 'succeeded' && (outputs.length === 0 || outputs.some(({ status }) => status !== 'ready')));

/**
 * Orders a job of an edit once: the same order gives the job that there is, on whatever device it is pressed, so that
 * nothing is paid twice. A new job follows one that has failed, was cancelled, or whose result is gone.
 * @throws as `Jobs.create`
 */
export async function orderOnce(
  create: Jobs['create'],
  account: Account,
  fileId: string,
  request: Omit<JobRequest, 'idempotencyKey'>,
): Promise<JobView> {
  const key = editKey(fileId) + hashRequest({ ...request, idempotencyKey: null });
  // A new job is queued: there are as many turns as jobs that are spent.
  for (let attempt = 0; ; attempt += 1) {
    const view = await create(account, { ...request, idempotencyKey: `${key}:${attempt}` });
    if (!isSpent(view)) return view;
  }
}

/** The jobs of the editor to go on with when a recording is opened; null: none. */
export interface ResumedJobs {
  /** Makes its words. */
  readonly text: string | null;
  /** Renders an edit, or has rendered it. */
  readonly render: {
    readonly id: string;
    readonly hasEnded: boolean;
    /** What it removes, seconds: an edit that removes anything else is not what it has rendered. */
    readonly ranges: JsonValue;
  } | null;
}

export function resumedJobs(jobs: readonly EditJob[]): ResumedJobs {
  const writes = ({ tool }: { readonly tool: ToolId }): boolean => toolWork[tool].transcriptOf === 'input';
  const isUnderWay = ({ status }: EditJob): boolean => status === 'queued' || status === 'running';
  const text = jobs.find((job) => writes(job) && isUnderWay(job));
  const render = jobs.find((job) => !writes(job) && (isUnderWay(job) || job.status === 'succeeded'));
  return {
    text: text?.id ?? null,
    render:
      render === undefined
        ? null
        : { id: render.id, hasEnded: !isUnderWay(render), ranges: render.options['ranges'] ?? null },
  };
}
