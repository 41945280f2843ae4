import { type Kysely, sql } from 'kysely';
import { EarshotError } from '../../../library/core/errors.ts';
import type { AccountStore } from '../../rules/ports.ts';
import type { ApiKey, AutoRefill } from '../../rules/records.ts';
import { anyOf, batchReads } from './batched-reads.ts';
import { createdMicros, decodeCursor, olderThan, toPage } from './cursor.ts';
import type { Database } from './database.ts';
import { lockAccount } from './ledger.ts';
import { toAccount, toApiKey } from './rows.ts';
import type { Tables } from './schema.ts';

/** The auto-refill of a new account. */
export const noAutoRefill: AutoRefill = {
  enabled: false,
  thresholdCents: null,
  amountCents: null,
  monthlyCapCents: null,
  card: null,
};

const foreignKeyViolation = '23503';
const uniqueViolation = '23505';

export function createAccountStore(database: Database): AccountStore {
  const { kysely } = database;
  const readMany = batchReads(async (ids) =>
    (await kysely.selectFrom('accounts').selectAll().where('id', '=', anyOf(ids)).execute()).map(toAccount),
  );

  return {
    async create({ id, name, oauthSubject }) {
      const row = await kysely
        .insertInto('accounts')
        .values({ id, name, oauth_subject: oauthSubject, auto_refill: JSON.stringify(noAutoRefill) })
        .returningAll()
        .executeTakeFirstOrThrow()
        .catch((error: unknown) => refuseTakenSubject(error, oauthSubject));
      return toAccount(row);
    },
    get: async (id) => (await readMany([id]))[0] ?? null,
    async findByOauthSubject(subject) {
      const row = await kysely
        .selectFrom('accounts')
        .selectAll()
        .where('oauth_subject', '=', subject)
        .executeTakeFirst();
      return row === undefined ? null : toAccount(row);
    },
    async list(page) {
      const place = decodeCursor(page.cursor);
      const rows = await kysely
        .selectFrom('accounts')
        .selectAll()
        .select(createdMicros.as('micros'))
        .$if(place !== null, (query) => query.where(olderThan(place!)))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(page.limit + 1)
        .execute();
      return toPage(rows, page, ({ micros, id }) => ({ at: micros, id }), toAccount);
    },
    async update(id, { name, oauthSubject, autoRefill }) {
      const patch = {
        ...(name === undefined ? {} : { name }),
        ...(oauthSubject === undefined ? {} : { oauth_subject: oauthSubject }),
        ...(autoRefill === undefined ? {} : { auto_refill: JSON.stringify(autoRefill) }),
      };
      if (Object.keys(patch).length === 0) return this.get(id);
      const row = await kysely
        .updateTable('accounts')
        .set(patch)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst()
        .catch((error: unknown) => refuseTakenSubject(error, oauthSubject ?? null));
      return row === undefined ? null : toAccount(row);
    },

    addKey: (key) => insertKey(kysely, key),
    addFirstKey: (key) =>
      database.transaction(async (trx) => {
        // Concurrent calls wait here, and then see the key.
        await lockAccount(trx, key.accountId);
        const has = await trx
          .selectFrom('api_keys')
          .select('id')
          .where('account_id', '=', key.accountId)
          .limit(1)
          .executeTakeFirst();
        return has === undefined ? insertKey(trx, key) : null;
      }),
    async findKey(hash) {
      // One round trip: this runs with every request.
      const row = await kysely
        .selectFrom('api_keys')
        .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
        .selectAll('accounts')
        .select([
          'api_keys.id as key_id',
          'api_keys.name as key_name',
          'api_keys.prefix',
          'api_keys.created_at as key_created_at',
          'api_keys.last_used_at',
          'api_keys.revoked_at',
        ])
        .where('api_keys.hash', '=', hash)
        .executeTakeFirst();
      if (row === undefined) return null;
      return {
        account: toAccount(row),
        key: {
          id: row.key_id,
          accountId: row.id,
          name: row.key_name,
          prefix: row.prefix,
          createdAt: row.key_created_at,
          lastUsedAt: row.last_used_at,
          revokedAt: row.revoked_at,
        },
      };
    },
    async touchKey(id, at) {
      await kysely
        .updateTable('api_keys')
        .set({ last_used_at: at })
        .where('id', '=', id)
        .where((where) =>
          where.or([where('last_used_at', 'is', null), where('last_used_at', '<', new Date(at.getTime() - 60_000))]),
        )
        .execute();
    },
    async listKeys(accountId) {
      const rows = await kysely
        .selectFrom('api_keys')
        .selectAll()
        .where('account_id', '=', accountId)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(toApiKey);
    },
    async revokeKey(idOrPrefix, at) {
      const rows = await kysely
        .selectFrom('api_keys')
        .select('id')
        .where((where) => where.or([where('id', '=', idOrPrefix), where('prefix', '=', idOrPrefix)]))
        .limit(2)
        .execute();
      const [found, another] = rows;
      if (found === undefined) return null;
      if (another !== undefined)
        throw new EarshotError('conflict', `Several API keys begin with ${idOrPrefix}; expected the id of one`, {
          nextAction: 'List the keys and give the id of one.',
        });
      // The time of the first revocation stays.
      const row = await kysely
        .updateTable('api_keys')
        .set({ revoked_at: sql<Date>`coalesce(revoked_at, ${at})` })
        .where('id', '=', found.id)
        .returningAll()
        .executeTakeFirstOrThrow();
      return toApiKey(row);
    },

    async addSession({ hash, accountId, expiresAt }) {
      await kysely
        .insertInto('sessions')
        .values({ hash, account_id: accountId, expires_at: expiresAt })
        .execute()
        .catch((error: unknown) => refuseMissingAccount(error, accountId));
    },
    async findSession(hash, at) {
      const row = await kysely
        .selectFrom('sessions')
        .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
        .selectAll('accounts')
        .where('sessions.hash', '=', hash)
        .where('sessions.expires_at', '>', at)
        .executeTakeFirst();
      return row === undefined ? null : toAccount(row);
    },
    async removeSessions(accountId) {
      const { numDeletedRows } = await kysely
        .deleteFrom('sessions')
        .where('account_id', '=', accountId)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

function refuseTakenSubject(error: unknown, subject: string | null): never {
  if ((error as { code?: unknown }).code !== uniqueViolation) throw error;
  throw new EarshotError(
    'conflict',
    subject === null ? 'The account already exists' : `The OAuth subject ${subject} already belongs to another account`,
    { cause: error },
  );
}

function refuseMissingAccount(error: unknown, accountId: string): never {
  if ((error as { code?: unknown }).code !== foreignKeyViolation) throw error;
  throw new EarshotError('not_found', `There is no account ${accountId}`, { details: { id: accountId }, cause: error });
}

async function insertKey(
  db: Kysely<Tables>,
  { id, accountId, name, prefix, hash }: Parameters<AccountStore['addKey']>[0],
): Promise<ApiKey> {
  const row = await db
    .insertInto('api_keys')
    .values({ id, account_id: accountId, name, prefix, hash })
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => refuseMissingAccount(error, accountId));
  return toApiKey(row);
}
