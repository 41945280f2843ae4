// The pages of payments as a browser shows them: in headless Chromium, on a desk and on a phone. Pictures are kept in
// the folder that EARSHOT_SCREENSHOTS names.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { skipHere } from '../../../fixtures/missing-part.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { hasChromium } from '../../../fixtures/browser/chromium.ts';
import { openPageViewer, type PageViewer } from '../../../fixtures/browser/pictures.ts';
import { createFakeMedia, named } from './fake-media.ts';
import { ended, tryTool } from './support.ts';
import { slow } from '../../../fixtures/rounds.ts';

const services = useServices();
const media = createFakeMedia();
const profile = mkdtempSync(join(tmpdir(), 'earshot-test-chromium-'));
const kept = process.env['EARSHOT_SCREENSHOTS'];
const folder = kept ?? join(profile, 'pictures');
let service: TestService;
/** By name: the addresses of the pages in all of their states. */
const pages: Record<string, string> = {};

const sizes = { desk: [1280, 800], phone: [390, 844] } as const;

let viewer: Promise<PageViewer> | undefined;

const press = async (url: string): Promise<string> =>
  (await fetch(url, { method: 'POST', redirect: 'manual' })).headers.get('location') ?? expect.fail('no address');

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  service = await services.start({
    media,
    config: { paymentInstructions: 'Pay at the counter, or to DE00 1234 5678 9012.', rateLimitAddress: '100000' },
  });
  const run = await tryTool(
    service,
    'remove-noise',
    [['file', named('600s a recording with quite a long name indeed.wav')]],
    {
      headers: { prefer: 'respond-async' },
    },
  );
  pages['finish'] = (await ended(run.json.statusUrl)).finishUrl as string;
  pages['waiting'] = await press(pages['finish']);
  const second = await tryTool(service, 'loudness', [['file', named('600s.wav')]], {
    headers: { prefer: 'respond-async' },
  });
  const other = (await ended(second.json.statusUrl)).finishUrl as string;
  pages['paid'] = await press(other);
  const { items } = await service.service.payments.list({ cursor: null, limit: 1 });
  const { jobId } = await service.service.payments.confirm(items[0]?.id ?? '', 500);
  for (let waits = 0; waits < 100; waits++) {
    if ((await service.stores.jobs.get(jobId ?? ''))?.status === 'succeeded') break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  // What whoever else holds the link sees.
  pages['finished'] = other;
  const third = await tryTool(service, 'convert', [['file', named('600s.wav')]], {
    headers: { prefer: 'respond-async' },
  });
  pages['disputed'] = await press((await ended(third.json.statusUrl)).finishUrl as string);
  const [newest] = (await service.service.payments.list({ cursor: null, limit: 1 })).items;
  await service.service.payments.confirm(newest?.id ?? '', 500);
  await service.stores.payments.dispute(newest?.id ?? '', {
    id: 'dp_1',
    status: 'open',
    cents: 500,
    openedAt: new Date(),
  });
  const { account } = await service.account(3);
  pages['credits'] = service.service.payments.buyUrl(account.id) ?? '';
  pages['gone'] = `${service.base}/finish/nothing`;
});
afterAll(async () => {
  await (await viewer)?.close();
  rmSync(profile, { recursive: true, force: true, maxRetries: 3 });
});

const states: readonly (readonly [page: string, shows: readonly string[]])[] = [
  [
    'finish',
    [
      'Process the whole file',
      'Remove noise',
      '10:00',
      '10 credits ($0.10)',
      '$0.10 of it is for this file; $4.90 stays yours, as 490 credits',
      'Pay $5.00',
    ],
  ],
  ['waiting', ['The operator confirms this payment', 'Pay at the counter', 'pay_']],
  ['paid', ['The whole file is done', 'Download out-1.wav', 'acc_', 'Create an API key', '$4.90 is left']],
  ['finished', ['This file has been paid']],
  ['disputed', ['bank disputes this payment', 'frozen']],
  ['credits', ['Buy credits', '$10.00', 'acc_']],
  ['gone', ['There is no such link']],
];

it.each([
  [
    'finish',
    ['Ganze Datei bearbeiten', 'Rauschen', '4,90\u00a0$ bleiben Ihnen, als 490 Credits', '5,00\u00a0$ zahlen'],
  ],
  ['waiting', ['Der Betreiber bestätigt']],
  ['paid', ['Die ganze Datei ist fertig', 'out-1.wav herunterladen']],
  ['credits', ['Credits kaufen', 'Zur Zahlung']],
  ['gone', ['Diesen Link gibt es nicht']],
])('%s comes in German, too', async (page, shows) => {
  const response = await fetch(pages[page] ?? '', { headers: { accept: 'text/html', 'accept-language': 'de' } });
  const html = await response.text();
  expect(html).toContain('<html lang="de"');
  for (const text of shows) expect(html).toContain(text);
  expect(response.headers.get('referrer-policy')).toBe('no-referrer');
});

it.each(states)('%s says it in plain HTML that a screen reader finds its way in', async (page, shows) => {
  const response = await fetch(pages[page] ?? '', { headers: { accept: 'text/html' } });
  const html = await response.text();
  for (const text of shows) expect(html).toContain(text);
  expect(html).toMatch(/^<!doctype html>\n<html lang="en" dir="ltr">/);
  expect(html).toContain('class="brand"');
  expect(html).toContain('<meta name="viewport" content="width=device-width, initial-scale=1"');
  expect(html.match(/<h1>/g)).toHaveLength(1);
  expect(html.match(/<main /g)).toHaveLength(1);
  expect(html).not.toMatch(/style="|onclick=|javascript:/);
  // What changes is announced, inputs have labels, and lists of facts are lists.
  if (['waiting', 'paid'].includes(page)) expect(html).toMatch(/role="status"/);
  if (page === 'gone') expect(html).toMatch(/role="alert"/);
  const main = html.slice(html.indexOf('<main '), html.indexOf('</main>'));
  expect(main.match(/<input (?!type="hidden")/g)?.length ?? 0).toBe(main.match(/<label><input /g)?.length ?? 0);
  expect(main.match(/<button [^>]*type="submit">[^<]{2,}<\/button>/g)?.length ?? 0).toBe(
    main.match(/<button/g)?.length ?? 0,
  );
});

it.for(states.flatMap(([page]) => Object.keys(sizes).map((size) => [page, size as keyof typeof sizes] as const)))(
  '%s fits a %s',
  slow,
  async ([page, size], context) => {
    if (!hasChromium) skipHere(context, 'chromium not installed');
    const [width, height] = sizes[size];
    const picture = join(folder, `${page}-${size}.png`);
    viewer ??= openPageViewer(profile);
    const { png, contentWidth } = await (await viewer).picture(pages[page] ?? '', width, height);
    writeFileSync(picture, png);
    const { data, info } = await sharp(picture).greyscale().raw().toBuffer({ resolveWithObject: true });
    expect(info.width).toBe(width);
    // There is something to be seen, and nothing is cut off at the right edge.
    const column = (x: number): Set<number> =>
      new Set(Array.from({ length: info.height }, (_, y) => data[y * info.width + x] ?? 0));
    expect(Math.max(...[0.3, 0.5, 0.7].map((share) => column(Math.floor(share * width)).size))).toBeGreaterThan(1);
    expect(contentWidth).toBe(width);
  },
);
