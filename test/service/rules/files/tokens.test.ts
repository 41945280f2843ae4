import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  replaceTokenKey,
  rotateTokenKeys,
  type TokenKey,
  type TokenKeyStore,
} from '../../../../src/service/rules/shared/token-keys.ts';
import { createTokens } from '../../../../src/service/rules/shared/tokens.ts';

const now = new Date('2026-11-21T12:00:00Z');
const later = new Date('2026-11-21T12:15:00Z');

const tokensWith = (secret: string) => createTokens(keyStore([{ id: 'k1', secret, madeAt: new Date(0) }]), () => now);

test('says what it was made for, until its time', async () => {
  const tokens = await tokensWith('a secret for this test');
  const token = tokens.sign('upload', 'file_abc', later);
  expect(token).toMatch(/^k1\.[\w-]+\.[\w-]{43}$/);
  expect(await tokens.read('upload', token, now)).toEqual({ ok: true, id: 'file_abc', expiresAt: later });
  expect(await tokens.read('upload', token, new Date(later.getTime() - 1))).toMatchObject({ ok: true });
  expect(await tokens.read('upload', token, later)).toEqual({ ok: false, reason: 'expired' });
  expect(await tokens.read('download', token, now)).toEqual({ ok: false, reason: 'forged' });
  expect(await (await tokensWith('another secret')).read('upload', token, now)).toEqual({
    ok: false,
    reason: 'forged',
  });
});

test('any change makes it worthless', async () => {
  const tokens = await tokensWith('a secret for this test');
  const token = tokens.sign('download', 'file_abc', later);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=%~';
  await fc.assert(
    fc.asyncProperty(
      fc.nat(token.length),
      fc.constantFrom(...alphabet.split('')),
      fc.constantFrom('replace', 'insert', 'remove'),
      async (at, character, how) => {
        const changed =
          token.slice(0, at) + (how === 'remove' ? '' : character) + token.slice(how === 'insert' ? at : at + 1);
        fc.pre(changed !== token);
        expect(await tokens.read('download', changed, now)).toEqual({ ok: false, reason: 'forged' });
      },
    ),
    { seed: 20_260_104, numRuns: 2000 },
  );
  await fc.assert(
    fc.asyncProperty(fc.string({ maxLength: 200 }), async (junk) => {
      expect(await tokens.read('download', junk, now)).toEqual({ ok: false, reason: 'forged' });
    }),
    { seed: 20_260_105 },
  );
});

/** Keys as the database keeps them, in memory. */
function keyStore(first: readonly TokenKey[] = []): TokenKeyStore & { readonly kept: () => readonly TokenKey[] } {
  let keys = [...first];
  return {
    list: () => Promise.resolve(keys.toSorted((one, other) => other.madeAt.getTime() - one.madeAt.getTime())),
    add(key, unlessSince) {
      if (!keys.some(({ madeAt }) => madeAt > unlessSince)) keys.push(key);
      return Promise.resolve();
    },
    remove(ids) {
      keys = keys.filter(({ id }) => !ids.includes(id));
      return Promise.resolve();
    },
    kept: () => keys,
  };
}

const daysAfter = (days: number): Date => new Date(now.getTime() + days * 86_400_000);
const rules = { days: 30, longestSeconds: 86_400 };

test('processes share one key, and links of the time without several keys still work', async () => {
  const store = keyStore();
  const [one, other] = [await createTokens(store, () => now), await createTokens(store, () => now)];
  expect(store.kept()).toHaveLength(1);
  expect(store.kept()[0]?.secret.length).toBeGreaterThanOrEqual(43);
  expect(await other.read('upload', one.sign('upload', 'file_abc', later), now)).toMatchObject({ ok: true });

  const secret = 'as it was';
  const payload = Buffer.from(`download:file_abc:${later.getTime() / 1000}`).toString('base64url');
  const old = `${payload}.${createHmac('sha256', secret).update(payload).digest('base64url')}`;
  const upgraded = keyStore([{ id: '0', secret, madeAt: now }]);
  const after = await createTokens(upgraded, () => now);
  expect(await after.read('download', old, now)).toMatchObject({ ok: true, id: 'file_abc' });
  await rotateTokenKeys(upgraded, daysAfter(31), rules);
  expect(await (await createTokens(upgraded, () => daysAfter(31))).read('download', old, now)).toMatchObject({
    ok: true,
  });
});

test('a key follows another: a moment later it signs, and what the one before signed works until its end', async () => {
  const store = keyStore();
  let clock = now;
  const running = await createTokens(store, () => clock);
  const receipt = running.sign('receipt', 'pay_1', daysAfter(400));
  const keyOf = (token: string): string => token.split('.')[0] ?? '';

  clock = daysAfter(29);
  await rotateTokenKeys(store, clock, rules);
  expect(store.kept()).toHaveLength(1);
  clock = daysAfter(30);
  await Promise.all([rotateTokenKeys(store, clock, rules), rotateTokenKeys(store, clock, rules)]);
  expect(store.kept()).toHaveLength(2);
  // Others may not know it yet.
  const started = await createTokens(store, () => clock);
  expect(keyOf(started.sign('upload', 'file_1', daysAfter(31)))).toBe(keyOf(receipt));
  clock = new Date(clock.getTime() + 120_000);
  await started.read('receipt', receipt, clock);
  const next = started.sign('upload', 'file_1', daysAfter(31));
  expect(keyOf(next)).not.toBe(keyOf(receipt));
  // A process that has slept since the first day takes it at once.
  expect(await running.read('upload', next, clock)).toMatchObject({ ok: true });
  expect(await running.read('receipt', receipt, daysAfter(399))).toMatchObject({ ok: true });

  await rotateTokenKeys(store, daysAfter(430), rules);
  expect(store.kept().some(({ id }) => id === keyOf(receipt))).toBe(true);
  await rotateTokenKeys(store, daysAfter(432), rules);
  expect(store.kept().some(({ id }) => id === keyOf(receipt))).toBe(false);
});

test('revoked keys open nothing a minute later, and one that the database cannot be asked about goes on', async () => {
  const store = keyStore();
  let clock = now;
  const running = await createTokens(store, () => clock);
  const given = running.sign('upload', 'file_1', later);
  await replaceTokenKey(store, clock, true);
  clock = new Date(clock.getTime() + 60_000);
  expect(await running.read('upload', given, clock)).toEqual({ ok: false, reason: 'forged' });
  const fresh = running.sign('upload', 'file_1', later);
  store.list = () => Promise.reject(new Error('away'));
  clock = new Date(clock.getTime() + 60_000);
  expect(await running.read('upload', fresh, clock)).toMatchObject({ ok: true });
});
