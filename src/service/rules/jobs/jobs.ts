import { EarshotError } from '../../../library/core/errors/errors.ts';
import { withoutBytes } from '../files/guards.ts';
import type { Changes, FileStore } from '../ports.ts';
import type { Account, JobSummary, StoredFile } from '../records.ts';
import type { Jobs, JobView } from '../service.ts';
import { createJobWatch } from './watch.ts';
import { createOrder, type OrderJob, type OrderDeps } from './order.ts';

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
export async function withOutputs(
  files: Pick<FileStore, 'getMany'>,
  page: readonly JobSummary[],
  at: Date,
): Promise<readonly JobView[]> {
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
