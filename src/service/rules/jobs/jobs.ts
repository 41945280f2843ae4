import { EarshotError } from '../../../library/core/errors/errors.ts';
import { withoutBytes } from '../files/guards.ts';
import type { Changes } from '../shared/wait-for.ts';
import type { FileStore } from '../files/file-store.ts';
import { createJobWatch } from './watch.ts';
import { createOrder, type OrderJob, type OrderDeps } from './order.ts';
import type { JobSummary } from './stored-job.ts';
import type { StoredFile } from '../files/stored-file.ts';
import type { Account } from '../accounts/account.ts';
import type { JobRequest } from '../../../library/contract/job-request.ts';
import type { ToolId } from '../../../library/contract/tool-ids.ts';
import type { PageRequest, Page } from '../shared/page.ts';

export interface JobView {
  readonly job: JobSummary;
  readonly outputs: readonly StoredFile[];
}

/** Receives the states of a followed job; null: the job was deleted, no other state follows. */
export type Following<View> = (view: View | null, final: boolean) => void;

/** Tools run on an account's files, in the background. */
export interface Jobs {
  /**
   * Checks the request and its price, reserves the credits and enqueues the job.
   * @throws EarshotError insufficient_balance, over_spending_cap, free_limit_reached, and the tool's own errors
   */
  create(account: Account, request: JobRequest): Promise<JobView>;
  /** The account's jobs, newest first. */
  list(account: Account, filter: { readonly tool: ToolId | null }, page: PageRequest): Promise<Page<JobView>>;
  /** The job with its outputs. @throws EarshotError not_found */
  get(account: Account, jobId: string): Promise<JobView>;
  /**
   * Calls the listener with the job's state, and again at every change until it has ended. All followers of one job
   * share one query.
   * @param listener final: the last call; null: the job was deleted. Must not throw
   * @throws EarshotError not_found
   */
  follow(account: Account, jobId: string, listener: Following<JobView>): Promise<{ readonly stop: () => void }>;
  /** Cancels a queued job at once, a running one soon. @throws EarshotError not_found, job_not_cancellable */
  cancel(account: Account, jobId: string): Promise<JobView>;
}

/** The use cases of jobs, for clients. Workers run them. */
export function createJobs(deps: OrderDeps & { readonly changes: Changes }, order: OrderJob = createOrder(deps)): Jobs {
  const { jobs, files, now = () => new Date() } = deps;
  const views = (page: readonly JobSummary[]): Promise<readonly JobView[]> => withOutputs(files, page, now());

  async function view(job: JobSummary): Promise<JobView> {
    const [only] = await views([job]);
    return only ?? { job, outputs: [] };
  }

  const watch = createJobWatch(
    deps.changes,
    async (id) => {
      const job = await jobs.getSummary(id);
      return job === null ? null : view(job);
    },
    ({ job }) => job,
  );

  async function owned(account: Account, jobId: string): Promise<JobSummary> {
    const job = await jobs.getSummary(jobId);
    if (job === null || job.accountId !== account.id)
      throw new EarshotError('not_found', `There is no job ${jobId}`, { details: { id: jobId } });
    return job;
  }

  return {
    async create(account, request) {
      const { job } = await order({ accountId: account.id, visitor: account.id }, request);
      return view(job);
    },
    async list(account, filter, page) {
      const { items, nextCursor } = await jobs.list(account.id, filter, page);
      return { items: await views(items), nextCursor };
    },
    async follow(account, jobId, listener) {
      const first = await view(await owned(account, jobId));
      listener(first, watch.isFinal(first));
      if (watch.isFinal(first)) return { stop: () => undefined };
      return watch.follow(jobId, first, (next) => listener(next, watch.isFinal(next)));
    },
    get: async (account, jobId) => view(await owned(account, jobId)),
    async cancel(account, jobId) {
      await owned(account, jobId);
      return view(await jobs.requestCancel(jobId));
    },
  };
}

/** Jobs with their outputs; those that have expired by `at` are deleted, swept or not. */
export async function withOutputs<Job extends Pick<JobSummary, 'outputFileIds'>>(
  files: Pick<FileStore, 'getMany'>,
  page: readonly Job[],
  at: Date,
): Promise<readonly { readonly job: Job; readonly outputs: readonly StoredFile[] }[]> {
  const ids = page.flatMap((job) => job.outputFileIds);
  const found = ids.length === 0 ? [] : await files.getMany(ids);
  const byId = new Map(found.flatMap((file) => (file === null ? [] : [[file.id, file] as const])));
  return page.map((job) => ({
    job,
    outputs: job.outputFileIds
      .map((id) => byId.get(id))
      .filter((file): file is StoredFile => file !== undefined)
      .map((file) => (file.expiresAt <= at ? { ...file, ...withoutBytes } : file)),
  }));
}
