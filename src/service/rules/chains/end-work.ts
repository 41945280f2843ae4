import type { JobStore } from '../jobs/job-store.ts';
import { terminalJobStatuses } from '../jobs/stored-job.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import type { ChainStore } from './chain-store.ts';
import { cancelChain } from './chains.ts';

/** Stores of what accounts run. */
export interface WorkStores {
  readonly jobs: Pick<JobStore, 'list' | 'requestCancel'>;
  readonly chains: Pick<ChainStore, 'list' | 'requestCancel'>;
}

const pageSize = 100;

/** Cancels all jobs and chains of an account that have not ended. */
export async function endWork({ jobs, chains }: WorkStores, accountId: string): Promise<void> {
  // It may have ended in the meantime, which is fine.
  await each(
    (page) => jobs.list(accountId, { tool: null }, page),
    async ({ id, status }) => {
      if (!terminalJobStatuses.includes(status)) await jobs.requestCancel(id).catch(() => undefined);
    },
  );
  await each(
    (page) => chains.list(accountId, page),
    async ({ chain }) => {
      if (!terminalJobStatuses.includes(chain.status))
        await cancelChain({ chains, jobs }, chain.id).catch(() => undefined);
    },
  );
}

/** Does something with each item of a list that comes in pages. */
export async function each<Item>(
  list: (page: PageRequest) => Promise<Page<Item>>,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  for (let cursor: string | null = null; ;) {
    const { items, nextCursor }: Page<Item> = await list({ cursor, limit: pageSize });
    for (const item of items) await act(item);
    if (nextCursor === null) return;
    cursor = nextCursor;
  }
}
