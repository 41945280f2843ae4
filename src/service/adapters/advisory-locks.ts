import { sql, type Transaction } from 'kysely';

/**
 * Numbers of the database's advisory locks. A number is never given to something else: another release may still use
 * it for the former.
 */
const numbers = {
  /** Creation of roles and passwords, until the connection ends. */
  access: 7305541,
  /** Granting of rights: concurrent starts would update the same rows of the catalogue. */
  rights: 7305542,
  // 7305543 was the lead of the fleet until 0.1.
  /** Claims by kind of task: two would count the same running tasks of an owner. */
  counts: 7305544,
  /** Creation of keys that sign tokens: processes that start at the same time create one. */
  tokenKeys: 7305545,
} as const;

/** What is locked by name, such as "files acc_1". */
type Named =
  /** The requests of an owner with one idempotency key. */
  | 'idempotency'
  /** Uploads of an account: they count against its quotas. */
  | 'files'
  /** Free uses of a visitor. */
  | 'visitor'
  /** Free runs of a visitor that wait for their file. */
  | 'waiting'
  /** Webhooks of an account, which may have so many. */
  | 'webhooks'
  /** Saved chains of an account, likewise. */
  | 'presets'
  /** What the website keeps for an account, likewise. */
  | 'account-notes'
  /** Links to the text of a recording, likewise. */
  | 'edit-shares'
  /** Comments on such a text, likewise. */
  | 'edit-comments'
  /** Voices of an account, likewise; their names are different. */
  | 'voices';

/** A statement: locks until the connection ends. */
export const lockAccess = `select pg_advisory_lock(${numbers.access})`;

/** Locks until the transaction ends. */
export async function lockFor<Tables>(trx: Transaction<Tables>, what: 'rights' | 'tokenKeys'): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(numbers[what])})`.execute(trx);
}

/** Locks the claims of a kind of task until the transaction ends. */
export async function lockCounts<Tables>(trx: Transaction<Tables>, kind: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(numbers.counts)}, hashtext(${kind}))`.execute(trx);
}

/** Locks a name until the transaction ends. Different names may rarely share a lock, which only causes waiting. */
export async function lockName<Tables>(trx: Transaction<Tables>, what: Named, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${what} ${name}`}, 0))`.execute(trx);
}
