import { sql } from 'kysely';
import type { ToolId } from '../../../../library/contract/tool-ids.ts';
import type { RunIdentity } from '../../../rules/fleet/fleet.ts';
import type { JobStore, NewJob, QueuedWork } from '../../../rules/jobs/job-store.ts';
import type { PageRequest } from '../../../rules/shared/page.ts';
import type { StoredJob } from '../../../rules/jobs/stored-job.ts';
import type { Enqueuer } from '../../queue/enqueue.ts';
import { anyOf, batchReads, shareReads } from '../database/batched-reads.ts';
import { newestPage } from '../database/cursor.ts';
import type { Database } from '../database/database.ts';
import { findTarget } from '../database/idempotency.ts';
import { activityOf } from './job-activity.ts';
import { createJobCounts } from './job-counts.ts';
import { createTurns } from './job-turns.ts';
import { createJobIn, readJob } from './new-job.ts';
import { summaryColumns, toJob, toJobSummary } from '../database/rows.ts';
import { createSettlements } from './settlements.ts';
import { shortResult } from './short-result.ts';

const listColumns = summaryColumns.filter((column) => column !== 'result');

/** @param queue null: jobs are not enqueued here; a worker's reconciler does it */
export function createJobStore(
  database: Database,
  queue: Enqueuer | null,
  identity: RunIdentity | null = null,
): JobStore {
  const { kysely } = database;

  const readSummaries = batchReads(async (ids) =>
    (await kysely.selectFrom('jobs').select(summaryColumns).where('id', '=', anyOf(ids)).execute()).map(toJobSummary),
  );

  const readPage = shareReads(
    async ({
      accountId,
      tool,
      page,
    }: {
      readonly accountId: string;
      readonly tool: ToolId | null;
      readonly page: PageRequest;
    }) => {
      const query = kysely
        .selectFrom('jobs')
        .select(listColumns)
        .select(shortResult.as('result'))
        .where('accountId', '=', accountId)
        // Steps are shown in their chain.
        .where('chainId', 'is', null)
        .$if(tool !== null, (jobs) => jobs.where('tool', '=', tool!));
      return newestPage(query, page, toJobSummary);
    },
  );

  const create = (job: NewJob): Promise<{ job: StoredJob; created: boolean }> =>
    database.transaction((trx) => createJobIn(trx, queue, job, identity));

  return {
    create,
    async findByIdempotency(accountId, idempotency) {
      const id = await findTarget(kysely, { owner: accountId, scope: 'job' }, idempotency);
      return id === null ? null : readJob(kysely, id);
    },
    async get(id) {
      const row = await kysely.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : toJob(row);
    },
    getSummary: async (id) => (await readSummaries([id]))[0] ?? null,
    async dryRunResults(accountId, tool, { field, fileId, sourceJobId }) {
      const rows = await kysely
        .selectFrom('jobs')
        .select('result')
        .where('accountId', '=', accountId)
        .where('tool', '=', tool)
        .where('result', 'is not', null)
        .where(sql<boolean>`options @> '{"dry_run": true}'`)
        .where(sql<boolean>`(inputs @> ${JSON.stringify({ [field]: [fileId] })}::jsonb or id = ${sourceJobId ?? ''})`)
        .orderBy('createdAt', 'desc')
        .limit(20)
        .execute();
      return rows.flatMap(({ result }) => (result === null ? [] : [result]));
    },
    list: (accountId, { tool }, page) => readPage({ accountId, tool, page }),
    async queued() {
      const { rows } = await sql<QueuedWork & { tool: ToolId }>`
        select tool, count(*)::int as jobs, sum(coalesce(billed_seconds, 60))::float8 as seconds,
          greatest(0, extract(epoch from clock_timestamp() - min(created_at)))::float8 as "oldestSeconds"
        from jobs where status = 'queued' group by tool`.execute(kysely);
      return Object.fromEntries(rows.map(({ tool, ...work }) => [tool, work]));
    },
    counts: createJobCounts(kysely),
    activity: (since) => activityOf(kysely, since),
    ...createTurns(database, queue, identity),
    ...createSettlements(database, queue),
  };
}
