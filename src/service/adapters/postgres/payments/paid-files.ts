import { sql, type Transaction } from 'kysely';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { KeptFiles, PaymentStore } from '../../../rules/money/payment-store.ts';
import type { Tables } from '../database/schema.ts';

export type PaymentOrder = Parameters<PaymentStore['confirm']>[2];

/** Files that expire within this time count as expired. */
const sweptSoonMs = 5000;

/** Keeps the files for the job that needs them. false: one is deleted or about to expire. */
export async function keepFiles(
  trx: Transaction<Tables>,
  ids: readonly string[],
  { at, keepUntil }: PaymentOrder,
): Promise<boolean> {
  const there = await trx
    .selectFrom('files')
    .select('id')
    .where('id', 'in', [...ids])
    .where('status', '=', 'ready')
    .where('expiresAt', '>', new Date(at.getTime() + sweptSoonMs))
    .orderBy('id')
    .forUpdate()
    .execute();
  if (there.length < new Set(ids).size) return false;
  await trx
    .updateTable('files')
    .set({ expiresAt: sql<Date>`greatest(expires_at, ${keepUntil})` })
    .where('id', 'in', [...ids])
    .execute();
  return true;
}

/**
 * Keeps the files until the payment ends, or refuses the payment.
 * @throws EarshotError file_expired
 */
export async function keepWhilePaying(
  trx: Transaction<Tables>,
  { runId, fileIds, until, longestSeconds, atLeast }: KeptFiles,
  at: Date,
): Promise<void> {
  const ids = [...new Set(fileIds)];
  const there = await trx
    .selectFrom('files')
    .select(['id', 'createdAt', 'expiresAt'])
    .where('id', 'in', ids)
    .where('status', '=', 'ready')
    .where('expiresAt', '>', new Date(at.getTime() + sweptSoonMs))
    .orderBy('id')
    .forUpdate()
    .execute();
  const kept = there.map(({ id, createdAt: created, expiresAt: expires }) => {
    const longest = Math.min(until.getTime(), created.getTime() + longestSeconds * 1000);
    return { id, ends: new Date(Math.max(expires.getTime(), longest)) };
  });
  if (kept.length < ids.length || kept.some(({ ends }) => ends < atLeast))
    throw new EarshotError('file_expired', 'The file expires before a payment could be made', {
      nextAction: 'Send the file again, and pay for that.',
      details: { jobId: runId },
    });
  for (const { id, ends } of kept)
    await trx.updateTable('files').set({ expiresAt: ends }).where('id', '=', id).execute();
  const first = new Date(Math.min(...kept.map(({ ends }) => ends.getTime())));
  await trx
    .updateTable('free_runs')
    .set({ expiresAt: sql<Date>`greatest(expires_at, ${first})` })
    .where('id', '=', runId)
    .execute();
}
