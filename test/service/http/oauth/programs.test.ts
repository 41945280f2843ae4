// @module-tag slow
// Programs that act for people, with the official MCP clients of both generations and in a browser.
import { Client as Client2026, StreamableHTTPClientTransport as Transport2026 } from '@modelcontextprotocol/client';
import { Client as Client2025 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport2025 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { decodeJwt } from 'jose';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hasChromium } from '../../../fixtures/browser/chromium.ts';
import type { PlainBrowser } from '../../../fixtures/browser/plain-browser.ts';
import { desk, expectToFit, findings, keepPicture, phone, useBrowser } from '../../../fixtures/browser/site.ts';
import { skipHere } from '../../../fixtures/missing-part.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { answered, asking, desktop, person, redirect, register, restStatus } from './support.ts';

const services = useServices();
const browser = useBrowser();
let service: TestService;
let base = '';

beforeAll(async () => {
  service = await services.start({ worker: false, config: { trustProxy: 'true' } });
  base = service.base;
});

/** What a program keeps, and a person who consents by the page's forms. */
function keeper(ann: PlainBrowser) {
  const kept: { client?: unknown; tokens?: { access_token: string; refresh_token?: string }; verifier?: string } = {};
  let back = new URL(redirect);
  return {
    kept,
    code: () => back.searchParams.get('code') ?? '',
    answer: () => back.searchParams,
    provider: {
      redirectUrl: redirect,
      // As programs register that do not say that they are native.
      clientMetadata: desktop,
      clientInformation: () => kept.client,
      saveClientInformation: (client: unknown) => void (kept.client = client),
      tokens: () => kept.tokens,
      saveTokens: (tokens: never) => void (kept.tokens = tokens),
      saveCodeVerifier: (verifier: string) => void (kept.verifier = verifier),
      codeVerifier: () => kept.verifier ?? '',
      async redirectToAuthorization(url: URL) {
        back = await answered(ann, url.origin, url.pathname + url.search);
      },
    },
  };
}

const generations = {
  '2026': (provider: object) => ({
    client: new Client2026({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } }),
    transport: () => new Transport2026(new URL(`${base}/mcp`), { authProvider: provider as never }),
  }),
  '2025': (provider: object) => ({
    client: new Client2025({ name: 'test', version: '1' }),
    transport: () => new Transport2025(new URL(`${base}/mcp`), { authProvider: provider as never }),
  }),
};

describe.each(Object.entries(generations))('the official client of %s', (_generation, make) => {
  it('registers, gets consent, calls a tool, and refreshes by itself', async () => {
    const { ann, account } = await person(service, 1234);
    const { provider, kept, code, answer } = keeper(ann);
    const { client, transport } = make(provider);
    const first = transport();
    await expect(client.connect(first as never)).rejects.toThrow(/auth/i);
    expect(answer().get('iss')).toBe(base);
    await first.finishAuth(code(), base);
    const { client: again } = make(provider);
    await again.connect(transport());
    const called = (await again.callTool({ name: 'get_account', arguments: {} })) as {
      structuredContent: { balance: number };
    };
    expect(called.structuredContent.balance).toBe(1234);
    const token = kept.tokens?.access_token ?? '';
    expect(decodeJwt(token)).toMatchObject({ aud: `${base}/mcp`, sub: account.id });
    expect(await restStatus(base, token)).toBe(200);
    // A token that is refused makes the client refresh.
    kept.tokens = { ...kept.tokens, access_token: `${token.slice(0, -6)}aaaaaa` };
    const { client: third } = make(provider);
    await third.connect(transport());
    expect((await third.listTools()).tools.length).toBeGreaterThan(10);
    expect(kept.tokens.access_token).not.toBe(token);
    await Promise.all([again.close(), third.close()]);
  });
});

describe('a person in a browser', () => {
  /** A program on this machine that waits for its code. */
  async function waitingProgram() {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      if (request.url?.startsWith('/callback')) seen.push(request.url);
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>done</title>You can close this page.');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return { seen, redirect: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback` };
  }

  it('consents by keyboard, refuses, and takes it back', async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const program = await waitingProgram();
    const { account } = await service.account();
    for (const [size, options, name] of [
      [desk, {}, 'Batch cleaner'],
      [phone, { colorScheme: 'dark', locale: 'de-DE' }, 'W'.repeat(80)],
    ] as const) {
      const { json: client } = await register(service, { ...desktop, client_name: name });
      const page = await browser.open({ viewport: size, ...options });
      const { token } = await service.operator.createSignInLink(account.id, 60);
      await page.goto(base + asking(client.client_id, base, { redirect_uri: program.redirect }).path);
      // Not signed in yet: the sign-in comes first, and leads back.
      expect(page.url()).toContain('/sign-in?next=%2Fconnect%2F');
      const question = decodeURIComponent(new URL(page.url()).searchParams.get('next') ?? '');
      await page.goto(`${base}/sign-in/${token}`);
      await page.locator('main button').press('Enter');
      await page.waitForURL('**/files');
      await page.goto(base + question);
      expect(await findings(page)).toEqual([]);
      await expectToFit(page);
      await keepPicture(page, `consent-${size.width}`);
      const before = program.seen.length;
      await page.locator('button[value=allow]').focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(`${program.redirect}?code=*`);
      expect(program.seen.slice(before)).toEqual([expect.stringMatching(/code=[\w-]+&state=as-it-was&iss=/)]);
      await page.goto(base + asking(client.client_id, base, { redirect_uri: program.redirect }).path);
      await page.locator('button[value=refuse]').click();
      await page.waitForURL(`${program.redirect}?error=access_denied*`);
      await page.goto(`${base}/account`);
      expect(await findings(page)).toEqual([]);
      await expectToFit(page);
      await keepPicture(page, `programs-${size.width}`);
      await page.locator('#programs').scrollIntoViewIfNeeded();
      await page.locator('section[aria-labelledby=programs] summary').first().click();
      await page.locator('section[aria-labelledby=programs] button[type=submit]').first().click();
      await page.waitForURL(`${base}/account`);
      expect(await service.service.programs?.list(account)).toEqual([]);
      await page.context().close();
    }
    expect(browser.complaints).toEqual([]);
  });

  it('does the same without a script', async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const program = await waitingProgram();
    const { json: client } = await register(service);
    const { account } = await service.account();
    const page = await browser.open({ javaScriptEnabled: false });
    const { token } = await service.operator.createSignInLink(account.id, 60);
    await page.goto(`${base}/sign-in/${token}`);
    await page.locator('main button').click();
    await page.goto(base + asking(client.client_id, base, { redirect_uri: program.redirect }).path);
    await page.locator('button[value=allow]').click();
    await page.waitForURL(`${program.redirect}?code=*`);
  });

  it('sees a page of ours when a program asks wrongly', async (context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const page = await browser.open();
    await page.goto(`${base}/oauth/authorize?client_id=unknown&redirect_uri=https%3A%2F%2Fevil.test`);
    expect(await page.textContent('main')).toContain('client is invalid');
    expect(await findings(page)).toEqual([]);
    browser.forget();
  });
});
