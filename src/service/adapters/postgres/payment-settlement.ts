import type { Transaction } from 'kysely';
import type { PaymentOutcome } from '../../rules/payment-store.ts';
import type { Enqueuer } from '../queue/enqueue.ts';
import { noAutoRefill } from './accounts.ts';
import { announce } from './changes.ts';
import { moveCredits } from './ledger.ts';
import { createJobIn } from './new-job.ts';
import { keepFiles, type PaymentOrder } from './paid-files.ts';
import { type PaymentRow, takeBack } from './payment-returns.ts';
import { toFreeRun } from './rows.ts';
import type { Tables } from './schema.ts';

/**
 * Adds the credits and starts the job that finishes the run, if possible. Locks the run's row: the second of two
 * payments for one run buys credits for the account that the first one created.
 */
export async function settlePayment(
  trx: Transaction<Tables>,
  queue: Enqueuer | null,
  payment: PaymentRow,
  paidCents: number,
  order: PaymentOrder,
): Promise<PaymentRow> {
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

async function makeAccount(trx: Transaction<Tables>, { accountId, accountName }: PaymentOrder): Promise<string> {
  await trx
    .insertInto('accounts')
    .values({ id: accountId, name: accountName, auto_refill: JSON.stringify(noAutoRefill) })
    .execute();
  return accountId;
}
