// What the website's editor costs with two hours of speech and 20,000 words, in headless Chromium: processor time of
// the page's own thread, heap, and elements. Everything is made up and served from this process; nothing else runs.
// Usage: node bench/site/editor.ts [--words=20000] [--hours=2]
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { chromium, type CDPSession, type Page } from 'playwright-core';
import { en } from '../../src/service/http/site/strings/en/index.ts';
import type { EditorData } from '../../src/site/editor-data.ts';
import { launchOptions } from '../../test/fixtures/browser/chromium.ts';

const { values } = parseArgs({
  options: { words: { type: 'string', default: '20000' }, hours: { type: 'string', default: '2' } },
});
const [words, seconds] = [Number(values.words), Number(values.hours) * 3600];

interface Builder {
  buildScript(name: string): Promise<string>;
  buildStyle(): string;
}
const { buildScript, buildStyle } = (await import(
  new URL('../../scripts/build-site.mjs', import.meta.url).href
)) as Builder;
const script = await buildScript('editor');

/** Sentences of eight words, every twentieth word an "um", a long pause after each fifth sentence. */
function transcript(): object {
  const step = seconds / words;
  const vocabulary = ['the', 'committee', 'said', 'that', 'nothing', 'was', 'decided', 'yesterday'];
  const sentences = Array.from({ length: Math.ceil(words / 8) }, (_, sentence) => {
    const own = Array.from({ length: Math.min(8, words - sentence * 8) }, (_, at) => {
      const number = sentence * 8 + at;
      const startSeconds = number * step;
      const isLast = at === 7 && sentence % 5 === 4;
      return {
        text: number % 20 === 7 ? 'um,' : `${vocabulary[number % 8] ?? ''}${at === 7 ? '.' : ''}`,
        startSeconds,
        endSeconds: startSeconds + step * (isLast ? 0.2 : 0.9),
      };
    });
    return {
      startSeconds: own[0]?.startSeconds,
      endSeconds: own.at(-1)?.endSeconds,
      text: '',
      speaker: 1 + (Math.floor(sentence / 6) % 2),
      words: own,
    };
  });
  return { language: 'en', durationSeconds: seconds, sentences, nextFromSeconds: null };
}

const levels = [5, 50, 500].map((perSecond) => ({ perSecond, count: seconds * perSecond }));

function peaks(query: URLSearchParams): object {
  const [level, first, count] = ['level', 'first', 'count'].map((name) => Number(query.get(name) ?? 0)) as [
    number,
    number,
    number,
  ];
  const bytes = Buffer.alloc(2 * count);
  for (let bin = 0; bin < count; bin++) {
    const size = Math.round(60 * Math.abs(Math.sin((first + bin) / level)) * (((first + bin) * 7919) % 13) * 0.15);
    bytes.writeInt8(-Math.min(127, size), 2 * bin);
    bytes.writeInt8(Math.min(127, size), 2 * bin + 1);
  }
  const bins = level === 0 ? null : { level, first, count, data: bytes.toString('base64') };
  return { status: 'ready', durationSeconds: seconds, peak: 1, levels, bins };
}

const tool = { unavailable: null, freeSeconds: 180, freeLength: '3 minutes', price: 120 };
const data: EditorData = {
  language: 'en',
  mostBytes: 1e8,
  addresses: {
    editor: '/edit',
    api: '/api/v1',
    tries: '/api/try',
    credits: '/credits',
    signIn: '/sign-in',
    upload: '',
    written: '',
    timelines: '',
  },
  tools: { transcribe: tool, align: tool, cut: tool },
  file: {
    id: 'file_1',
    name: 'two-hours.mp3',
    seconds,
    sampleRate: 48_000,
    channels: 2,
    bytes: 100_000_000,
    format: 'mp3',
    hasVideo: false,
    picture: null,
    translations: [],
    jobs: { text: null, render: null },
    transcriptFileId: 'file_2',
    edit: null,
  },
  available: 1000,
  t: en.editor,
  errors: en.errors,
  units: en.units,
};

const html = `<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="/site.css"><script type="module" src="/editor.js"></script></head>
<body><main id="main"><div class="ed" id="editor"></div></main>
<script type="application/json" id="data">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script></body></html>`;

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const send = (type: string, body: string): void => void response.setHeader('content-type', type).end(body);
  if (pathname === '/') send('text/html', html);
  else if (pathname === '/editor.js') send('text/javascript', script);
  else if (pathname === '/site.css') send('text/css', buildStyle());
  else if (pathname.endsWith('/peaks')) send('application/json', JSON.stringify(peaks(searchParams)));
  else if (pathname.endsWith('/transcript')) send('application/json', JSON.stringify(transcript()));
  else if (pathname.endsWith('/state')) send('application/json', JSON.stringify({ version: 1 }));
  else response.writeHead(404).end();
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const browser = await chromium.launch(launchOptions);
const rows: (readonly [what: string, value: string, bar: string])[] = [];

/** Processor seconds of the page's thread, and bytes of its heap. */
async function metrics(session: CDPSession): Promise<Readonly<Record<string, number>>> {
  const { metrics: found } = (await session.send('Performance.getMetrics')) as {
    metrics: readonly { readonly name: string; readonly value: number }[];
  };
  return Object.fromEntries(found.map(({ name, value }) => [name, value]));
}

const settle = (page: Page): Promise<void> =>
  page.evaluate<undefined>('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))');

async function cost(
  page: Page,
  session: CDPSession,
  times: number,
  act: (at: number) => Promise<void>,
): Promise<number> {
  await settle(page);
  const before = (await metrics(session))['TaskDuration'] ?? 0;
  for (let at = 0; at < times; at++) {
    await act(at);
    await settle(page);
  }
  return ((((await metrics(session))['TaskDuration'] ?? 0) - before) * 1000) / times;
}

try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const ms = (value: number): string => `${value.toFixed(1)} ms`;
  rows.push(['script, gzipped', `${(gzipSync(script, { level: 9 }).length / 1000).toFixed(1)} kB`, '< 60 kB']);
  await page.goto(base);
  await page.waitForSelector('.sent');
  // The first pictures have been drawn when their windows are there.
  await page.waitForTimeout(3000);
  rows.push(['all of opening it', ms(((await metrics(session))['TaskDuration'] ?? 0) * 1000), '']);
  rows.push(['elements', String(await page.evaluate<number>('document.querySelectorAll("*").length')), '']);
  await page.focus('#ed-text');
  await page.keyboard.press('Home');
  // An hour in view: the level of 5 bins a second, or 50 where there are more pixels.
  for (let at = 0; at < 20; at++) await page.keyboard.press('-');
  await page.waitForTimeout(1500);
  rows.push([
    `drawing ${values.hours} hours (out to all, and in)`,
    ms(await cost(page, session, 10, (at) => page.keyboard.press(at % 2 === 0 ? '+' : '-'))),
    '< 60 ms',
  ]);
  for (let at = 0; at < 14; at++) await page.keyboard.press('+');
  await page.waitForTimeout(1000);
  rows.push([
    'zoom, a step',
    ms(await cost(page, session, 10, (at) => page.keyboard.press(at % 2 === 0 ? '-' : '+'))),
    '< 16.7 ms',
  ]);
  await page.hover('.wave.m');
  rows.push([
    'waveform scrolled, a frame',
    ms(await cost(page, session, 20, () => page.mouse.wheel(40, 0))),
    '< 16.7 ms',
  ]);
  await page.hover('#ed-text');
  rows.push(['text scrolled, a frame', ms(await cost(page, session, 20, () => page.mouse.wheel(0, 300))), '< 16.7 ms']);
  // 2,000 words: 250 sentences down.
  await page.focus('#ed-text');
  await page.keyboard.press('Home');
  for (let at = 0; at < 250; at++) await page.keyboard.press('Shift+ArrowDown');
  await settle(page);
  rows.push([
    'deletion of 2,000 words',
    ms(await cost(page, session, 1, () => page.keyboard.press('Delete'))),
    '< 60 ms',
  ]);
  rows.push(['undo', ms(await cost(page, session, 1, () => page.keyboard.press('Control+z'))), '< 60 ms']);
  await page.getByRole('button', { name: /^Cut all/ }).click();
  await page.waitForTimeout(4000);
  rows.push([
    `undo of ${Math.floor(words / 20)} cuts at once`,
    ms(await cost(page, session, 1, () => page.keyboard.press('Control+z'))),
    '< 60 ms',
  ]);
  await session.send('HeapProfiler.collectGarbage');
  const all = (await (await browser.newBrowserCDPSession()).send('SystemInfo.getProcessInfo')) as {
    processInfo: readonly { readonly type: string; readonly id: number }[];
  };
  // The page's process; Chromium keeps a spare one, which is smaller.
  const resident = Math.max(
    ...all.processInfo
      .filter(({ type }) => type === 'renderer')
      .map(({ id }) => Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0)),
  );
  rows.push(['memory of the page\u2019s process', `${(resident / 1000).toFixed(0)} MB`, '< 200 MB']);
  rows.push([
    'heap of the page',
    `${(((await metrics(session))['JSHeapUsedSize'] ?? 0) / 1e6).toFixed(0)} MB`,
    '< 200 MB',
  ]);
} finally {
  await browser.close();
  server.close();
}

const width = Math.max(...rows.map(([what]) => what.length));
// oxlint-disable-next-line no-console -- a bench prints
for (const [what, value, bar] of rows) console.log(`${what.padEnd(width)}  ${value.padStart(10)}  ${bar}`);
