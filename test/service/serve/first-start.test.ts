import { existsSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { banner, firstStart } from '../../../src/service/serve/first-start.ts';
import { loadConfig, type Config } from '../../../src/service/rules/settings/config.ts';
import { createOperator, type Operator } from '../../../src/service/rules/operator/operator.ts';
import { useDatabases, type TestStores } from '../../fixtures/service/database.ts';

const databases = useDatabases();
let stores: TestStores;
let operator: Operator;
let config: Config;

beforeEach(async () => {
  stores = await databases.freshStores();
  operator = createOperator(stores);
  config = loadConfig({}, { data: await mkdtemp(join(tmpdir(), 'earshot-first-')) });
});
afterEach(() => rm(config.data, { recursive: true }));

const accounts = async (): Promise<number> => (await operator.listAccounts({ cursor: null, limit: 10 })).items.length;
const keptPath = (): string => join(config.data, 'first-key.json');

it('makes an account with a key, and shows the same one until somebody has used it', async () => {
  const first = await firstStart(operator, config);
  expect(first).toMatchObject({ again: false, credits: 1000 });
  expect(existsSync(first!.samplePath)).toBe(true);
  expect(statSync(keptPath()).mode & 0o777).toBe(0o600);
  const again = await firstStart(operator, config);
  expect(again).toEqual({ ...first, again: true, signInToken: expect.any(String) });
  expect((await operator.account(first!.accountId)).operator).toBe(true);
  const text = banner(config, 'http://127.0.0.1:1', null, again);
  expect(text).toContain(`has not been used yet:\n\n    ${first!.key}\n`);
  expect(text).toContain('Home page: http://127.0.0.1:1/');
  expect(text).toContain(`\n    http://127.0.0.1:1/sign-in/${again!.signInToken}\n`);

  const [key] = await operator.listKeys(first!.accountId);
  await stores.accounts.touchKey(key!.id, new Date());
  expect(await firstStart(operator, config)).toBeNull();
  expect(existsSync(keptPath())).toBe(false);
  expect(await accounts()).toBe(1);
});

it('shows a session for the shell that the system has', async () => {
  const first = await firstStart(operator, config);
  const shown = (system: NodeJS.Platform): string => banner(config, 'http://127.0.0.1:1', null, first, system);
  const [windows, linux] = [shown('win32'), shown('linux')];
  expect(windows).toContain(`$API = 'http://127.0.0.1:1/api/v1'; $KEY = @{ Authorization = 'Bearer ${first!.key}' }`);
  expect(windows).not.toMatch(/curl|grep|\$\(call [^)]*\|/);
  expect(linux).toContain(`API=http://127.0.0.1:1/api/v1; AUTH='Authorization: Bearer ${first!.key}'`);
  // PowerShell takes a question mark for part of a name.
  expect(windows).not.toMatch(/\$\w+\?/);
  // Both ask the same of the service.
  const asked = (text: string): string[] =>
    ['files', 'quote', 'peaks', 'jobs', 'remove_noise', 'remove_fillers', 'download', 'transcript', 'ledger'].filter(
      (word) => text.includes(word),
    );
  expect(asked(windows)).toEqual(asked(linux));
});

it('shows no key that was revoked', async () => {
  const first = await firstStart(operator, config);
  const [key] = await operator.listKeys(first!.accountId);
  await operator.revokeKey(key!.id);
  expect(await firstStart(operator, config)).toBeNull();
  expect(existsSync(keptPath())).toBe(false);
});

it('gives a key to the account of a start that was cut off before it had one', async () => {
  const { id } = await operator.createAccount({ name: 'first', credits: 1000 });
  expect(await firstStart(operator, config)).toMatchObject({ accountId: id, again: false });
  expect(await accounts()).toBe(1);
});

it('leaves an operator’s own accounts alone', async () => {
  await operator.createAccount({ name: 'Ann' });
  expect(await firstStart(operator, config)).toBeNull();
  expect(await operator.listAccounts({ cursor: null, limit: 10 })).toMatchObject({ items: [{ name: 'Ann' }] });
});

it.each(['{"accountId":"acc_of_another_database","keyId":"key_1","secret":"svc_sk_x"}', 'half a fi'])(
  'forgets a file that says nothing here: %s',
  async (text) => {
    writeFileSync(keptPath(), text);
    const first = await firstStart(operator, config);
    expect(first).toMatchObject({ again: false });
    expect(first!.key).not.toBe('svc_sk_x');
  },
);

it('says that nobody can pay as long as nobody is told how', () => {
  const said = (settings: Parameters<typeof loadConfig>[1]): boolean =>
    banner(loadConfig({}, { data: config.data, ...settings }), 'http://127.0.0.1:1', null, null).includes(
      'EARSHOT_PAYMENT_INSTRUCTIONS',
    );
  expect(said({})).toBe(true);
  expect(said({ paymentInstructions: 'By bank transfer to ...' })).toBe(false);
  expect(said({ payments: 'none' })).toBe(false);
  expect(said({ payments: 'stripe' })).toBe(false);
  expect(said({ freeEnabled: 'false' })).toBe(false);
});
