// @module-tag slower
// The service as a plugin of another Fastify app that differs from ours in everything that a host may choose.
import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fastifyCookie from '@fastify/cookie';
import fastifyMultipart from '@fastify/multipart';
import fastify, { type FastifyInstance } from 'fastify';
import { decodeJwt } from 'jose';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../../../src/library/core/machine/is-alive.ts';
import { createServer, type EmbeddedServer } from '../../../src/service/serve/create-server.ts';
import { makeDemoClip } from '../../fixtures/media/demo-clip.ts';
import { useDatabases } from '../../fixtures/service/database.ts';
import { thrownBy } from '../../fixtures/media/media.ts';
import { until } from '../../fixtures/until.ts';
import { connected, signedIn } from '../http/oauth/support.ts';
import { serverPath } from '../../fixtures/built/main-path.ts';

const databases = useDatabases();

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever the service says
  readonly json: any;
}

let data: string;
let server: EmbeddedServer;
let host: FastifyInstance;
let base: string;
let key: string;
let hostLog = '';
let ownLog = '';
const hostSaw = { preHandler: 0, onSend: 0, onResponse: [] as string[], errors: 0 };

async function ask(path: string, init: RequestInit & { readonly json?: unknown } = {}): Promise<Answer> {
  const { json, ...rest } = init;
  const response = await fetch(path.startsWith('http') ? path : base + path, {
    ...rest,
    headers: {
      authorization: `Bearer ${key}`,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(rest.headers as Record<string, string> | undefined),
    },
    ...(json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    json: response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text,
  };
}

const logTo = (take: (line: string) => void): ReturnType<typeof pino> => pino({ level: 'debug' }, { write: take });

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'earshot-embedded-'));
  server = createServer(
    {
      data,
      databaseUrl: (await databases.freshDatabase()).url,
      jobSlots: 1,
      graceSeconds: 1,
      // Told apart by the address that the host believes.
      rateLimitAddress: 20,
    },
    { log: logTo((line) => (ownLog += line)) },
  );
  await server.start();
  const account = await server.operator.createAccount({ name: 'Embedded', credits: 100 });
  key = (await server.operator.addKey(account.id, 'test')).secret;

  const app = fastify({
    loggerInstance: logTo((line) => (hostLog += line)),
    // Less than any upload, so that a body the host reads would be refused.
    bodyLimit: 50,
    trustProxy: true,
    genReqId: () => 'id-of-the-host',
  });
  app.decorateRequest('account', null);
  app.decorateRequest('upgraded', false);
  await app.register(fastifyCookie);
  await app.register(fastifyMultipart);
  app.addContentTypeParser('*', (_request, _payload, done) => done(new Error('The host parses nothing')));
  app.addHook(
    'onRequest',
    async (_request, reply) => void reply.header('access-control-allow-origin', 'https://app.test'),
  );
  app.addHook('preHandler', async () => void (hostSaw.preHandler += 1));
  app.addHook('onSend', async () => void (hostSaw.onSend += 1));
  app.addHook('onResponse', async (request) => void hostSaw.onResponse.push(request.url));
  app.setErrorHandler((_error, _request, reply) => {
    hostSaw.errors += 1;
    return reply.code(418).send({ host: 'error' });
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ host: 'nothing' }));
  app.get('/hello', () => ({ host: 'hello' }));
  app.post('/echo', (request) => ({ body: request.body }));
  await app.register(server, { prefix: '/audio' });
  host = app as unknown as FastifyInstance;
  base = await host.listen({ host: '127.0.0.1', port: 0 });
});

afterAll(async () => {
  await host?.close();
  await server?.close();
  await rm(data, { recursive: true, force: true, maxRetries: 3 });
});

describe('a service embedded under a prefix', () => {
  it('does a whole job, with links that carry the prefix', async () => {
    const bytes = new Uint8Array(makeDemoClip());
    const created = await ask('/audio/api/v1/files', { json: { filename: 'clip.wav', sizeBytes: bytes.length } });
    expect(created.status).toBe(201);
    const { file, upload, uploadPageUrl } = created.json;
    expect(upload.url).toMatch(new RegExp(`^${base}/audio/upload/`));
    // Longer than the host lets a part of a path be.
    expect(upload.url.split('/').at(-2).length).toBeGreaterThan(100);
    const page = await ask(uploadPageUrl, { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.json).toContain(`${base}/audio/upload/`);

    const put = await ask(upload.url, { method: 'PUT', body: bytes, headers: upload.headers });
    expect(put.json).toMatchObject({ id: file.id, sizeBytes: bytes.length });
    expect((await ask(`/audio/api/v1/files/${file.id}?wait=40`)).json.status).toBe('ready');

    let job = (
      await ask('/audio/api/v1/jobs', {
        json: { tool: 'analyze_audio', file_id: file.id },
      })
    ).json;
    while (!['succeeded', 'failed', 'cancelled'].includes(job.status)) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      job = (await ask(`/audio/api/v1/jobs/${job.id}`)).json;
    }
    expect(job).toMatchObject({ status: 'succeeded', processedSeconds: 12 });
    const link = (await ask(`/audio/api/v1/files/${job.outputs[0].id}/download`)).json;
    expect(link.url).toMatch(new RegExp(`^${base}/audio/f/`));
    expect((await ask(link.url)).json).toHaveProperty('loudness');
  });

  it('answers the free API, whose status links carry the prefix', async () => {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(makeDemoClip())]), 'clip.wav');
    const started = await fetch(`${base}/audio/api/try/media-info`, {
      method: 'POST',
      body: form,
      headers: { prefer: 'respond-async' },
    });
    expect(started.status, await started.clone().text()).toBe(202);
    const { statusUrl } = (await started.json()) as { statusUrl: string };
    expect(statusUrl).toMatch(new RegExp(`^${base}/audio/api/try/jobs/`));
    expect(started.headers.get('location')).toBe(statusUrl);
    expect((await fetch(statusUrl)).status).toBe(200);
  });

  it('says in openapi.json where its paths lie', async () => {
    const { json } = await ask('/audio/api/openapi.json');
    expect(json.servers).toEqual([{ url: '/audio' }]);
    expect(Object.keys(json.paths)).toContain('/api/v1/files');
  });

  it('answers its errors itself, naming the path that was asked for', async () => {
    const nothing = await ask('/audio/api/v1/nothing');
    expect([nothing.status, nothing.json.error.code]).toEqual([404, 'not_found']);
    expect(nothing.json.error.message).toBe('There is no path /audio/api/v1/nothing');
    expect(nothing.json.error.nextAction).toContain('/audio/api/openapi.json');
    const unauthorized = await ask('/audio/api/v1/account', { headers: { authorization: 'Bearer svc_sk_no' } });
    expect([unauthorized.status, unauthorized.json.error.code]).toEqual([401, 'unauthorized']);
    expect(unauthorized.headers.get('x-request-id')).not.toBe('id-of-the-host');
    const broken = await ask('/audio/api/v1/files', {
      method: 'POST',
      body: '{',
      headers: { 'content-type': 'application/json' },
    });
    expect([broken.status, broken.json.error.code]).toEqual([400, 'bad_request']);
    expect(hostSaw.errors).toBe(0);
    for (const path of ['/audio', '/audio/livez', '/audio/readyz']) expect((await ask(path)).status, path).toBe(200);
    // Nobody has said who may read them.
    expect((await ask('/audio/metrics')).status).toBe(404);
    expect((await ask('/audio')).json).toContain('href="/audio/api/openapi.json"');
  });

  it('leaves the host as it is, and is left alone by its hooks but for the headers that they set', async () => {
    const before = { ...hostSaw };
    const own = await ask('/audio/api/v1/tools');
    expect(own.headers.get('access-control-allow-origin')).toBe('https://app.test');
    expect(own.headers.get('ratelimit-policy')).toBe('"default";q=20;w=60');
    expect({ ...hostSaw }).toMatchObject({ preHandler: before.preHandler, onSend: before.onSend });
    expect(hostSaw.onResponse).toContain('/audio/api/v1/tools');

    const hello = await ask('/hello');
    expect(hello.json).toEqual({ host: 'hello' });
    expect([hello.headers.get('ratelimit'), hello.headers.get('x-content-type-options')]).toEqual([null, null]);
    expect((await ask('/audiobook')).json).toEqual({ host: 'nothing' });
    expect((await ask('/echo', { json: { of: 'host' } })).json).toEqual({ body: { of: 'host' } });
    const refused = await ask('/echo', { method: 'POST', body: 'text', headers: { 'content-type': 'text/x' } });
    expect([refused.status, refused.json]).toEqual([418, { host: 'error' }]);
  });

  it('counts visitors by the address that the host believes', async () => {
    const left = async (address: string): Promise<string | null> =>
      (await ask('/audio/api/v1/tools', { headers: { 'x-forwarded-for': address } })).headers.get('ratelimit');
    expect(await left('203.0.113.1')).toContain('r=19;');
    expect(await left('203.0.113.1')).toContain('r=18;');
    expect(await left('203.0.113.2')).toContain('r=19;');
    expect(ownLog).toContain('"address":"203.0.113.2"');
  });

  it('lets no token into the log of the host', async () => {
    const { json } = await ask('/audio/api/v1/files', { json: { filename: 'clip.wav', sizeBytes: 1000 } });
    await ask(json.uploadPageUrl);
    const token = json.uploadPageUrl.split('/').at(-1) as string;
    expect(hostLog + ownLog).not.toContain(token);
    expect(ownLog).toContain('/upload/[redacted]');
    expect(hostLog).toContain('/hello');
  });

  it('lets programs act for people, as an issuer under the prefix', async () => {
    const service = { base: `${base}/audio`, operator: server.operator };
    const { id } = await server.operator.createAccount({ name: 'Ann', credits: 5 });
    const ann = await signedIn(service, id);
    const { tokens } = await connected(service, ann);
    expect(decodeJwt(tokens.access_token)).toMatchObject({ iss: service.base, aud: `${service.base}/mcp`, sub: id });
    for (const path of ['/api/v1/account', '/.well-known/openid-configuration']) {
      const { status, json } = await ask(`${service.base}${path}`, {
        headers: { authorization: `Bearer ${tokens.access_token}` },
      });
      expect(status).toBe(200);
      if (path.startsWith('/api')) expect(json.balance).toBe(5);
      else expect(json).toMatchObject({ issuer: service.base, token_endpoint: `${service.base}/oauth/token` });
    }
    const refused = await fetch(`${service.base}/mcp`, { method: 'POST' });
    expect(refused.headers.get('www-authenticate')).toContain(
      `resource_metadata="${service.base}/.well-known/oauth-protected-resource/mcp"`,
    );
  });

  it('is registered once', async () => {
    const other = fastify();
    const thrown = await thrownBy(() => Promise.resolve(other.register(server, { prefix: '/again' })));
    expect(thrown).toMatchObject({ code: 'conflict' });
    await other.close();
  });
});

describe('settings of an embedded server', () => {
  it.each([
    [{ role: 'worker' }, 'all or api'],
    [{ legacyPort: 3001 }, 'null'],
    [{ jobSlots: 0 }, 'between 1 and 256'],
    [{ slots: 1 }, 'Unknown setting slots'],
  ] as const)('%j is refused', async (settings, words) => {
    const thrown = await thrownBy(async () => void createServer(settings as never));
    expect(thrown).toMatchObject({ code: 'bad_request' });
    expect(thrown.message).toContain(words);
  });

  it('a database that cannot be reached refuses the start, and nothing is left', async () => {
    const broken = createServer({ data, databaseUrl: 'postgres://nobody@127.0.0.1:1/nothing', logLevel: 'silent' });
    await expect(broken.start()).rejects.toThrow();
    expect(await thrownBy(async () => void broken.operator)).toMatchObject({ code: 'conflict' });
    await broken.close();
  });
});

describe('closing the host', () => {
  it('answers whoever waits, before the backend goes', async () => {
    const own = await mkdtemp(join(tmpdir(), 'earshot-embedded-'));
    const { url: databaseUrl, kysely } = await databases.freshDatabase();
    const second = createServer(
      { data: own, databaseUrl, role: 'api', baseUrl: 'https://a.test/x' },
      { log: pino({ level: 'silent' }) },
    );
    const app = fastify();
    // Not started before: registering starts it.
    await app.register(second, { prefix: '/x' });
    await app.ready();
    const account = await second.operator.createAccount({ name: 'Waiting', credits: 0 });
    const { secret } = await second.operator.addKey(account.id, 'test');
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const created = await fetch(`${address}/x/api/v1/files`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ filename: 'a.wav', sizeBytes: 100 }),
    });
    const { file, upload } = (await created.json()) as { file: { id: string }; upload: { url: string } };
    // The prefix stands there already.
    expect(upload.url).toMatch(/^https:\/\/a\.test\/x\/upload\//);
    const waiting = fetch(`${address}/x/api/v1/files/${file.id}?wait=40`, { headers });
    // The first who waits opens the connection that hears of changes.
    await until('it waits', async () => {
      const { rows } = await sql`
        select from pg_stat_activity where application_name = 'earshot-changes' and datname = current_database()
      `.execute(kysely);
      return rows.length === 1;
    });
    const closing = app.close();
    const answer = await waiting;
    expect([answer.status, ((await answer.json()) as { status: string }).status]).toEqual([200, 'awaiting_upload']);
    await closing;
    expect(await thrownBy(() => second.start())).toMatchObject({ code: 'conflict' });
    await rm(own, { recursive: true, force: true, maxRetries: 3 });
  });
});

describe('docs/embedding.md', () => {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'earshot-embedded-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

  /** The documented app in a file of its own, with `settings` in the place of its own and `more` at its end. */
  function writeSample(settings: string, more: string): string {
    const code = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(root, 'docs/embedding.md'), 'utf8'))?.[1] ?? '';
    const file = join(folder, 'example.ts');
    writeFileSync(
      file,
      `${code
        .replace("'fastify'", JSON.stringify(import.meta.resolve('fastify')))
        .replace("'earshot/server'", JSON.stringify(serverPath))
        .replace('jobSlots: 2', settings)
        .replace('port: 3000', 'port: 0')}${more}`,
    );
    return file;
  }

  it('shows an app that runs', async () => {
    const file = writeSample(
      "role: 'api', databaseUrl: process.env.DATABASE_URL, logLevel: 'warn'",
      `
const answer = await fetch(address + '/audio/api/v1/account', { headers: { authorization: 'Bearer ' + secret } });
console.log(answer.status, (await answer.json()).balance, await (await fetch(address)).text());
await app.close();
`,
    );
    const { url } = await databases.freshDatabase();
    const { stdout } = await promisify(execFile)(process.execPath, [file], {
      cwd: folder,
      env: { ...process.env, DATABASE_URL: url },
    });
    expect(stdout).toMatch(
      /^http:\/\/\S+\/audio\/api\/openapi\.json answers; a key for it is svc_sk_\w+\n200 1000 My own app\n$/,
    );
  });

  it.each(['SIGINT', 'SIGKILL'] as const)('shows an app that leaves no database behind after %s', async (signal) => {
    const file = writeSample("jobSlots: 1, logLevel: 'warn'", '');
    const app = spawn(process.execPath, [file], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    const gone = new Promise((resolve) => app.once('exit', resolve));
    await new Promise((resolve) => app.stdout.once('data', resolve));
    const [pid] = readFileSync(join(folder, 'audio-data/postgres/postmaster.pid'), 'utf8').split('\n');
    expect(isAlive(Number(pid))).toBe(true);
    app.kill(signal);
    await gone;
    await until('the database has ended', () => !isAlive(Number(pid)));
    expect(existsSync(join(folder, 'audio-data/postgres/postmaster.pid'))).toBe(false);
  });
});
