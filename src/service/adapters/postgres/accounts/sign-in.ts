import { sql } from 'kysely';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { SignInStore } from '../../../rules/accounts/sign-in-store.ts';
import { noAutoRefill } from './accounts.ts';
import { createAddressChanges, refuseReserved } from './address-changes.ts';
import { createBrowsers } from './browsers.ts';
import type { Database } from '../database/database.ts';
import { addToWindows } from '../shared/shared-rates.ts';

const uniqueViolation = '23505';

type Tokens = 'addToken' | 'countTokens' | 'peekToken' | 'bindToken' | 'takeToken' | 'tryCodes' | 'countAsked';
type People = 'accountByEmail' | 'accountForEmail' | 'setLanguage' | 'closeAccount';
type Passkeys = 'addPasskey' | 'listPasskeys' | 'findPasskey' | 'usePasskey' | 'removePasskey';

export const createSignInStore = (database: Database): SignInStore => ({
  ...createTokens(database),
  ...createPeople(database),
  ...createPasskeys(database),
  ...createBrowsers(database),
  ...createAddressChanges(database),
});

function createTokens(database: Database): Pick<SignInStore, Tokens> {
  const { kysely } = database;
  return {
    async addToken({ data, ...token }) {
      await kysely
        .insertInto('one_time_tokens')
        .values({ ...token, data: JSON.stringify(data) })
        .execute();
    },
    async countTokens(subject, since) {
      const { count } = await kysely
        .selectFrom('one_time_tokens')
        .select((with_) => with_.fn.countAll<number>().as('count'))
        .where('subject', '=', subject)
        .where('createdAt', '>', since)
        .executeTakeFirstOrThrow();
      return count;
    },
    async peekToken(hash, purpose, at) {
      const row = await kysely
        .selectFrom('one_time_tokens')
        .select('data')
        .where('hash', '=', hash)
        .where('purpose', '=', purpose)
        .where('expiresAt', '>', at)
        .executeTakeFirst();
      return row?.data ?? null;
    },
    async bindToken(hash, purpose, browser, at) {
      await kysely
        .updateTable('one_time_tokens')
        .set({ data: sql`data || jsonb_build_object('browser', ${browser}::text)` })
        .where('hash', '=', hash)
        .where('purpose', '=', purpose)
        .where('expiresAt', '>', at)
        .where(sql<boolean>`data ->> 'browser' is null`)
        .execute();
    },
    async takeToken(hash, purpose, at) {
      const row = await kysely
        .deleteFrom('one_time_tokens')
        .where('hash', '=', hash)
        .where('purpose', '=', purpose)
        .where('expiresAt', '>', at)
        .returning('data')
        .executeTakeFirst();
      return row?.data ?? null;
    },
    async tryCodes(browser, mostTries, at) {
      const rows = await kysely
        .updateTable('one_time_tokens')
        .set({ tries: sql<number>`tries + 1` })
        .where(sql<string>`data ->> 'browser'`, '=', browser)
        .where('purpose', '=', sql.lit('sign-in'))
        .where('expiresAt', '>', at)
        .where('tries', '<', mostTries)
        .returning(['hash', 'data', 'tries'])
        .execute();
      return rows;
    },
    async countAsked(key, seconds) {
      const counted = await addToWindows(database, new Map([[key, 1]]), seconds);
      return counted.get(key) ?? { count: 1, secondsLeft: seconds };
    },
  };
}

function createPeople(database: Database): Pick<SignInStore, People> {
  const { kysely } = database;
  return {
    async accountByEmail(email) {
      return (await kysely.selectFrom('accounts').selectAll().where('email', '=', email).executeTakeFirst()) ?? null;
    },
    async accountForEmail({ id, email }, at) {
      const known = await this.accountByEmail(email);
      if (known !== null) return known;
      await refuseReserved(kysely, email, null, at);
      await kysely
        .insertInto('accounts')
        .values({ id, name: email.slice(0, 200), email, oauthSubject: null, autoRefill: JSON.stringify(noAutoRefill) })
        .onConflict((conflict) => conflict.column('email').doNothing())
        .execute();
      return kysely.selectFrom('accounts').selectAll().where('email', '=', email).executeTakeFirstOrThrow();
    },
    async setLanguage(accountId, language) {
      await kysely
        .updateTable('accounts')
        .set({ language })
        .where('id', '=', accountId)
        .where('language', '<>', language)
        .execute();
    },
    async closeAccount(accountId, at) {
      await database.transaction(async (trx) => {
        await trx
          .updateTable('api_keys')
          .set({ revokedAt: sql<Date>`coalesce(revoked_at, ${at})` })
          .where('accountId', '=', accountId)
          .execute();
        await trx.deleteFrom('sessions').where('accountId', '=', accountId).execute();
        await trx.deleteFrom('passkeys').where('accountId', '=', accountId).execute();
        await trx.deleteFrom('program_records').where('accountId', '=', accountId).execute();
        await trx.deleteFrom('known_browsers').where('accountId', '=', accountId).execute();
        await trx.deleteFrom('address_changes').where('accountId', '=', accountId).execute();
        await trx.deleteFrom('webhook_endpoints').where('accountId', '=', accountId).execute();
        await trx.deleteFrom('chain_presets').where('accountId', '=', accountId).execute();
        await trx.deleteFrom('account_notes').where('accountId', '=', accountId).execute();
        const { email } = await trx
          .updateTable('accounts')
          .set({
            name: 'Deleted account',
            email: null,
            oauthSubject: null,
            operator: false,
            autoRefill: JSON.stringify(noAutoRefill),
            deletedAt: at,
          })
          .where('id', '=', accountId)
          .returning(sql<string | null>`(select email from accounts old where old.id = accounts.id)`.as('email'))
          .executeTakeFirstOrThrow();
        await trx
          .deleteFrom('one_time_tokens')
          .where((where) =>
            where.or([
              where(sql<string>`data ->> 'accountId'`, '=', accountId),
              ...(email === null ? [] : [where(sql<string>`data ->> 'email'`, '=', email)]),
            ]),
          )
          .execute();
      });
    },
  };
}

function createPasskeys({ kysely }: Database): Pick<SignInStore, Passkeys> {
  return {
    async addPasskey({ transports, ...passkey }) {
      await kysely
        .insertInto('passkeys')
        .values({ ...passkey, transports: [...transports] })
        .execute()
        .catch((error: unknown) => {
          if ((error as { code?: unknown }).code !== uniqueViolation) throw error;
          throw new EarshotError('conflict', 'This passkey is already known');
        });
    },
    listPasskeys: (accountId) =>
      kysely.selectFrom('passkeys').selectAll().where('accountId', '=', accountId).orderBy('createdAt').execute(),
    async findPasskey(id) {
      return (await kysely.selectFrom('passkeys').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
    },
    async usePasskey(id, counter, at) {
      const { numUpdatedRows } = await kysely
        .updateTable('passkeys')
        .set({ counter, lastUsedAt: at })
        .where('id', '=', id)
        .where((where) =>
          where.or([where('counter', '<', counter), where.and([where('counter', '=', 0), where.val(counter === 0)])]),
        )
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async removePasskey(accountId, id) {
      const { numDeletedRows } = await kysely
        .deleteFrom('passkeys')
        .where('accountId', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}
