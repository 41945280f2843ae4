// The pages of an account in Chromium: by keyboard, with a passkey, on a phone, and what axe finds.
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, launchOptions } from '../../../fixtures/browser/chromium.ts';
import { axe } from '../../../fixtures/browser/site.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { slow } from '../../../fixtures/rounds.ts';

const services = useServices();
let browser: Browser;
let service: TestService;
let base = '';

describe.skipIf(!hasChromium)('the pages of an account in a browser', () => {
  beforeAll(async () => {
    service = await services.start({ worker: false });
    // Browsers make passkeys for localhost, not for 127.0.0.1.
    base = service.base.replace('127.0.0.1', 'localhost');
    browser = await chromium.launch({
      ...launchOptions,
      args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1'],
    });
  });
  afterAll(() => browser?.close());

  async function signedIn(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const { account } = await service.account();
    await service.operator.setOperator(account.id, true);
    const { token } = await service.operator.createSignInLink(account.id, 60);
    const context = await browser.newContext(options);
    const page = await context.newPage();
    await page.goto(`${base}/sign-in/${token}`);
    await page.keyboard.press('Tab');
    await page.locator('main button').press('Enter');
    await page.waitForURL('**/files');
    return page;
  }

  it('have nothing that axe finds, in both colours and on a phone, and do not scroll sideways', slow, async () => {
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [390, 'dark'],
    ] as const) {
      const page = await signedIn({ viewport: { width, height: 800 }, colorScheme });
      const problems: string[] = [];
      page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())));
      for (const path of ['/files', '/jobs', '/keys', '/webhooks', '/credits', '/receipts', '/account', '/operator']) {
        await page.goto(base + path);
        const { violations } = await axe(page).analyze();
        problems.push(...violations.map(({ id, nodes }) => `${path} ${width}: ${id} ${nodes[0]?.html}`));
        const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        if (over > 0) problems.push(`${path} ${width}: ${over} px wider than the window`);
      }
      expect(problems).toEqual([]);
      await page.context().close();
    }
  });

  it('make and revoke a key by keyboard', slow, async () => {
    const page = await signedIn();
    await page.goto(`${base}/keys`);
    await page.locator('#name').focus();
    await page.keyboard.type('Laptop');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.once');
    const key = (await page.locator('.once output').textContent()) ?? '';
    expect(key).toMatch(/^svc_sk_\w{40}$/);
    const summary = page.locator('summary').first();
    await summary.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/keys');
    await expect
      .poll(
        async () =>
          (await fetch(`${service.base}/api/v1/account`, { headers: { authorization: `Bearer ${key}` } })).status,
      )
      .toBe(401);
    await page.context().close();
  });

  it('make a passkey, sign in with it, and refuse it when it was removed', slow, async () => {
    const page = await signedIn();
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto(`${base}/account`);
    await page.fill('#passkey-name', 'Test key');
    await page.click('text=Add a passkey');
    await page.waitForSelector('th:has-text("Test key")');
    await page.click('text=Sign out');
    await page.waitForURL(`${base}/`);
    const usePasskey = async (): Promise<void> => {
      await page.goto(`${base}/sign-in`);
      await page.click('text=Use a passkey');
    };
    await usePasskey();
    await page.waitForURL('**/files');
    await page.goto(`${base}/account`);
    expect(await page.textContent('main')).toContain('by passkey');
    await page.locator('summary', { hasText: 'Remove' }).click();
    await page.click('text=Remove the passkey');
    await page.waitForSelector('text=0 passkeys');
    await page.click('text=Sign out');
    await page.waitForURL(`${base}/`);
    await usePasskey();
    await page.waitForSelector('text=This device did not answer');
    await page.context().close();
  });
});

it.runIf(!hasChromium)('is skipped: Chromium is missing (apt-get install chromium)', ({ skip }) => skip());
