import type { Transaction } from 'kysely';
import type { PaymentOutcome } from '../../../rules/money/payment-store.ts';
import type { Enqueuer } from '../../queue/enqueue.ts';
import { noAutoRefill } from '../accounts/accounts.ts';
import { announce } from '../database/changes.ts';
import { moveCredits } from '../money/ledger.ts';
import { createJobIn } from '../jobs/new-job.ts';
import { keepFiles, type PaymentOrder } from './paid-files.ts';
import { type PaymentRow, takeEarlierReturns } from './payment-returns.ts';
import { toFreeRun } from '../database/rows.ts';
import type { Tables } from '../database/schema.ts';

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
    payment.freeRunId === null
      ? undefined
      : await trx
          .selectFrom('free_runs')
          .selectAll()
          .where('id', '=', payment.freeRunId)
          .forUpdate()
          .executeTakeFirst();
  const accountId = payment.accountId ?? run?.payerAccountId ?? run?.accountId ?? (await makeAccount(trx, order));
  await moveCredits(trx, {
    accountId,
    kind: 'purchase',
    credits: paidCents,
    reserved: 0,
    jobId: null,
    paymentId: payment.id,
    note: payment.id,
  });
  let outcome: PaymentOutcome = payment.freeRunId === null ? 'credits' : 'file_gone';
  let jobId: string | null = null;
  if (run !== undefined) {
    const { whole, request, ...free } = toFreeRun(run);
    if (run.finishJobId !== null) outcome = 'already_finished';
    else if (whole !== null && paidCents - payment.refundedCents < whole.credits) outcome = 'too_little';
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
        payerAccountId: accountId,
        ...(jobId === null ? {} : { finishJobId: jobId, expiresAt: order.keepUntil }),
      })
      .where('id', '=', run.id)
      .execute();
    await announce(trx, [run.id]);
  }
  const paid = await trx
    .updateTable('payments')
    .set({ status: 'paid', accountId, paidCents, paidAt: order.at, outcome, jobId })
    .where('id', '=', payment.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return takeEarlierReturns(trx, { ...paid, accountId });
}

async function makeAccount(trx: Transaction<Tables>, { accountId, accountName }: PaymentOrder): Promise<string> {
  await trx
    .insertInto('accounts')
    .values({ id: accountId, name: accountName, autoRefill: JSON.stringify(noAutoRefill) })
    .execute();
  return accountId;
}
