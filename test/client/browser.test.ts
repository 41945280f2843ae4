// earshot/client as browsers get it: joined into one file, in a page of an app that embeds the service, and in one of
// another origin.
import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { beforeAll, expect, it } from 'vitest';
import { toolIds } from '../../src/library/contract/tool-ids.ts';
import { createServer } from '../../src/service/serve/create-server.ts';
import { makeDemoClip } from '../fixtures/media/demo-clip.ts';
import { hasChromium } from '../fixtures/browser/chromium.ts';
import { clientForBrowsers, outcomeOf } from '../fixtures/browser/client-page.ts';
import { skipHere } from '../fixtures/missing-part.ts';
import { useDatabases } from '../fixtures/service/database.ts';
import { useApps } from '../service/http/support.ts';
import { slow } from '../fixtures/rounds.ts';

const databases = useDatabases();
const startApp = useApps();
let code = '';

beforeAll(async () => {
  code = await clientForBrowsers();
});

it('is one file that imports nothing, small enough for a page', () => {
  expect(code).not.toMatch(/^\s*import\b|\bimport\(|\brequire\(|node:/m);
  expect(Buffer.byteLength(code)).toBeLessThan(40_000);
});

/** Sends the clip, runs a tool, reads the report. */
const session = (key: string): string => `
const client = createClient({ baseUrl: location.origin + '/audio', apiKey: '${key}' });
outcome.progress = [];
const clip = new File([await (await fetch('/clip.wav')).blob()], 'clip.wav');
const file = await client.upload(clip, { onProgress: ({ sentBytes }) => outcome.progress.push(sentBytes) });
const job = await client.run('analyze_audio', { file_id: file.id });
const download = await client.download(job.outputs[0].id);
outcome.report = await download.json();
outcome.refusal = await client.file('file_nothing').catch((error) => error.name + ' ' + error.code);`;

it('works in Chromium', slow, async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  const folder = await mkdtemp(join(tmpdir(), 'earshot-client-'));
  const audio = createServer(
    { data: folder, databaseUrl: (await databases.freshDatabase()).url, jobSlots: 1, graceSeconds: 1 },
    { log: pino({ level: 'silent' }) },
  );
  await audio.start();
  const account = await audio.operator.createAccount({ name: 'Page', credits: 10 });
  const { secret } = await audio.operator.addKey(account.id, 'page');
  const clip = makeDemoClip();
  try {
    const outcome = await outcomeOf(code, session(secret), async (app) => {
      app.get('/clip.wav', (_request, reply) => reply.type('audio/wav').send(clip));
      await app.register(audio, { prefix: '/audio' });
    });
    const sent = outcome['progress'] as readonly number[];
    expect([sent[0], sent.at(-1)]).toEqual([0, clip.length]);
    expect(outcome).toMatchObject({
      report: { loudness: {} },
      refusal: 'ApiError not_found',
    });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});

it('of another origin reads what the service lets it, and else says which setting would', slow, async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  const [open, closed] = [await startApp({}, { config: { corsOrigins: '*' } }), await startApp()];
  const down: Server = createHttpServer();
  await new Promise<void>((resolve) => down.listen(0, '127.0.0.1', resolve));
  const { port } = down.address() as AddressInfo;
  await new Promise((resolve) => down.close(resolve));
  const ask = (name: string, base: string): string =>
    `outcome.${name} = await createClient({ baseUrl: '${base}', apiKey: 'svc_sk_none', attempts: 2 }).tools()
  .then((tools) => tools.length, (error) => error.name + ': ' + error.message);`;
  const outcome = await outcomeOf(
    code,
    [
      'outcome.origin = location.origin;',
      ask('open', open.base),
      ask('closed', closed.base),
      ask('down', `http://127.0.0.1:${port}`),
    ].join('\n'),
  );
  expect(outcome).toMatchObject({ open: toolIds.length, closed: expect.stringContaining('ConnectionError') });
  expect(outcome['closed']).toContain('EARSHOT_CORS_ORIGINS (--cors-origins)');
  expect(outcome['closed']).toContain(String(outcome['origin']));
  expect(outcome['down']).toMatch(/^ConnectionError: .* got no answer/);
});
