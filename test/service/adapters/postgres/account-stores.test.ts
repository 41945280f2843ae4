import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../../../src/service/rules/shared/ids.ts';
import { useDatabases, type TestStores } from '../../../fixtures/service/database.ts';
import { hash, newAccount, newJob, paid, readAll } from '../../../fixtures/service/rows.ts';

const databases = useDatabases();

let stores: TestStores;

beforeAll(async () => {
  stores = await databases.freshStores();
});

test('accounts, keys and sessions', async () => {
  const { accounts } = stores;
  const account = await accounts.create({ id: newId('acc'), name: 'Ada', oauthSubject: 'sub-1' });
  expect(account).toMatchObject({
    name: 'Ada',
    balance: 0,
    reserved: 0,
    oauthSubject: 'sub-1',
    autoRefill: { enabled: false, card: null },
  });
  expect(account.createdAt).toBeInstanceOf(Date);
  expect(await accounts.findByOauthSubject('sub-1')).toEqual(account);
  await expect(accounts.create({ id: newId('acc'), name: 'Eve', oauthSubject: 'sub-1' })).rejects.toMatchObject({
    code: 'conflict',
  });
  const autoRefill = {
    enabled: true,
    thresholdCents: 100,
    amountCents: 500,
    monthlyCapCents: null,
    card: { brand: 'visa', last4: '4242' },
  };
  expect(await accounts.update(account.id, { name: 'Ada L', autoRefill })).toEqual({
    ...account,
    name: 'Ada L',
    autoRefill,
  });
  expect(await accounts.update('acc_missing', { name: 'x' })).toBeNull();
  expect(await accounts.get('acc_missing')).toBeNull();

  const key = await accounts.addKey({
    id: newId('key'),
    accountId: account.id,
    name: 'laptop',
    prefix: 'svc_sk_abc',
    hash: hash('k1'),
  });
  expect(await accounts.findKey(hash('k1'))).toMatchObject({ key, account: { id: account.id, name: 'Ada L' } });
  expect(await accounts.findKey(hash('nothing'))).toBeNull();
  await expect(
    accounts.addKey({ id: newId('key'), accountId: 'acc_missing', name: 'x', prefix: 'p', hash: hash('k2') }),
  ).rejects.toMatchObject({ code: 'not_found' });
  const at = new Date('2026-11-21T10:00:00Z');
  await accounts.touchKey(key.id, at);
  await accounts.touchKey(key.id, new Date(at.getTime() + 59_000));
  expect((await accounts.listKeys(account.id))[0]?.lastUsedAt).toEqual(at);
  await accounts.touchKey(key.id, new Date(at.getTime() + 61_000));
  expect((await accounts.listKeys(account.id))[0]?.lastUsedAt).toEqual(new Date(at.getTime() + 61_000));
  expect(await accounts.revokeKey('svc_sk_abc', at)).toMatchObject({ id: key.id, revokedAt: at });
  expect(await accounts.revokeKey(key.id, new Date())).toMatchObject({ revokedAt: at });
  expect(await accounts.revokeKey('svc_sk_zzz', at)).toBeNull();
  await accounts.addKey({
    id: newId('key'),
    accountId: account.id,
    name: 'other',
    prefix: 'svc_sk_abc',
    hash: hash('k3'),
  });
  await expect(accounts.revokeKey('svc_sk_abc', at)).rejects.toMatchObject({ code: 'conflict' });

  await accounts.addSession({ hash: hash('s1'), accountId: account.id, expiresAt: at });
  expect((await accounts.findSession(hash('s1'), new Date(at.getTime() - 1)))?.account.id).toBe(account.id);
  expect(await accounts.findSession(hash('s1'), at)).toBeNull();
  expect(await accounts.removeSessions(account.id)).toBe(1);
  expect((await readAll((cursor) => accounts.list({ cursor, limit: 1 }))).some(({ id }) => id === account.id)).toBe(
    true,
  );
});

test('the ledger: newest first, balance after each entry, never rewritten', async () => {
  const account = await newAccount(stores);
  for (const credits of [5, 10, 20])
    await stores.ledger.post({ accountId: account.id, kind: 'grant', credits, note: `+${credits}` });
  const { job } = await stores.jobs.create(newJob(account.id, paid(30)));
  await expect(
    stores.ledger.post({ accountId: account.id, kind: 'adjustment', credits: -6, note: null }),
  ).rejects.toMatchObject({ code: 'insufficient_balance' });
  await expect(
    stores.ledger.post({ accountId: account.id, kind: 'grant', credits: -1, note: null }),
  ).rejects.toMatchObject({ code: 'bad_request' });
  await expect(
    stores.ledger.post({ accountId: 'acc_missing', kind: 'grant', credits: 1, note: null }),
  ).rejects.toMatchObject({ code: 'not_found' });
  await stores.ledger.post({ accountId: account.id, kind: 'adjustment', credits: -5, note: 'sorry' });
  const entries = await readAll((cursor) => stores.ledger.list(account.id, { cursor, limit: 2 }, false));
  expect(
    entries.map(({ kind, credits, reserved, balance, jobId }) => [kind, credits, reserved, balance, jobId]),
  ).toEqual([
    ['adjustment', -5, 0, 30, null],
    ['reserve', 0, 30, 35, job.id],
    ['grant', 20, 0, 35, null],
    ['grant', 10, 0, 15, null],
    ['grant', 5, 0, 5, null],
  ]);
  expect(
    (await stores.ledger.list(account.id, { cursor: null, limit: 100 }, true)).items.map(({ kind }) => kind),
  ).toEqual(['adjustment', 'grant', 'grant', 'grant']);
  // Not even the owner of the tables may; what the service's role may not do: roles.test.ts.
  const { kysely } = databases.asOwner(stores.database);
  await expect(sql`update ledger set credits = 1000 where account_id = ${account.id}`.execute(kysely)).rejects.toThrow(
    'append-only',
  );
  await expect(sql`delete from ledger`.execute(kysely)).rejects.toThrow('append-only');
  await expect(sql`truncate ledger cascade`.execute(kysely)).rejects.toThrow('append-only');
  await expect(
    sql`update accounts set reserved = balance + 1 where id = ${account.id}`.execute(kysely),
  ).rejects.toThrow('reserved_is_covered');
  await expect(
    sql`insert into ledger (id, account_id, kind, credits, reserved, balance, job_id) values ('led_x', ${account.id}, 'reserve', 0, 5, 30, ${job.id})`.execute(
      kysely,
    ),
  ).rejects.toThrow('ledger_reserves_once');
});
