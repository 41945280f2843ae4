import type { Kysely, Transaction } from 'kysely';
import { EarshotError } from '../../core/errors.ts';
import type { ToolId } from '../../contract/tool-ids.ts';
import type { JobStore, NewJob, PageRequest } from '../../service/ports.ts';
import type { StoredJob } from '../../service/records.ts';
import type { Enqueuer } from '../queue/enqueue.ts';
import { anyOf, batchReads, shareReads } from './batched-reads.ts';
import { announce } from './changes.ts';
import { createdMicros, decodeCursor, olderThan, toPage } from './cursor.ts';
import type { Database } from './database.ts';
import { findTarget, lockKey, lockName, rememberTarget } from './idempotency.ts';
import { freeUsesTaken, lockAccount, moveCredits, takeFreeUse } from './ledger.ts';
import { summaryColumns, toJob, toJobSummary } from './rows.ts';
import type { Tables } from './schema.ts';
import { createSettlements } from './settlements.ts';
import { nextShareRank, priorityOf } from './sharing.ts';

/** @param queue null: jobs are only written down; a worker's reconciler finds and enqueues them */
export function createJobStore(database: Database, queue: Enqueuer | null): JobStore {
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
      const place = decodeCursor(page.cursor);
      const rows = await kysely
        .selectFrom('jobs')
        .select(summaryColumns)
        .select(createdMicros.as('micros'))
        .where('account_id', '=', accountId)
        .$if(tool !== null, (query) => query.where('tool', '=', tool!))
        .$if(place !== null, (query) => query.where(olderThan(place!)))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(page.limit + 1)
        .execute();
      return toPage(rows, page, ({ micros, id }) => ({ at: micros, id }), toJobSummary);
    },
  );

  async function create(job: NewJob): Promise<{ job: StoredJob; created: boolean }> {
    return database.transaction(async (trx) => {
      const owner = job.accountId ?? job.freeSubject.id;
      const scope = { owner, scope: 'job' } as const;
      const availableCredits =
        job.accountId === null ? await lockVisitor(trx, owner) : await lockAvailable(trx, job.accountId);
      if (job.idempotency !== null) {
        // Keys of an account wait for each other on its row; the key's own lock covers a visitor's, too.
        await lockKey(trx, scope, job.idempotency);
        const earlier = await findTarget(trx, scope, job.idempotency);
        if (earlier !== null) return { job: await getJob(trx, earlier), created: false };
      }
      const terms = job.decide({
        availableCredits,
        freeUsesTaken: await freeUsesTaken(trx, job.freeSubject, job.tool),
      });
      if (job.accountId === null && terms.price > 0)
        throw new EarshotError(
          'insufficient_balance',
          `Expected an account to pay ${terms.price} credits; the request came without one`,
        );
      const shareRank = await nextShareRank(trx, owner);
      const row = await trx
        .insertInto('jobs')
        .values({
          id: job.id,
          account_id: job.accountId,
          free_subject: job.freeSubject.id,
          free_day: job.freeSubject.day,
          tool: job.tool,
          inputs: JSON.stringify(job.inputs),
          options: JSON.stringify(job.options),
          free: terms.free,
          window_seconds: terms.windowSeconds,
          price: terms.price,
          billed_seconds: job.billing.seconds,
          credits_per_minute: job.billing.creditsPerMinute,
          share_key: owner,
          share_rank: shareRank,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      if (terms.free) await takeFreeUse(trx, job.freeSubject, job.tool);
      if (job.accountId !== null && terms.price > 0)
        await moveCredits(trx, {
          accountId: job.accountId,
          kind: 'reserve',
          credits: 0,
          reserved: terms.price,
          jobId: job.id,
          note: null,
        });
      if (job.idempotency !== null) await rememberTarget(trx, scope, job.idempotency, job.id);
      await queue?.enqueue(trx, [{ kind: 'job', id: job.id, priority: priorityOf(shareRank) }]);
      await announce(trx, [job.id]);
      return { job: toJob(row), created: true };
    });
  }

  return {
    create,
    async findByIdempotency(accountId, idempotency) {
      const id = await findTarget(kysely, { owner: accountId, scope: 'job' }, idempotency);
      return id === null ? null : getJob(kysely, id);
    },
    async get(id) {
      const row = await kysely.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : toJob(row);
    },
    getSummary: async (id) => (await readSummaries([id]))[0] ?? null,
    list: (accountId, { tool }, page) => readPage({ accountId, tool, page }),
    async cancelRequested(ids) {
      if (ids.length === 0) return [];
      const rows = await kysely
        .selectFrom('jobs')
        .select('id')
        .where('id', 'in', [...ids])
        .where('cancel_requested', '=', true)
        .execute();
      return rows.map(({ id }) => id);
    },
    async counts() {
      const rows = await kysely
        .selectFrom('jobs')
        .select(['status', (expressions) => expressions.fn.countAll<number>().as('count')])
        .groupBy('status')
        .execute();
      const counts: Record<StoredJob['status'], number> = {
        queued: 0,
        running: 0,
        succeeded: 0,
        failed: 0,
        cancelled: 0,
      };
      for (const { status, count } of rows) counts[status] = count;
      return counts;
    },
    ...createSettlements(database, queue),
  };
}

async function lockAvailable(trx: Transaction<Tables>, accountId: string): Promise<number> {
  const { balance, reserved } = await lockAccount(trx, accountId);
  return balance - reserved;
}

async function lockVisitor(trx: Transaction<Tables>, subject: string): Promise<number> {
  await lockName(trx, `visitor ${subject}`);
  return 0;
}

async function getJob(db: Kysely<Tables>, id: string): Promise<StoredJob> {
  return toJob(await db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
}
