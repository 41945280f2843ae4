// Webhooks over REST and on the account's page, on a whole service with a receiver behind the stubbed network.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright-core';
import { hasChromium, launchOptions } from '../../../fixtures/browser/chromium.ts';
import { createLinkFetcher } from '../../../../src/service/adapters/links/link-fetcher.ts';
import { axe } from '../../../fixtures/browser/site.ts';
import { slow } from '../../../fixtures/rounds.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { until } from '../../../fixtures/until.ts';
import { type HostileReceiver, startHostileReceiver } from '../../../fixtures/webhooks/hostile-server.ts';

const services = useServices();
const url = 'https://media.example.com/hooks';
let service: TestService;
let receiver: HostileReceiver;
beforeAll(async () => {
  receiver = await startHostileReceiver();
  service = await services.start({ webhooks: receiver.sender, links: createLinkFetcher() });
});
afterAll(() => receiver.close());

type Json = Record<string, unknown>;
type Caller = (method: string, path: string, body?: Json) => Promise<{ status: number; json: Json }>;

const callerOf =
  (key: string): Caller =>
  async (method, path, body) => {
    const answer = await fetch(`${service.base}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, json: answer.status === 204 ? {} : ((await answer.json()) as Json) };
  };

it('an address is given, changed, tested, given a new secret and deleted; others see nothing of it', slow, async () => {
  const call = callerOf((await service.account()).key);
  const stranger = callerOf((await service.account()).key);
  const made = await call('POST', '/webhooks', { url, events: ['job.completed'], description: 'mine' });
  expect(made.status).toBe(201);
  expect(made.json).toMatchObject({ url, events: ['job.completed'], enabled: true, offReason: null });
  expect(made.json['secret']).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const id = String(made.json['id']);
  const { secret: _secret, ...shown } = made.json;
  expect((await call('GET', '/webhooks')).json).toEqual({ data: [shown], nextCursor: null });
  expect((await stranger('GET', '/webhooks')).json).toEqual({ data: [], nextCursor: null });
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['PATCH', '', { enabled: false }],
    ['DELETE', '', undefined],
    ['POST', '/secret', undefined],
    ['POST', '/test', undefined],
    ['GET', '/deliveries', undefined],
  ] as const)
    expect([path, (await stranger(method, `/webhooks/${id}${path}`, body)).status]).toEqual([path, 404]);

  receiver.secret = String((await call('POST', `/webhooks/${id}/secret`)).json['secret']);
  expect((await call('POST', `/webhooks/${id}/test`)).json).toMatchObject({ type: 'webhook.test', status: 'pending' });
  await until('the test has come', () => receiver.received.length > 0);
  expect(receiver.received[0]).toMatchObject({ type: 'webhook.test', subject: id, verified: true });
  let event: Json = {};
  await until('the log says so', async () => {
    [event = {}] = (await call('GET', `/webhooks/${id}/deliveries`)).json['data'] as Json[];
    return event['status'] === 'delivered';
  });
  expect(event).toMatchObject({ tries: 1, answerStatus: 204, answer: '', nextAt: null });
  expect((await call('POST', `/webhooks/${id}/deliveries/${String(event['id'])}/replay`)).status).toBe(200);
  await until('it has come again', () => receiver.received.length > 1);
  expect(receiver.received[1]?.id).toBe(receiver.received[0]?.id);

  expect((await call('PATCH', `/webhooks/${id}`, { enabled: false })).json).toMatchObject({ offReason: 'asked' });
  expect(await call('POST', `/webhooks/${id}/test`)).toMatchObject({ status: 409 });
  expect((await call('DELETE', `/webhooks/${id}`)).status).toBe(204);
  expect((await call('GET', `/webhooks/${id}`)).status).toBe(404);
});

it('refuses what is no address for events, and too many of them', async () => {
  const call = callerOf((await service.account()).key);
  for (const body of [
    {},
    { url: '' },
    { url, events: [] },
    { url, events: ['job.exploded'] },
    { url, secret: 'whsec_mine' },
    { url, description: 'x'.repeat(201) },
    { url: 'http://media.example.com/' },
    { url: 'https://127.0.0.1/' },
    { url: 'https://localhost/' },
    { url: 'https://10.0.0.1/' },
    { url: 'https://user:word@media.example.com/' },
    { url: 'https://media.example.com:8443/' },
  ]) {
    const { status, json } = await call('POST', '/webhooks', body);
    expect([body, status, (json['error'] as Json | undefined)?.['code']]).toEqual([body, 400, 'bad_request']);
  }
  for (let n = 0; n < 20; n += 1) expect((await call('POST', '/webhooks', { url })).status).toBe(201);
  expect(await call('POST', '/webhooks', { url })).toMatchObject({ status: 429 });
});

it('an account that is deleted takes its webhooks along', async () => {
  const { account, key } = await service.account();
  await callerOf(key)('POST', '/webhooks', { url });
  await service.stores.signIn.closeAccount(account.id, new Date());
  expect(await service.stores.webhooks.list(account.id)).toEqual([]);
});

it.skipIf(!hasChromium)('people do the same on their page, which axe finds nothing in', slow, async () => {
  const { account } = await service.account();
  const { token } = await service.operator.createSignInLink(account.id, 60);
  const { port } = service.app.server.address() as AddressInfo;
  const base = `http://localhost:${port}`;
  const browser = await chromium.launch({
    ...launchOptions,
    args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost'],
  });
  try {
    const page = await (await browser.newContext({ viewport: { width: 390, height: 800 }, locale: 'de-DE' })).newPage();
    await page.goto(`${base}/sign-in/${token}`);
    await page.locator('main button').click();
    await page.waitForURL('**/files');
    await page.goto(`${base}/webhooks`);
    await page.fill('#url', 'https://127.0.0.1/');
    await page.locator('form[action="/webhooks"] button').click();
    await page.waitForSelector('.note.fault');
    await page.goto(`${base}/webhooks`);
    await page.fill('#url', url);
    await page.uncheck('[name="file.ready"]');
    await page.locator('form[action="/webhooks"] button').click();
    receiver.secret = (await page.locator('.once output').textContent()) ?? '';
    expect(receiver.secret).toMatch(/^whsec_/);
    await page.locator('main table a').click();
    const before = receiver.received.length;
    receiver.manner = () => 'error';
    await page.locator('form[action$="/test"] button').click();
    await until('the failure is told', async () => {
      await page.reload();
      return (await page.locator('main table').textContent())?.includes('not now') === true;
    });
    receiver.manner = () => 'take';
    await page.locator('form[action$="/again"] button').click();
    await until('it has come', () => receiver.received.length > before);
    expect(receiver.received.at(-1)).toMatchObject({ type: 'webhook.test', verified: true });
    expect(await page.locator('[name="file.ready"]').isChecked()).toBe(false);
    const { violations } = await axe(page).analyze();
    expect(violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)).toEqual([]);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    const shot = process.env['EARSHOT_SHOT'];
    if (shot !== undefined) await page.screenshot({ path: shot, fullPage: true });
    await page.locator('form[action$="/off"] button').click();
    await page.locator('summary', { hasText: 'Löschen' }).click();
    await page.locator('form[action$="/remove"] button').click();
    await page.waitForURL('**/webhooks');
    expect(await service.stores.webhooks.list(account.id)).toEqual([]);
  } finally {
    await browser.close();
  }
});
