import type { Selectable, Transaction } from 'kysely';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import { newId } from '../../../rules/shared/ids.ts';
import type { Ledger, LedgerKind } from '../../../rules/money/ledger.ts';
import { decodeCursor, toPage } from '../database/cursor.ts';
import type { Database } from '../database/database.ts';
import { toLedgerEntry } from '../database/rows.ts';
import type { LedgerTable, Tables } from '../database/schema.ts';

export interface Movement {
  readonly accountId: string;
  readonly kind: LedgerKind;
  /** Signed change of the balance. */
  readonly credits: number;
  /** Signed change of the reserved credits. */
  readonly reserved: number;
  readonly jobId: string | null;
  /** Default: none. */
  readonly paymentId?: string;
  /** Default: none. */
  readonly disputeId?: string | null;
  readonly note: string | null;
}

/**
 * Locks the account until the caller's transaction ends, so that its credits do not change meanwhile.
 * @throws EarshotError not_found
 */
export async function lockAccount(
  trx: Transaction<Tables>,
  accountId: string,
): Promise<{ readonly balance: number; readonly reserved: number }> {
  const account = await trx
    .selectFrom('accounts')
    .select(['balance', 'reserved'])
    .where('id', '=', accountId)
    // 'no key update' does not block inserts of rows that refer to the account (files, keys).
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (account === undefined)
    throw new EarshotError('not_found', `There is no account ${accountId}`, { details: { id: accountId } });
  return account;
}

/**
 * The only function that moves money: changes the account's row and adds the ledger entry, in the caller's transaction.
 * The row stays locked until its end, which keeps the entries of an account in order.
 * @throws EarshotError not_found, insufficient_balance when the balance would fall below the reserved credits
 */
export async function moveCredits(
  trx: Transaction<Tables>,
  { credits, reserved, ...entry }: Movement,
): Promise<Selectable<LedgerTable>> {
  const { accountId } = entry;
  const account = await lockAccount(trx, accountId);
  const balance = account.balance + credits;
  const held = account.reserved + reserved;
  if (balance < held || balance < 0) {
    const needed = Math.max(reserved, -credits);
    throw new EarshotError(
      'insufficient_balance',
      `Expected ${needed} available credits; the account has ${account.balance - account.reserved}`,
      { details: { neededCredits: needed, availableCredits: account.balance - account.reserved } },
    );
  }
  await trx.updateTable('accounts').set({ balance, reserved: held }).where('id', '=', accountId).execute();
  return trx
    .insertInto('ledger')
    .values({ ...entry, id: newId('led'), credits, reserved, balance })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function createLedger(database: Database): Ledger {
  const { kysely } = database;
  return {
    async post({ accountId, kind, credits, note }) {
      if (!Number.isSafeInteger(credits) || credits === 0 || (kind !== 'adjustment' && credits < 0))
        throw new EarshotError(
          'bad_request',
          `Expected whole credits ${kind === 'adjustment' ? 'other than' : 'above'} 0 for ${kind} ` +
            `but received ${credits}`,
          { details: { field: 'credits', received: credits } },
        );
      return toLedgerEntry(
        await database.transaction((trx) =>
          moveCredits(trx, { accountId, kind, credits, reserved: 0, jobId: null, note }),
        ),
      );
    },
    async list(accountId, page, onlyCredits) {
      const place = decodeCursor(page.cursor);
      const rows = await kysely
        .selectFrom('ledger')
        .selectAll()
        .where('accountId', '=', accountId)
        .$if(onlyCredits, (query) => query.where('credits', '<>', 0))
        .$if(place !== null, (query) => query.where('position', '<', place!.at))
        .orderBy('position', 'desc')
        .limit(page.limit + 1)
        .execute();
      return toPage(rows, page, ({ position, id }) => ({ at: position, id }), toLedgerEntry);
    },
    async ofPayment(accountId, paymentId) {
      const rows = await kysely
        .selectFrom('ledger')
        .selectAll()
        .where('accountId', '=', accountId)
        .where('paymentId', '=', paymentId)
        .orderBy('position')
        .execute();
      return rows.map(toLedgerEntry);
    },
  };
}
