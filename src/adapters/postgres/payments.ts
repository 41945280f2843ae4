import { sql, type Selectable, type Transaction } from 'kysely';
import { EarshotError } from '../../core/errors.ts';
import { shownName } from '../../core/names.ts';
import type { PaymentOutcome, PaymentStatus, PaymentStore } from '../../service/payment-store.ts';
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

/** A file that is swept in the next moment is gone already. */
const sweptSoonMs = 5000;

/** @param queue null: the job that a payment starts is only written down; a worker's reconciler finds it */
export function createPaymentStore(database: Database, queue: Enqueuer | null): PaymentStore {
  const { kysely } = database;

  /**
   * The account's credits, and the job that finishes the run if it still can. The run's row is locked, so that of two
   * payments for one run the second buys credits for the account that the first one made.
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
    // The money went back before we heard that it had come.
    if (refunded > 0) await takeBack(trx, accountId, payment.id, Math.min(refunded, paidCents));
    return trx
      .updateTable('payments')
      .set({
        status: refunded >= paidCents ? 'refunded' : 'paid',
        account_id: accountId,
        paid_cents: paidCents,
        paid_at: order.at,
        outcome,
        job_id: jobId,
      })
      .where('id', '=', payment.id)
      .returningAll()
      .executeTakeFirstOrThrow();
  }

  return {
    async create({ id, provider, freeRunId, accountId, tool, amountCents, createdAt }) {
      const row = await kysely
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
        if (payment.account_id !== null && payment.paid_at !== null) await takeBack(trx, payment.account_id, id, more);
        const row = await trx
          .updateTable('payments')
          .set({
            refunded_cents: refundedCents,
            ...(payment.paid_at !== null && refundedCents >= payment.paid_cents ? { status: 'refunded' as const } : {}),
          })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow();
        return toPayment(row);
      });
    },
    async counts() {
      const rows = await kysely
        .selectFrom('payments')
        .select(['status', (expressions) => expressions.fn.countAll<number>().as('count')])
        .groupBy('status')
        .execute();
      const counts: Record<PaymentStatus, number> = { open: 0, paid: 0, refunded: 0, closed: 0 };
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

/** The files stay for the job that is about to need them. false: one is gone, or as good as. */
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

/** Credits that were bought go with the money, as far as they are still there. */
async function takeBack(trx: Transaction<Tables>, accountId: string, paymentId: string, cents: number): Promise<void> {
  const { balance, reserved } = await lockAccount(trx, accountId);
  const credits = Math.min(cents, balance - reserved);
  if (credits > 0)
    await moveCredits(trx, {
      accountId,
      kind: 'adjustment',
      credits: -credits,
      reserved: 0,
      jobId: null,
      note: `refund of ${paymentId}`,
    });
}
