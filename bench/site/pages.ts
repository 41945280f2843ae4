// What the website costs those who open it and those who run it: first and largest paint of its pages with the
// processor slowed down four times, and the service's start and memory with the site and without it. Both on loopback,
// of the medians the least, since other work on the machine can only add.
// Usage: node bench/site/pages.ts [--rounds=3] [--visits=5] [--starts=5]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { launchOptions } from '../../test/fixtures/browser/chromium.ts';
import { startService } from '../../test/fixtures/service/running-service.ts';
import { machineLine, median } from '../compare.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    visits: { type: 'string', default: '5' },
    starts: { type: 'string', default: '5' },
  },
});
const [rounds, visits, starts] = [values.rounds, values.visits, values.starts].map(Number) as [number, number, number];
const slowedDown = 4;

const times = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);
const print = (line: string): void => {
  // oxlint-disable-next-line no-console -- a bench prints
  console.log(line);
};

interface Paints {
  /** Of the answer: until here it is the service's time. */
  readonly answered: number;
  readonly first: number;
  readonly largest: number;
}

/** Milliseconds from the request to the paints, as Chromium reports them. */
async function visit(page: Page, url: string): Promise<Paints> {
  await page.goto(url, { waitUntil: 'load' });
  return page.evaluate<Paints>(`new Promise((done) => {
    let largest = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) largest = entry.startTime;
    }).observe({ type: 'largest-contentful-paint', buffered: true });
    const first = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
    const { responseStart: answered } = performance.getEntriesByType('navigation')[0];
    const look = () => first() === undefined || largest === 0 ? setTimeout(look, 50)
      : done({ answered, first: first(), largest });
    // Islands paint after the load.
    setTimeout(look, 1000);
  })`);
}

/** A window that is signed in by the link of the first start, slowed down, and has no cache. */
async function slowPage(browser: Browser, address: string, link: string): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  await page.goto(link);
  await page.locator('main form button').click();
  await page.waitForURL(`${address}/files`);
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowedDown });
  return page;
}

const least = (lists: readonly (readonly number[])[]): number => Math.min(...lists.map((list) => median(list)));

async function paints(data: string): Promise<void> {
  const service = await startService(data);
  const browser = await chromium.launch(launchOptions);
  try {
    const link = /http:\S+\/sign-in\/\w+/.exec(service.output())?.[0];
    if (link === undefined) throw new Error('The first start printed no link to sign in');
    const page = await slowPage(browser, service.address, link);
    print(
      ['page'.padEnd(16), ...['answered', 'first paint', 'largest'].map((name) => name.padStart(14))].join('') +
        '   bars: 300 and 1000 ms',
    );
    for (const path of ['/', '/tools/loudness', '/edit', '/keys']) {
      // A service on its sources builds a page's script when it is first asked for.
      await visit(page, service.address + path);
      const found: Paints[][] = [];
      for (const _round of times(rounds)) {
        const own: Paints[] = [];
        for (const _visit of times(visits)) own.push(await visit(page, service.address + path));
        found.push(own);
      }
      const of = (name: keyof Paints): string =>
        `${least(found.map((own) => own.map((one) => one[name]))).toFixed(0)} ms`;
      print(path.padEnd(16) + [of('answered'), of('first'), of('largest')].map((time) => time.padStart(14)).join(''));
    }
  } finally {
    await browser.close();
    await service.stop();
  }
}

interface Start {
  readonly ms: number;
  readonly megabytes: number;
}

/** Until its banner, and the API's resident memory a second later. */
async function oneStart(data: string, site: boolean): Promise<Start> {
  const service = await startService(data, [], { EARSHOT_SITE: String(site) });
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const megabytes = service
    .pids()
    .api.map((pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1000)
    .reduce((sum, each) => sum + each, 0);
  await service.stop();
  return { ms: service.startedInMs, megabytes };
}

async function startsOf(data: string): Promise<void> {
  const found = { with: [] as Start[][], without: [] as Start[][] };
  for (const _round of times(rounds)) {
    const [withSite, without]: [Start[], Start[]] = [[], []];
    // In turns, so that other work falls on both.
    for (const _start of times(starts)) {
      withSite.push(await oneStart(data, true));
      without.push(await oneStart(data, false));
    }
    found.with.push(withSite);
    found.without.push(without);
  }
  const of = (lists: readonly (readonly Start[])[], name: keyof Start): number =>
    least(lists.map((list) => list.map((one) => one[name])));
  print(
    `${'start'.padEnd(16)}${'until ready'.padStart(14)}${'memory of the API'.padStart(20)}   bars: +100 ms, +30 MB`,
  );
  for (const [name, lists] of [
    ['with the site', found.with],
    ['site: false', found.without],
  ] as const)
    print(
      `${name.padEnd(16)}${`${of(lists, 'ms').toFixed(0)} ms`.padStart(14)}${`${of(lists, 'megabytes').toFixed(1)} MB`.padStart(20)}`,
    );
}

const data = mkdtempSync(join(tmpdir(), 'earshot-bench-site-'));
print(machineLine().split(';')[0] ?? '');
try {
  await paints(data);
  await startsOf(data);
} finally {
  rmSync(data, { recursive: true, force: true });
}
