import { beforeAll, describe, expect, it } from 'vitest';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import { createAccess } from '../../../../src/service/rules/accounts/access.ts';
import { createOperator, type Operator } from '../../../../src/service/rules/operator/operator.ts';
import { useDatabases, type TestStores } from '../../../fixtures/service/database.ts';

const databases = useDatabases();
let stores: TestStores;
let operator: Operator;
const page = { cursor: null, limit: 100 };
const none = { enabled: false, thresholdCents: null, amountCents: null, monthlyCapCents: null, card: null };

beforeAll(async () => {
  stores = await databases.freshStores();
  operator = createOperator(stores);
});

describe('API keys', () => {
  it('are shown once, work until they are revoked, and say when they were used', async () => {
    const account = await operator.createAccount({ name: 'one', credits: 7 });
    const { key, secret } = await operator.addKey(account.id, 'laptop');
    expect(secret).toMatch(/^svc_sk_[0-9A-Za-z]{40}$/);
    expect([key.prefix, key.lastUsedAt, key.revokedAt]).toEqual([secret.slice(0, 13), null, null]);
    let now = new Date('2026-11-21T12:00:00Z');
    const access = createAccess(stores.accounts, null, () => now);
    expect(await access.byBearer(secret)).toEqual(account);
    const usedAt = async () => (await operator.listKeys(account.id))[0]?.lastUsedAt;
    expect(await usedAt()).toEqual(now);
    now = new Date('2026-11-21T12:00:30Z');
    await access.byBearer(secret);
    expect(await usedAt()).toEqual(new Date('2026-11-21T12:00:00Z'));
    now = new Date('2026-11-21T12:01:01Z');
    await access.byBearer(secret);
    expect(await usedAt()).toEqual(now);

    const revoked = await operator.revokeKey(key.prefix);
    expect(revoked.revokedAt).toBeInstanceOf(Date);
    await expect(access.byBearer(secret)).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('revoked'),
    });
    await expect(operator.revokeKey('key_none')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are looked up once for requests that arrive together, and anew for later ones', async () => {
    const account = await operator.createAccount({ name: 'many' });
    const { key, secret } = await operator.addKey(account.id, 'laptop');
    let lookups = 0;
    const counting = {
      ...stores.accounts,
      findKey: (hash: string) => {
        lookups += 1;
        return stores.accounts.findKey(hash);
      },
    };
    const access = createAccess(counting, null);
    const found = await Promise.all(Array.from({ length: 50 }, () => access.byBearer(secret)));
    expect(found.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, () => account.id));
    expect(lookups).toBe(1);
    await operator.revokeKey(key.id);
    await expect(access.byBearer(secret)).rejects.toMatchObject({ code: 'unauthorized' });
    expect(lookups).toBe(2);
  });

  it('are not stored', async () => {
    const account = await operator.createAccount({ name: 'two' });
    const { secret } = await operator.addKey(account.id, 'laptop');
    const { token } = await operator.createSession(account.id, 60);
    const rows = JSON.stringify([
      await stores.database.kysely.selectFrom('api_keys').selectAll().execute(),
      await stores.database.kysely.selectFrom('sessions').selectAll().execute(),
    ]);
    expect([rows.includes(secret.slice(13)), rows.includes(token)]).toEqual([false, false]);
  });

  it.each(['svc_sk_', `svc_sk_${'a'.repeat(40)}`, 'svc_sk_\u0000', '', 'x'.repeat(10_000), 'a.b.c'])(
    'refuses %j',
    async (token) => {
      await expect(createAccess(stores.accounts, null).byBearer(token)).rejects.toMatchObject({ code: 'unauthorized' });
    },
  );

  it('work though the last use cannot be written', async () => {
    const account = await operator.createAccount({ name: 'three' });
    const { secret } = await operator.addKey(account.id, 'laptop');
    const accounts = { ...stores.accounts, touchKey: () => Promise.reject(new Error('away')) };
    expect((await createAccess(accounts, null).byBearer(secret)).id).toBe(account.id);
  });
});

describe('sessions and access tokens', () => {
  it('stand for an account until they are over', async () => {
    const account = await operator.createAccount({ name: 'four' });
    const { token, expiresAt } = await operator.createSession(account.id, 60);
    expect((await createAccess(stores.accounts, null).bySession(token)).id).toBe(account.id);
    await expect(createAccess(stores.accounts, null, () => expiresAt).bySession(token)).rejects.toMatchObject({
      code: 'unauthorized',
    });
    await expect(createAccess(stores.accounts, null).bySession('other')).rejects.toMatchObject({
      code: 'unauthorized',
    });
    expect(await operator.endSessions(account.id)).toBe(1);
    await expect(createAccess(stores.accounts, null).bySession(token)).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(operator.createSession(account.id, 0)).rejects.toMatchObject({ code: 'bad_request' });
  });

  it("a token's subject decides", async () => {
    const account = await operator.createAccount({ name: 'five', oauthSubject: 'person-5' });
    const verifier = {
      verify: (token: string) =>
        token === tokenOf('bad')
          ? Promise.reject(new EarshotError('unauthorized', 'no'))
          : Promise.resolve({ subject: token.split('.')[1]! }),
    };
    const tokenOf = (subject: string): string => `head.${subject}.signature`;
    const access = createAccess(stores.accounts, verifier);
    expect((await access.byBearer(tokenOf('person-5'))).id).toBe(account.id);
    await expect(access.byBearer(tokenOf('person-6'))).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('no account'),
    });
    await expect(access.byBearer(tokenOf('bad'))).rejects.toMatchObject({ code: 'unauthorized', message: 'no' });
    await expect(access.byBearer('sk-of-another')).rejects.toMatchObject({
      message: 'This API key does not exist; those of this service begin with svc_sk_',
    });
    await expect(operator.createAccount({ name: 'six', oauthSubject: 'person-5' })).rejects.toMatchObject({
      code: 'conflict',
    });
  });
});

describe('the operator', () => {
  it('moves credits, and never below nothing', async () => {
    const account = await operator.createAccount({ name: 'seven', credits: 10 });
    expect(account.balance).toBe(10);
    expect((await operator.postCredits(account.id, 'purchase', 5, 'invoice 1')).balance).toBe(15);
    expect((await operator.postCredits(account.id, 'adjustment', -4, null)).balance).toBe(11);
    await expect(operator.postCredits(account.id, 'adjustment', -12, null)).rejects.toMatchObject({
      code: 'insufficient_balance',
    });
    for (const credits of [0, -1, 1.5, NaN, 2 ** 60])
      await expect(operator.postCredits(account.id, 'grant', credits, null)).rejects.toMatchObject({
        code: 'bad_request',
      });
    await expect(operator.postCredits(account.id, 'adjustment', 0, null)).rejects.toMatchObject({
      code: 'bad_request',
    });
    expect(
      (await operator.ledger(account.id, page)).items.map(({ kind, credits, balance, note }) => [
        kind,
        credits,
        balance,
        note,
      ]),
    ).toEqual([
      ['adjustment', -4, 11, null],
      ['purchase', 5, 15, 'invoice 1'],
      ['grant', 10, 10, 'first credits'],
    ]);
  });

  it('sets auto-refill, and says which account is not there', async () => {
    const account = await operator.createAccount({ name: 'eight' });
    const refill = {
      enabled: true,
      thresholdCents: 500,
      amountCents: 2000,
      monthlyCapCents: 10_000,
      card: { brand: 'visa', last4: '4242' },
    };
    expect((await operator.setAutoRefill(account.id, refill)).autoRefill).toEqual(refill);
    await expect(
      (async () => operator.setAutoRefill(account.id, { ...none, amountCents: -1 }))(),
    ).rejects.toMatchObject({ code: 'bad_request' });
    const missing = [
      () => operator.account('acc_none'),
      () => operator.addKey('acc_none', 'k'),
      () => operator.listKeys('acc_none'),
      () => operator.postCredits('acc_none', 'grant', 1, null),
      () => operator.ledger('acc_none', page),
      () => operator.createSession('acc_none', 60),
      () => operator.endSessions('acc_none'),
      () => operator.setAutoRefill('acc_none', none),
    ];
    for (const call of missing) await expect(call()).rejects.toMatchObject({ code: 'not_found' });
    await expect(operator.createAccount({ name: ' ' })).rejects.toMatchObject({ code: 'bad_request' });
    expect((await operator.listAccounts(page)).items.map(({ name }) => name)).toContain('eight');
  });
});
