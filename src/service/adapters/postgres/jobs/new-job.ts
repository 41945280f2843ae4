import type { Kysely, Transaction } from 'kysely';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { RunIdentity } from '../../../rules/fleet/fleet.ts';
import { shareKeyOf } from '../../../rules/fleet/job-classes.ts';
import type { NewJob } from '../../../rules/jobs/job-store.ts';
import type { StoredJob } from '../../../rules/jobs/stored-job.ts';
import type { Enqueuer } from '../../queue/enqueue.ts';
import { lockName } from '../../advisory-locks.ts';
import { announce } from '../database/changes.ts';
import { freeSecondsTaken, freeUsesTaken, takeFreeSeconds, takeFreeUse } from './free-uses.ts';
import { findTarget, lockKey, rememberTarget } from '../database/idempotency.ts';
import { lockAccount, moveCredits } from '../money/ledger.ts';
import { toJob } from '../database/rows.ts';
import type { Tables } from '../database/schema.ts';
import { jobTask, nextShareRank } from './sharing.ts';
import { previewsOf, usageOf } from '../database/usage.ts';

/**
 * Creates a job and takes its free use or reserves its credits, in the caller's transaction.
 * @param promise of the process that takes the order. Default: any machine may run it
 */
export async function createJobIn(
  trx: Transaction<Tables>,
  queue: Enqueuer | null,
  job: NewJob,
  promise: Pick<RunIdentity, 'version' | 'models'> | null = null,
): Promise<{ job: StoredJob; created: boolean }> {
  const owner = job.accountId ?? job.freeSubject.id;
  const scope = { owner, scope: 'job' } as const;
  const availableCredits =
    job.accountId === null ? await lockVisitor(trx, owner) : await lockAvailable(trx, job.accountId);
  if (job.idempotency !== null) {
    // Requests of an account are serialized by its row; the key's own lock also covers visitors.
    await lockKey(trx, scope, job.idempotency);
    const earlier = await findTarget(trx, scope, job.idempotency);
    if (earlier !== null) return { job: await readJob(trx, earlier), created: false };
  }
  const terms = job.decide({
    availableCredits,
    freeUsesTaken: await freeUsesTaken(trx, job.freeSubject, job.tool),
    freeSecondsTaken: await freeSecondsTaken(trx, job.freeSubject.day, job.budgeted === true),
    ...(job.accountId === null ? {} : { usage: await usageOf(trx, job.accountId) }),
    ...(job.accountId !== null && job.isPreview === true
      ? { previewsTaken: await previewsOf(trx, job.accountId) }
      : {}),
  });
  if (job.accountId === null && terms.price > 0)
    throw new EarshotError(
      'insufficient_balance',
      `Expected an account for a job of ${terms.price} credits but the request has none`,
    );
  const freeSeconds = terms.freeSeconds ?? 0;
  const place = { accountId: job.accountId, free: terms.free };
  const shareRank = await nextShareRank(trx, place);
  const row = await trx
    .insertInto('jobs')
    .values({
      id: job.id,
      accountId: job.accountId,
      freeSubject: job.freeSubject.id,
      freeDay: job.freeSubject.day,
      tool: job.tool,
      inputs: JSON.stringify(job.inputs),
      options: JSON.stringify(job.options),
      free: terms.free,
      freeSeconds,
      windowSeconds: terms.windowSeconds,
      price: terms.price,
      billedSeconds: job.billing.seconds,
      creditsPerMinute: job.billing.creditsPerMinute,
      shareKey: shareKeyOf(job),
      shareRank,
      promisedVersion: promise?.version ?? null,
      promisedModels: promise === null ? null : [...promise.models],
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
  await queue?.enqueue(trx, [jobTask(row)]);
  await announce(trx, [job.id]);
  // Last, because all free runs of a day lock the same row.
  if (freeSeconds > 0) await takeFreeSeconds(trx, job.freeSubject.day, freeSeconds);
  return { job: toJob(row), created: true };
}

async function lockAvailable(trx: Transaction<Tables>, accountId: string): Promise<number> {
  const { balance, reserved } = await lockAccount(trx, accountId);
  return balance - reserved;
}

async function lockVisitor(trx: Transaction<Tables>, subject: string): Promise<number> {
  await lockName(trx, 'visitor', subject);
  return 0;
}

/** The whole record of an existing job. */
export async function readJob(db: Kysely<Tables>, id: string): Promise<StoredJob> {
  return toJob(await db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
}
