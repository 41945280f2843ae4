import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { AccountStore } from '../../../rules/accounts/account-store.ts';
import type { AutoRefill } from '../../../rules/money/auto-refill.ts';
import { anyOf, batchReads } from '../database/batched-reads.ts';
import { newestPage } from '../database/cursor.ts';
import type { Database } from '../database/database.ts';

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

type Accounts = Pick<AccountStore, 'create' | 'get' | 'findByOauthSubject' | 'list' | 'update'>;

export function createAccounts({ kysely }: Database): Accounts {
  const readMany = batchReads(
    async (ids) => await kysely.selectFrom('accounts').selectAll().where('id', '=', anyOf(ids)).execute(),
  );

  return {
    async create({ id, name, oauthSubject }) {
      const row = await kysely
        .insertInto('accounts')
        .values({ id, name, oauthSubject, autoRefill: JSON.stringify(noAutoRefill) })
        .returningAll()
        .executeTakeFirstOrThrow()
        .catch((error: unknown) => refuseTakenSubject(error, oauthSubject));
      return row;
    },
    get: async (id) => (await readMany([id]))[0] ?? null,
    async findByOauthSubject(subject) {
      const row = await kysely
        .selectFrom('accounts')
        .selectAll()
        .where('oauthSubject', '=', subject)
        .executeTakeFirst();
      return row ?? null;
    },
    list: (page) => newestPage(kysely.selectFrom('accounts').selectAll(), page, (row) => row),
    async update(id, { autoRefill, ...rest }) {
      const patch = {
        ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
        ...(autoRefill === undefined ? {} : { autoRefill: JSON.stringify(autoRefill) }),
      };
      if (Object.keys(patch).length === 0) return this.get(id);
      const row = await kysely
        .updateTable('accounts')
        .set(patch)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      return row ?? null;
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

export function refuseMissingAccount(error: unknown, accountId: string): never {
  if ((error as { code?: unknown }).code !== foreignKeyViolation) throw error;
  throw new EarshotError('not_found', `There is no account ${accountId}`, { details: { id: accountId }, cause: error });
}
