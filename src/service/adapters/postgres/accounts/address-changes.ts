import { sql, type Kysely } from 'kysely';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { SignInStore } from '../../../rules/accounts/sign-in-store.ts';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/schema.ts';

const uniqueViolation = '23505';

type AddressChanges = 'changeEmail' | 'pendingChange' | 'latestChange' | 'formerAddress' | 'undoChange';

/** Changes of addresses, and their undo. */
export function createAddressChanges(database: Database): Pick<SignInStore, AddressChanges> {
  const { kysely } = database;
  const found = (at: Date) => kysely.selectFrom('address_changes').selectAll().where('expiresAt', '>', at);
  return {
    async changeEmail({ id, accountId, email, since, at, expiresAt }) {
      return database.transaction(async (trx) => {
        const { email: oldEmail } = await trx
          .selectFrom('accounts')
          .select('email')
          .where('id', '=', accountId)
          .forUpdate()
          .executeTakeFirstOrThrow();
        if (oldEmail === email) return null;
        await refuseReserved(trx, email, accountId, at);
        await setEmail(trx, accountId, email);
        await endPending(trx, accountId, oldEmail === null ? [] : [oldEmail]);
        if (oldEmail === null) return null;
        const change = { id, accountId, oldEmail, since, changedAt: at, expiresAt };
        await trx.insertInto('address_changes').values(change).execute();
        return change;
      });
    },
    pendingChange: async (id, at) => (await found(at).where('id', '=', id).executeTakeFirst()) ?? null,
    latestChange: async (accountId, at) =>
      (await found(at).where('accountId', '=', accountId).orderBy('changedAt', 'desc').executeTakeFirst()) ?? null,
    formerAddress: async (email, at) =>
      (await found(at).where('oldEmail', '=', email).orderBy('changedAt', 'desc').executeTakeFirst()) ?? null,
    async undoChange(id, at) {
      return database.transaction(async (trx) => {
        const change = await trx
          .selectFrom('address_changes')
          .selectAll()
          .where('id', '=', id)
          .where('expiresAt', '>', at)
          .executeTakeFirst();
        if (change === undefined) return null;
        const { accountId, oldEmail, since } = change;
        const { email: takenEmail } = await trx
          .selectFrom('accounts')
          .select('email')
          .where('id', '=', accountId)
          .forUpdate()
          .executeTakeFirstOrThrow();
        // Later changes go, too: their old addresses are those of anyone who made this one.
        const ended = await trx
          .deleteFrom('address_changes')
          .where('accountId', '=', accountId)
          .where('changedAt', '>=', change.changedAt)
          .returning(['id', 'oldEmail'])
          .execute();
        // Another undo was first.
        if (!ended.some((row) => row.id === id)) return null;
        await setEmail(trx, accountId, oldEmail);
        const emails = [...ended.map((row) => row.oldEmail), ...(takenEmail === null ? [] : [takenEmail])];
        await endPending(trx, accountId, emails);
        for (const table of ['sessions', 'program_records', 'known_browsers'] as const)
          await trx.deleteFrom(table).where('accountId', '=', accountId).execute();
        await trx.deleteFrom('passkeys').where('accountId', '=', accountId).where('createdAt', '>=', since).execute();
        await trx
          .updateTable('api_keys')
          .set({ revokedAt: sql<Date>`coalesce(revoked_at, ${at})` })
          .where('accountId', '=', accountId)
          .where('createdAt', '>=', since)
          .execute();
        return { accountId, email: oldEmail, takenEmail };
      });
    },
  };
}

async function setEmail(trx: Kysely<Tables>, accountId: string, email: string): Promise<void> {
  await trx
    .updateTable('accounts')
    .set({ email })
    .where('id', '=', accountId)
    .execute()
    .catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== uniqueViolation) throw error;
      throw new EarshotError('conflict', 'Another account has this address', {
        nextAction: 'Sign in to that account, or use another address.',
      });
    });
}

/**
 * An address that was replaced belongs to its account until the change can no longer be undone.
 * @param accountId that may have it; null: none
 * @throws EarshotError conflict
 */
export async function refuseReserved(
  trx: Kysely<Tables>,
  email: string,
  accountId: string | null,
  at: Date,
): Promise<void> {
  const reserved = await trx
    .selectFrom('address_changes')
    .select(['accountId', 'expiresAt'])
    .where('oldEmail', '=', email)
    .where('expiresAt', '>', at)
    .orderBy('expiresAt', 'desc')
    .execute();
  const [other] = reserved.filter((row) => row.accountId !== accountId);
  if (other === undefined) return;
  throw new EarshotError('conflict', 'This address was replaced by another a few days ago', {
    details: { reason: 'former_address', until: other.expiresAt.toISOString() },
    nextAction:
      'Undo that by the link in the mail to this address, or wait until ' +
      `${other.expiresAt.toISOString().slice(0, 10)}.`,
  });
}

/** Ends links and challenges of the account, and links to these addresses. Undo of other changes stays. */
async function endPending(trx: Kysely<Tables>, accountId: string, emails: readonly string[]): Promise<void> {
  await trx
    .deleteFrom('one_time_tokens')
    .where('purpose', '<>', 'undo-address')
    .where((where) =>
      where.or([
        where(sql<string>`data ->> 'accountId'`, '=', accountId),
        ...(emails.length === 0 ? [] : [where(sql<string>`data ->> 'email'`, 'in', emails)]),
      ]),
    )
    .execute();
}
