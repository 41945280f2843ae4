// Refunds and disputes of a payment, in any order, and as earlier versions left them.
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../../../src/service/adapters/postgres/database/database.ts';
import { newId } from '../../../../../src/service/rules/shared/ids.ts';
import type { DisputeNews, PaymentDispute } from '../../../../../src/service/rules/money/payment-store.ts';
import { quietLog, useDatabases, type TestStores } from '../../../../fixtures/service/database.ts';
import { rounds, slow } from '../../../../fixtures/rounds.ts';
import { migratorOf } from '../../../../fixtures/service/migrator.ts';
import { newAccount, readAll } from '../../../../fixtures/service/rows.ts';

const databases = useDatabases();
const seed = Number(process.env['EARSHOT_TEST_SEED'] ?? Date.now() % 1_000_000);
console.log(`disputes: EARSHOT_TEST_SEED=${seed}`);

let stores: TestStores;
beforeAll(async () => {
  stores = await databases.freshStores();
});

const openedAt = new Date();
const news = (id: string, status: PaymentDispute, cents = 500): DisputeNews => ({ id, status, cents, openedAt });

/** A payment of 500 cents that is still open. */
async function begun(credits = 0) {
  const { id: accountId } = await newAccount(stores, credits);
  const wanted = { freeRunId: null, accountId, tool: null, amountCents: 500, createdAt: new Date() };
  const { id } = await stores.payments.create({ ...wanted, id: newId('pay'), provider: 'stripe' }, null);
  const confirm = () =>
    stores.payments.confirm(id, 500, {
      at: new Date(),
      accountId: newId('acc'),
      accountName: 'x',
      jobId: newId('job'),
      keepUntil: new Date(),
    });
  return {
    id,
    accountId,
    confirm,
    tell: (...told: Parameters<typeof news>) => stores.payments.dispute(id, news(...told)),
    spend: async (credits: number) => {
      const { balance } = (await stores.accounts.get(accountId))!;
      const spent = Math.min(credits, balance);
      if (spent > 0) await stores.ledger.post({ accountId, kind: 'adjustment', credits: -spent, note: null });
      return spent;
    },
    balance: async () => (await stores.accounts.get(accountId))!.balance,
    entries: () => readAll((cursor) => stores.ledger.list(accountId, { cursor, limit: 100 }, false)),
  };
}

async function paid(credits = 0) {
  const payment = await begun(credits);
  await payment.confirm();
  return payment;
}

describe('disputes have an id of their own', () => {
  test.each(['won', 'lost'] as const)('a second one freezes credits after the first was %s', async (end) => {
    const { id, tell, balance } = await paid();
    const left = end === 'won' ? 500 : 300;
    await tell('dp_1', 'open', 200);
    expect(await tell('dp_1', end, 200)).toMatchObject({ changed: true, payment: { dispute: end } });
    expect(await balance()).toBe(left);
    expect(await tell('dp_2', 'open', 150)).toMatchObject({
      changed: true,
      payment: { dispute: 'open', frozenCredits: 500 - left + 150 },
    });
    expect(await balance()).toBe(left - 150);
    // Late news of the first change nothing.
    expect(await tell('dp_1', 'open', 200)).toMatchObject({ changed: false });
    await tell('dp_2', 'won', 150);
    expect(await balance()).toBe(left);
    expect((await stores.payments.get(id))?.dispute).toBe(end === 'won' ? 'won' : 'lost');
  });

  test('two at the same time take no more than was paid, and the credits return with the last', async () => {
    const { tell, balance } = await paid(1000);
    await tell('dp_a', 'open');
    await tell('dp_b', 'open');
    expect(await balance()).toBe(1000);
    await tell('dp_a', 'won');
    expect(await balance()).toBe(1000);
    await tell('dp_b', 'won');
    expect(await balance()).toBe(1500);
  });

  test('each entry of the ledger says from which payment and dispute it comes', async () => {
    const { id, tell, entries } = await paid();
    await tell('dp_x', 'open', 200);
    await stores.payments.refund(id, 100);
    await tell('dp_x', 'won', 200);
    expect((await entries()).map(({ credits, paymentId, disputeId }) => [credits, paymentId, disputeId])).toEqual([
      [200, id, 'dp_x'],
      [-100, id, null],
      [-200, id, 'dp_x'],
      [500, id, null],
    ]);
  });
});

type Fact =
  | { readonly is: 'paid' }
  | { readonly is: 'refunded'; readonly cents: number }
  | { readonly is: 'spent'; readonly cents: number }
  | { readonly is: PaymentDispute; readonly dispute: number };

const amounts = [500, 120, 60];
const facts = (spending: boolean): fc.Arbitrary<Fact[]> =>
  fc
    .tuple(
      fc.array(fc.integer({ min: 1, max: 600 }), { maxLength: 3 }),
      fc.tuple(...amounts.map(() => fc.constantFrom<PaymentDispute | 'none'>('none', 'open', 'won', 'lost'))),
      fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: spending ? 3 : 0 }),
    )
    .chain(([refunds, ends, spent]) => {
      const all: Fact[] = [
        { is: 'paid' },
        ...refunds.map((cents) => ({ is: 'refunded' as const, cents })),
        ...spent.map((cents) => ({ is: 'spent' as const, cents })),
        ...ends.flatMap((end, dispute): Fact[] =>
          end === 'none'
            ? []
            : end === 'open'
              ? [{ is: 'open', dispute }]
              : [
                  { is: 'open', dispute },
                  { is: end, dispute },
                ],
        ),
      ];
      // In any order, and some of them again.
      return fc
        .tuple(fc.shuffledSubarray(all, { minLength: all.length }), fc.array(fc.constantFrom(...all), { maxLength: 5 }))
        .map(([once, again]) => [...once, ...again]);
    });

/** Plays the facts; what the books must then say, by a second reckoning. */
async function play(told: readonly Fact[]) {
  const { id, confirm, tell, spend, balance } = await begun();
  let spent = 0;
  let refunded = 0;
  const states = new Map<number, PaymentDispute>();
  for (const fact of told) {
    if (fact.is === 'paid') await confirm();
    else if (fact.is === 'refunded') {
      await stores.payments.refund(id, fact.cents);
      refunded = Math.max(refunded, fact.cents);
    } else if (fact.is === 'spent') spent += await spend(fact.cents);
    else {
      await tell(`dp_${fact.dispute}`, fact.is, amounts[fact.dispute]);
      const before = states.get(fact.dispute) ?? 'open';
      states.set(fact.dispute, before === 'open' ? fact.is : before);
    }
  }
  const disputed = [...states].reduce((sum, [at, state]) => sum + (state === 'won' ? 0 : amounts[at]!), 0);
  return { taken: 500 - spent - (await balance()), owed: Math.min(500, refunded + disputed), id };
}

test('in any order and however often, the same facts leave the same credits', async () => {
  await fc.assert(
    fc.asyncProperty(facts(false), async (told) => {
      const { taken, owed } = await play(told);
      expect(taken).toBe(owed);
    }),
    { seed, numRuns: rounds(8, 100), endOnFailure: true },
  );
});

test('where credits are spent meanwhile, none is made, and none is taken that is not owed', async () => {
  await fc.assert(
    fc.asyncProperty(facts(true), async (told) => {
      const { taken, owed } = await play(told);
      expect(taken).toBeGreaterThanOrEqual(0);
      expect(taken).toBeLessThanOrEqual(owed);
    }),
    { seed, numRuns: rounds(8, 100), endOnFailure: true },
  );
  const { rows } = await sql`select account_id from ledger join accounts on accounts.id = account_id
    group by account_id, accounts.balance having sum(credits) <> accounts.balance`.execute(stores.database.kysely);
  expect(rows).toEqual([]);
});

describe('disputes that an earlier version recorded', () => {
  /** What that version wrote for a dispute: the payment's row, and a note in the ledger. */
  const before = async (
    id: string,
    accountId: string,
    dispute: PaymentDispute,
    frozen: number,
    kysely = stores.database.kysely,
  ) => {
    await sql`update payments set dispute = ${dispute}, disputed_cents = 500, frozen_credits = ${dispute === 'won' ? 0 : frozen}
      where id = ${id}`.execute(kysely);
    const move = async (credits: number, note: string) => {
      const { rows } = await sql<{ balance: number }>`update accounts set balance = balance + ${credits}
        where id = ${accountId} returning balance`.execute(kysely);
      await sql`insert into ledger (id, account_id, kind, credits, reserved, balance, note)
        values (${newId('led')}, ${accountId}, 'adjustment', ${credits}, 0, ${rows[0]!.balance}, ${note})`.execute(
        kysely,
      );
    };
    await move(-frozen, `${id} is disputed`);
    if (dispute === 'won') await move(frozen, `${id} is no longer disputed`);
  };

  test('are moved by the upgrade, take their id from the next news, and give their credits back', slow, async () => {
    const database = openDatabase({ url: await databases.emptyDatabase(), log: quietLog });
    onTestFinished(() => database.close());
    const { kysely } = database;
    expect((await migratorOf(database).migrateTo('0025-account-guards')).error).toBeUndefined();
    for (const [id, dispute] of [
      ['Open', 'open'],
      ['Won', 'won'],
    ] as const) {
      await sql`insert into accounts (id, name, auto_refill, balance) values (${`acc_${id}`}, 'old', '{"enabled": false}', 500)`.execute(
        kysely,
      );
      await sql`insert into payments (id, provider, account_id, amount_cents, paid_cents, status, outcome, paid_at)
        values (${`pay_${id}`}, 'stripe', ${`acc_${id}`}, 500, 500, 'paid', 'credits', now())`.execute(kysely);
      await sql`insert into ledger (id, account_id, kind, credits, reserved, balance, note)
        values (${`led_${id}`}, ${`acc_${id}`}, 'purchase', 500, 0, 500, ${`pay_${id}`})`.execute(kysely);
      await before(`pay_${id}`, `acc_${id}`, dispute, 400, kysely);
    }
    const recordedAt = new Date();
    await database.migrate();
    const old = await databases.freshStores(database);
    const balance = async (id: string) => (await old.accounts.get(id))?.balance;
    const { items } = await old.ledger.list('acc_Open', { cursor: null, limit: 10 }, false);
    expect(items.map(({ paymentId, disputeId }) => [paymentId, disputeId])).toEqual([
      ['pay_Open', 'pay_Open'],
      ['pay_Open', null],
    ]);
    await expect(sql`update ledger set note = 'x'`.execute(kysely)).rejects.toThrow('append-only');

    const earlier = new Date(recordedAt.getTime() - 60_000);
    const later = new Date(Date.now() + 60_000);
    const tell = (payment: string, id: string, status: PaymentDispute, opened: Date) =>
      old.payments.dispute(payment, { id, status, cents: 500, openedAt: opened });
    await tell('pay_Open', 'dp_1', 'won', earlier);
    expect(await balance('acc_Open')).toBe(500);
    await tell('pay_Open', 'dp_2', 'open', earlier);
    expect(await balance('acc_Open')).toBe(0);
    // Of a decided one: news of its opening come late, unless it was opened since.
    expect((await tell('pay_Won', 'dp_3', 'open', earlier)).changed).toBe(false);
    expect(await balance('acc_Won')).toBe(500);
    expect((await tell('pay_Won', 'dp_4', 'open', later)).changed).toBe(true);
    expect(await balance('acc_Won')).toBe(0);
  });

  test('are understood while the release before runs beside this one', async () => {
    const { id, accountId, tell, balance } = await paid();
    await before(id, accountId, 'open', 500);
    await tell('dp_beside', 'won');
    expect(await balance()).toBe(500);
  });
});
