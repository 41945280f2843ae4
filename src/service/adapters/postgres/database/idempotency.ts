import { type Kysely, type Transaction } from 'kysely';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { Idempotency } from '../../../rules/shared/idempotency.ts';
import { lockName } from '../../advisory-locks.ts';
import type { Tables } from './schema.ts';

/** Scope of a key: the same key may be used for a job and for a file. */
export interface IdempotencyScope {
  readonly owner: string;
  readonly scope: 'job' | 'file';
}

/**
 * The id that an earlier request with this key created; null when the key is new.
 * @throws EarshotError idempotency_key_reused when that request was a different one
 */
export async function findTarget(
  db: Kysely<Tables>,
  { owner, scope }: IdempotencyScope,
  { key, requestHash }: Idempotency,
): Promise<string | null> {
  const row = await db
    .selectFrom('idempotency')
    .select(['requestHash', 'targetId'])
    .where('owner', '=', owner)
    .where('scope', '=', scope)
    .where('key', '=', key)
    .executeTakeFirst();
  if (row === undefined) return null;
  if (row.requestHash !== requestHash)
    throw new EarshotError(
      'idempotency_key_reused',
      `The idempotency key ${key} was used for a different request; expected the same request or a new key`,
      { details: { key } },
    );
  return row.targetId;
}

/** Serializes requests with the same key until the transaction ends. */
export async function lockKey(
  trx: Transaction<Tables>,
  { owner, scope }: IdempotencyScope,
  { key }: Idempotency,
): Promise<void> {
  await lockName(trx, 'idempotency', `${scope} ${owner} ${key}`);
}

export async function rememberTarget(
  trx: Transaction<Tables>,
  { owner, scope }: IdempotencyScope,
  { key, requestHash }: Idempotency,
  targetId: string,
): Promise<void> {
  await trx.insertInto('idempotency').values({ owner, scope, key, requestHash, targetId }).execute();
}
