// earshot/client as browsers get it: joined into one file, in a page of an app that embeds the service.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastify from 'fastify';
import { pino } from 'pino';
import { rolldown } from 'rolldown';
import { beforeAll, expect, it } from 'vitest';
import { createServer } from '../../src/serve/create-server.ts';
import { makeDemoClip } from '../../src/serve/demo-clip.ts';
import { chromiumArguments, hasChromium } from '../fixtures/browser/chromium.ts';
import { skipHere } from '../fixtures/missing-part.ts';
import { useDatabases } from '../fixtures/service/database.ts';

const databases = useDatabases();
let code = '';

beforeAll(async () => {
  const build = await rolldown({
    input: fileURLToPath(new URL('../../src/client.ts', import.meta.url)),
    platform: 'browser',
  });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  expect(output).toHaveLength(1);
  code = output[0].code;
});

it('is one file that imports nothing, small enough for a page', () => {
  expect(code).not.toMatch(/^\s*import\b|\bimport\(|\brequire\(|node:/m);
  expect(Buffer.byteLength(code)).toBeLessThan(40_000);
});

/** The page: sends the clip, runs a tool, reads the report, and tells its own server how it went. */
const page = (key: string): string => `<!doctype html><meta charset="utf-8"><title>Test</title><script type="module">
import { createClient } from '/client.js';
const client = createClient({ baseUrl: location.origin + '/audio', apiKey: '${key}' });
const outcome = { progress: [] };
try {
  const clip = new File([await (await fetch('/clip.wav')).blob()], 'clip.wav');
  const file = await client.upload(clip, { onProgress: ({ sentBytes }) => outcome.progress.push(sentBytes) });
  const job = await client.run('analyze_audio', { file_id: file.id });
  const download = await client.download(job.outputs[0].id);
  outcome.report = await download.json();
  outcome.refusal = await client.file('file_nothing').catch((error) => error.name + ' ' + error.code);
} catch (error) {
  outcome.error = String(error && error.stack);
}
await fetch('/outcome', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(outcome) });
</script>`;

it('works in Chromium', async (context) => {
  if (!hasChromium) skipHere(context, 'chromium not installed');
  const folder = await mkdtemp(join(tmpdir(), 'earshot-client-'));
  const audio = createServer(
    { data: folder, databaseUrl: (await databases.freshDatabase()).url, jobSlots: 1, graceSeconds: 1 },
    { log: pino({ level: 'silent' }) },
  );
  await audio.start();
  const account = await audio.operator.createAccount({ name: 'Page', credits: 10 });
  const { secret } = await audio.operator.addKey(account.id, 'page');
  const app = fastify();
  const clip = makeDemoClip();
  app.get('/', (_request, reply) => reply.type('text/html').send(page(secret)));
  app.get('/client.js', (_request, reply) => reply.type('text/javascript').send(code));
  app.get('/clip.wav', (_request, reply) => reply.type('audio/wav').send(clip));
  const outcome = new Promise<Record<string, unknown>>((resolve) => {
    app.post('/outcome', (request) => {
      resolve(request.body as Record<string, unknown>);
      return {};
    });
  });
  await app.register(audio, { prefix: '/audio' });
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  const browser = spawn(
    'chromium',
    [...chromiumArguments(join(folder, 'profile')), '--remote-debugging-port=0', address],
    {
      stdio: 'ignore',
    },
  );
  const gone = new Promise((resolve) => browser.once('exit', resolve));
  try {
    expect(await outcome).toMatchObject({
      progress: [0, clip.length],
      report: { loudness: {} },
      refusal: 'ApiError not_found',
    });
  } finally {
    browser.kill();
    await gone;
    await app.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});
