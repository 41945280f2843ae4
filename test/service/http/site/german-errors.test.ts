// What goes wrong, and what to know of a run, on German pages: in German, by its code.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { desk, expectToFit, findings, keepPicture, phone, useBrowser } from '../../../fixtures/browser/site.ts';
import { hasChromium } from '../../../fixtures/browser/chromium.ts';
import { skipHere } from '../../../fixtures/missing-part.ts';
import { slower } from '../../../fixtures/rounds.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { errorCatalogue } from '../../../../src/library/core/errors/errors.ts';
import { warningCatalogue } from '../../../../src/library/core/errors/warnings.ts';
import { plainSessionCookie } from '../../../../src/service/http/interface/session-cookie.ts';
import { errors } from '../../../../src/service/http/site/strings/de/errors.ts';
import { warnings } from '../../../../src/service/http/site/strings/de/warnings.ts';
import { tone } from '../try/support.ts';

const services = useServices();
const browser = useBrowser();
const folder = mkdtempSync(join(tmpdir(), 'earshot-test-german-'));
const path = (name: string): string => join(folder, name);
let service: TestService;

beforeAll(async () => {
  for (const name of ['ton.wav', 'zwei.wav']) writeFileSync(path(name), Buffer.from(await tone(2).arrayBuffer()));
  writeFileSync(path('kaputt.wav'), 'no sound');
  service = await services.start();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('has a German text for every code but those that only programs meet', () => {
  const forPrograms = ['bad_request', 'forbidden', 'conflict', 'idempotency_key_reused', 'build_mismatch'];
  const missing = Object.keys(errorCatalogue).filter((code) => errors[code] === undefined);
  expect(missing.toSorted()).toEqual(forPrograms.toSorted());
  // None for a code that does not exist; the first two are the client's, `cancelled` is the pages' own.
  const own = ['connection', 'unexpected_answer', 'cancelled'];
  const known = Object.keys(errors).map((key) => key.split('.')[0] ?? '');
  expect(known.filter((code) => !(code in errorCatalogue) && !own.includes(code))).toEqual([]);
});

it('has a German text for every warning', () => {
  expect(Object.keys(warnings).toSorted()).toEqual(Object.keys(warningCatalogue).toSorted());
});

it('tells a visitor in German what to know of a run, alone and among several', slower, async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  const page = await browser.open({ viewport: desk, locale: 'de-DE' });
  const text = warnings.no_pauses;
  await page.goto(`${service.base}/tools/remove-silence`);
  await page.locator('input[type=file]').setInputFiles(path('ton.wav'));
  const start = page.locator('#start button');
  await start.click();
  await page.getByText(text).waitFor();
  await keepPicture(page, 'german-warning');
  expect(await findings(page)).toEqual([]);
  expect(await page.locator('main').innerText()).not.toMatch(/Nothing was removed|No pauses/);
  // The page of the run, as the server makes it.
  const address = page.url();
  await page.reload();
  await page.getByText(text).waitFor();
  expect(address).toMatch(/\/runs\//);
  expect(await page.locator('main').innerText()).not.toMatch(/Nothing was removed|No pauses/);
  await page.goto(`${service.base}/tools/remove-silence`);
  await page.locator('input[type=file]').setInputFiles([path('ton.wav'), path('zwei.wav')]);
  await start.click();
  await page.getByText('2 von 2 beendet').waitFor();
  expect(await page.getByText(text).count()).toBe(2);
  await keepPicture(page, 'german-warning-batch');
  await page.setViewportSize(phone);
  await expectToFit(page);
  await keepPicture(page, 'german-warning-batch-phone');
  browser.forget();
});

it('tells a visitor in German what is wrong with a file, and that no free use is left', slower, async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  const page = await browser.open({ viewport: desk, locale: 'de-DE' });
  await page.goto(`${service.base}/tools/convert`);
  await page.locator('input[type=file]').setInputFiles(path('kaputt.wav'));
  const start = page.getByRole('button', { name: 'Umwandeln', exact: true });
  await start.click();
  await page.getByText(errors['unsupported_format'] ?? '').waitFor();
  await keepPicture(page, 'german-unsupported');
  expect(await findings(page)).toEqual([]);
  // Nor is the service's English hint beside it.
  expect(await page.getByRole('alert').innerText()).not.toMatch(/Expected|Convert the file/);
  await page.getByRole('button', { name: 'Einstellungen ändern' }).click();
  await page.getByRole('button', { name: 'Andere Datei' }).click();
  await page.locator('input[type=file]').setInputFiles(Array.from({ length: 5 }, () => path('ton.wav')));
  await start.click();
  await page.getByText('5 von 5 beendet').waitFor();
  await page
    .getByText(errors['free_limit_reached'] ?? '')
    .first()
    .waitFor();
  browser.forget();
});

it('tells somebody who is signed in the same, also without a script', slower, async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  const { account } = await service.account();
  const { token } = await service.operator.createSession(account.id, 3600);
  const page = await browser.open({ viewport: desk, locale: 'de-DE' });
  await page.context().addCookies([{ name: plainSessionCookie, value: token, url: service.base }]);
  await page.goto(`${service.base}/tools/convert`);
  await page.locator('input[type=file]').setInputFiles(path('kaputt.wav'));
  const text = errors['unsupported_format'] ?? '';
  await page.getByText(text).waitFor();
  await keepPicture(page, 'german-own');
  expect(await findings(page)).toEqual([]);
  await page.goto(`${service.base}/tools/convert?file=file_abc`);
  await page.getByText(errors['not_found'] ?? '').waitFor();
  await page.goto(`${service.base}/files`);
  await page.getByText(text).waitFor();
  browser.forget();
});
