import { sql, type Selectable, type Transaction } from 'kysely';
import { EarshotError } from '../../../library/core/errors.ts';
import { shownName } from '../../../library/core/names.ts';
import type { KeptFiles, PaymentOutcome, PaymentStatus, PaymentStore } from '../../rules/payment-store.ts';
import type { Enqueuer } from '../queue/enqueue.ts';
import { noAutoRefill } from './accounts.ts';
import { announce } from './changes.ts';
import { createdMicros, decodeCursor, olderThan, toPage } from './cursor.ts';
import type { Database } from './database.ts';
import { lockAccount, moveCredits } from './ledger.ts';
import { createJobIn } from './new-job.ts';
import { toFreeRun, toPayment } from './rows.ts';
import type { PaymentTable, Tables } from './schema.ts';

type PaymentRow = Selectable<PaymentTable>;
type Order = Parameters<PaymentStore['confirm']>[2];

/** Files that expire within this time count as expired. */
const sweptSoonMs = 5000;

/** @param queue null: the job of a payment is not enqueued here; a worker's reconciler does it */
export function createPaymentStore(database: Database, queue: Enqueuer | null): PaymentStore {
  const { kysely } = database;

  /**
   * Adds the credits and starts the job that finishes the run, if possible. Locks the run's row: the second of two
   * payments for one run buys credits for the account that the first one created.
   */
  async function settle(trx: Transaction<Tables>, payment: PaymentRow, paidCents: number, order: Order) {
    const run =
      payment.free_run_id === null
        ? undefined
        : await trx
            .selectFrom('free_runs')
            .selectAll()
            .where('id', '=', payment.free_run_id)
            .forUpdate()
            .executeTakeFirst();
    const accountId = payment.account_id ?? run?.payer_account_id ?? run?.account_id ?? (await makeAccount(trx, order));
    await moveCredits(trx, {
      accountId,
      kind: 'purchase',
      credits: paidCents,
      reserved: 0,
      jobId: null,
      note: payment.id,
    });
    let outcome: PaymentOutcome = payment.free_run_id === null ? 'credits' : 'file_gone';
    let jobId: string | null = null;
    if (run !== undefined) {
      const { whole, request, ...free } = toFreeRun(run);
      if (run.finish_job_id !== null) outcome = 'already_finished';
      else if (whole !== null && paidCents - payment.refunded_cents < whole.credits) outcome = 'too_little';
      else if (whole !== null && (await keepFiles(trx, Object.values(request.inputs).flat(), order))) {
        const { job } = await createJobIn(trx, queue, {
          id: order.jobId,
          accountId,
          freeSubject: { id: accountId, day: order.at.toISOString().slice(0, 10) },
          tool: free.tool,
          inputs: request.inputs,
          options: request.options,
          idempotency: null,
          billing: whole.billing,
          decide: () => ({ free: false, windowSeconds: null, price: whole.credits }),
        });
        outcome = 'job_started';
        jobId = job.id;
      }
      await trx
        .updateTable('free_runs')
        .set({
          payer_account_id: accountId,
          ...(jobId === null ? {} : { finish_job_id: jobId, expires_at: order.keepUntil }),
        })
        .where('id', '=', run.id)
        .execute();
      await announce(trx, [run.id]);
    }
    const { refunded_cents: refunded } = payment;
    // The refund arrived before the confirmation.
    if (refunded > 0) await takeBack(trx, accountId, `refund of ${payment.id}`, Math.min(refunded, paidCents));
    // So did a dispute.
    const frozen = payment.dispute === 'open' || payment.dispute === 'lost' ? payment.disputed_cents : 0;
    const frozenCredits = await takeBack(trx, accountId, `${payment.id} is disputed`, Math.min(frozen, paidCents));
    return trx
      .updateTable('payments')
      .set({
        status: refunded >= paidCents ? 'refunded' : 'paid',
        account_id: accountId,
        paid_cents: paidCents,
        paid_at: order.at,
        outcome,
        job_id: jobId,
        frozen_credits: frozenCredits,
      })
      .where('id', '=', payment.id)
      .returningAll()
      .executeTakeFirstOrThrow();
  }

  return {
    async create({ id, provider, freeRunId, accountId, tool, amountCents, createdAt }, keep) {
      return database.transaction(async (trx) => {
        if (keep !== null) await keepWhilePaying(trx, keep, createdAt);
        const row = await trx
          .insertInto('payments')
          .values({
            id,
            provider,
            free_run_id: freeRunId,
            account_id: accountId,
            tool,
            amount_cents: amountCents,
            created_at: createdAt,
          })
          .returningAll()
          .executeTakeFirstOrThrow();
        return toPayment(row);
      });
    },
    async get(id) {
      const row = await kysely.selectFrom('payments').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : toPayment(row);
    },
    async refer(id, reference) {
      await kysely.updateTable('payments').set({ reference }).where('id', '=', id).execute();
    },
    async forRun(freeRunId) {
      const rows = await kysely
        .selectFrom('payments')
        .selectAll()
        .where('free_run_id', '=', freeRunId)
        .orderBy('created_at')
        .execute();
      return rows.map(toPayment);
    },
    async list(page) {
      const place = decodeCursor(page.cursor);
      const rows = await kysely
        .selectFrom('payments')
        .selectAll()
        .select(createdMicros.as('micros'))
        .$if(place !== null, (query) => query.where(olderThan(place!)))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(page.limit + 1)
        .execute();
      return toPage(rows, page, ({ micros, id }) => ({ at: micros, id }), toPayment);
    },
    async confirm(id, paidCents, order) {
      return database.transaction(async (trx) => {
        const payment = await lockPayment(trx, id);
        if (payment.paid_at !== null) return { payment: toPayment(payment), first: false };
        return { payment: toPayment(await settle(trx, payment, paidCents, order)), first: true };
      });
    },
    async close(id) {
      await kysely
        .updateTable('payments')
        .set({ status: 'closed' })
        .where('id', '=', id)
        .where('status', '=', 'open')
        .execute();
    },
    async refund(id, refundedCents) {
      return database.transaction(async (trx) => {
        const payment = await lockPayment(trx, id);
        const more = refundedCents - payment.refunded_cents;
        if (more <= 0) return toPayment(payment);
        const taken =
          payment.account_id !== null && payment.paid_at !== null
            ? await takeBack(trx, payment.account_id, `refund of ${id}`, more)
            : more;
        const row = await trx
          .updateTable('payments')
          .set({
            refunded_cents: refundedCents,
            // Frozen credits are taken first.
            frozen_credits: Math.max(0, payment.frozen_credits - (more - taken)),
            ...(payment.paid_at !== null && refundedCents >= payment.paid_cents ? { status: 'refunded' as const } : {}),
          })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow();
        return toPayment(row);
      });
    },
    async dispute(id, dispute, cents) {
      return database.transaction(async (trx) => {
        const payment = await lockPayment(trx, id);
        // A decision is final, also if older events arrive later.
        if (payment.dispute === dispute || payment.dispute === 'won' || payment.dispute === 'lost')
          return toPayment(payment);
        const { account_id: accountId, frozen_credits: frozen } = payment;
        let frozenCredits = frozen;
        if (accountId !== null && payment.paid_at !== null) {
          if (dispute !== 'won' && payment.dispute === null)
            frozenCredits = await takeBack(trx, accountId, `${id} is disputed`, Math.min(cents, payment.paid_cents));
          if (dispute === 'won' && frozen > 0) {
            const note = `${id} is no longer disputed`;
            await moveCredits(trx, { accountId, kind: 'adjustment', credits: frozen, reserved: 0, jobId: null, note });
          }
        }
        const row = await trx
          .updateTable('payments')
          .set({ dispute, disputed_cents: cents, frozen_credits: dispute === 'won' ? 0 : frozenCredits })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow();
        return toPayment(row);
      });
    },
    async counts() {
      const { rows } = await sql<{ status: PaymentStatus | 'disputed'; count: number }>`
        select case when dispute = 'open' then 'disputed' else status end as status, count(*) as count
        from payments group by 1`.execute(kysely);
      const counts: Record<PaymentStatus | 'disputed', number> = {
        open: 0,
        paid: 0,
        refunded: 0,
        closed: 0,
        disputed: 0,
      };
      for (const { status, count } of rows) counts[status] = count;
      return counts;
    },
  };
}

async function lockPayment(trx: Transaction<Tables>, id: string): Promise<PaymentRow> {
  const row = await trx.selectFrom('payments').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
  if (row === undefined)
    throw new EarshotError('not_found', `There is no payment ${shownName(id)}`, {
      details: { id: shownName(id) },
    });
  return row;
}

async function makeAccount(trx: Transaction<Tables>, { accountId, accountName }: Order): Promise<string> {
  await trx
    .insertInto('accounts')
    .values({ id: accountId, name: accountName, auto_refill: JSON.stringify(noAutoRefill) })
    .execute();
  return accountId;
}

/** Keeps the files for the job that needs them. false: one is deleted or about to expire. */
async function keepFiles(trx: Transaction<Tables>, ids: readonly string[], { at, keepUntil }: Order): Promise<boolean> {
  const there = await trx
    .selectFrom('files')
    .select('id')
    .where('id', 'in', [...ids])
    .where('status', '=', 'ready')
    .where('expires_at', '>', new Date(at.getTime() + sweptSoonMs))
    .orderBy('id')
    .forUpdate()
    .execute();
  if (there.length < new Set(ids).size) return false;
  await trx
    .updateTable('files')
    .set({ expires_at: sql<Date>`greatest(expires_at, ${keepUntil})` })
    .where('id', 'in', [...ids])
    .execute();
  return true;
}

/**
 * Keeps the files until the payment ends, or refuses the payment.
 * @throws EarshotError file_expired
 */
async function keepWhilePaying(
  trx: Transaction<Tables>,
  { runId, fileIds, until, longestSeconds, atLeast }: KeptFiles,
  at: Date,
): Promise<void> {
  const ids = [...new Set(fileIds)];
  const there = await trx
    .selectFrom('files')
    .select(['id', 'created_at', 'expires_at'])
    .where('id', 'in', ids)
    .where('status', '=', 'ready')
    .where('expires_at', '>', new Date(at.getTime() + sweptSoonMs))
    .orderBy('id')
    .forUpdate()
    .execute();
  const kept = there.map(({ id, created_at: created, expires_at: expires }) => {
    const longest = Math.min(until.getTime(), created.getTime() + longestSeconds * 1000);
    return { id, ends: new Date(Math.max(expires.getTime(), longest)) };
  });
  if (kept.length < ids.length || kept.some(({ ends }) => ends < atLeast))
    throw new EarshotError('file_expired', 'The file expires before a payment could be made', {
      nextAction: 'Send the file again, and pay for that.',
      details: { jobId: runId },
    });
  for (const { id, ends } of kept)
    await trx.updateTable('files').set({ expires_at: ends }).where('id', '=', id).execute();
  const first = new Date(Math.min(...kept.map(({ ends }) => ends.getTime())));
  await trx
    .updateTable('free_runs')
    .set({ expires_at: sql<Date>`greatest(expires_at, ${first})` })
    .where('id', '=', runId)
    .execute();
}

/**
 * Takes back bought credits, as many as are available.
 * @returns the number of credits taken
 */
async function takeBack(trx: Transaction<Tables>, accountId: string, note: string, cents: number): Promise<number> {
  const { balance, reserved } = await lockAccount(trx, accountId);
  const credits = Math.min(cents, balance - reserved);
  if (credits <= 0) return 0;
  await moveCredits(trx, { accountId, kind: 'adjustment', credits: -credits, reserved: 0, jobId: null, note });
  return credits;
}
