import { type Kysely, sql } from 'kysely';
import type { ProgramRecord, ProgramStore } from '../../../rules/accounts/program-store.ts';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/schema.ts';

/** New clients that were never used. Beyond them the oldest go: a flood must not shut anyone out. */
const mostUnusedClients = 10_000;
/** A use is recorded at most this often. */
const touchEvery = sql`interval '5 minutes'`;

const inSeconds = (seconds: number) => sql<Date>`clock_timestamp() + ${seconds} * interval '1 second'`;
const isAlive = sql<boolean>`program_records.expires_at > clock_timestamp()`;

type Records = 'put' | 'find' | 'use' | 'remove' | 'removeGrant' | 'removeOtherGrants';

export const createProgramStore = (database: Database): ProgramStore => ({
  ...createRecords(database),
  ...createGrants(database),
});

function createRecords(database: Database): Pick<ProgramStore, Records> {
  const { kysely } = database;
  return {
    async put(record) {
      await database.transaction(async (trx) => {
        await write(trx, record);
        if (record.kind === 'Client') await forgetUnused(trx);
        else if (record.clientId !== null) await keepClient(trx, record.clientId, record.seconds);
      });
    },
    async find(kind, id) {
      const row = await kysely
        .selectFrom('program_records')
        .select([
          'payload',
          sql<number>`extract(epoch from expires_at - clock_timestamp())::float8`.as('secondsLeft'),
          sql<number | null>`extract(epoch from clock_timestamp() - used_at)::float8`.as('usedSeconds'),
        ])
        .where('kind', '=', kind)
        .where('id', '=', id)
        .where(isAlive)
        .executeTakeFirst();
      return row ?? null;
    },
    async use(kind, id, againSeconds) {
      const { numUpdatedRows } = await kysely
        .updateTable('program_records')
        .set({ usedAt: sql<Date>`coalesce(used_at, clock_timestamp())` })
        .where('kind', '=', kind)
        .where('id', '=', id)
        .where(isAlive)
        .where(sql<boolean>`(used_at is null or used_at > clock_timestamp() - ${againSeconds} * interval '1 second')`)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async remove(kind, id) {
      await kysely.deleteFrom('program_records').where('kind', '=', kind).where('id', '=', id).execute();
    },
    async removeGrant(grantId) {
      await kysely.deleteFrom('program_records').where('grantId', '=', grantId).execute();
    },
    async removeOtherGrants(accountId, clientId, keptGrantId) {
      await kysely
        .deleteFrom('program_records')
        .where('accountId', '=', accountId)
        .where('clientId', '=', clientId)
        .where('grantId', '<>', keptGrantId)
        .execute();
    },
  };
}

async function write(trx: Kysely<Tables>, { payload, seconds, ...record }: ProgramRecord): Promise<void> {
  const values = { payload: JSON.stringify(payload), expiresAt: inSeconds(seconds) };
  await trx
    .insertInto('program_records')
    .values({ ...record, ...values })
    .onConflict((conflict) => conflict.columns(['kind', 'id']).doUpdateSet(values))
    .execute();
}

/** A client lives as long as what it got, and a day more, so that a late refresh is refused for the right reason. */
async function keepClient(trx: Kysely<Tables>, clientId: string, seconds: number): Promise<void> {
  await trx
    .updateTable('program_records')
    .set({
      usedAt: sql<Date>`coalesce(used_at, clock_timestamp())`,
      expiresAt: sql<Date>`greatest(expires_at, ${inSeconds(seconds + 86_400)})`,
    })
    .where('kind', '=', 'Client')
    .where('id', '=', clientId)
    .execute();
}

async function forgetUnused(trx: Kysely<Tables>): Promise<void> {
  await sql`
    delete from program_records where kind = 'Client' and used_at is null and created_at <= (
      select created_at from program_records where kind = 'Client' and used_at is null
      order by created_at desc offset ${mostUnusedClients} limit 1)`.execute(trx);
}

function createGrants({ kysely }: Database): Pick<ProgramStore, 'accountOfGrant' | 'list' | 'end'> {
  return {
    async accountOfGrant(grantId) {
      // One round trip, since this runs with every request of a program.
      const row = await kysely
        .selectFrom('program_records')
        .innerJoin('accounts', 'accounts.id', 'program_records.accountId')
        .selectAll('accounts')
        .select(sql<boolean>`used_at is null or used_at < clock_timestamp() - ${touchEvery}`.as('isStale'))
        .where('kind', '=', 'Grant')
        .where('program_records.id', '=', grantId)
        .where(isAlive)
        .where('deletedAt', 'is', null)
        .executeTakeFirst();
      if (row === undefined) return null;
      const { isStale, ...account } = row;
      // A failed write of the time must not fail the request.
      if (isStale)
        await kysely
          .updateTable('program_records')
          .set({ usedAt: sql<Date>`clock_timestamp()` })
          .where('kind', '=', 'Grant')
          .where('id', '=', grantId)
          .execute()
          .catch(() => undefined);
      return account;
    },
    async list(accountId) {
      const rows = await kysely
        .selectFrom('program_records')
        .leftJoin('program_records as clients', (join) =>
          join.onRef('clients.id', '=', 'program_records.clientId').on('clients.kind', '=', 'Client'),
        )
        .select(['program_records.id', 'program_records.createdAt', 'program_records.usedAt as lastUsedAt'])
        .select([
          sql<string | null>`clients.payload ->> 'client_name'`.as('name'),
          sql<string[] | null>`clients.payload -> 'redirect_uris'`.as('redirectUris'),
        ])
        .where('program_records.kind', '=', 'Grant')
        .where('program_records.accountId', '=', accountId)
        .where(isAlive)
        .orderBy('program_records.createdAt', 'desc')
        .limit(200)
        .execute();
      return rows.map((row) => ({ ...row, redirectUris: row.redirectUris ?? [] }));
    },
    async end(accountId, grantId) {
      const { numDeletedRows } = await kysely
        .deleteFrom('program_records')
        .where('accountId', '=', accountId)
        .where('grantId', '=', grantId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}
