// What the client makes of servers and lines that fail: a plain HTTP server on 127.0.0.1 plays them.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiError, ConnectionError, createClient, JobError, type Client } from '../../src/client.ts';
import { slow } from '../fixtures/rounds.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server | undefined;
let base = '';
const seen: { readonly method: string; readonly url: string; readonly headers: IncomingMessage['headers'] }[] = [];

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  seen.length = 0;
});

/** Answers one request after the other as told; the last answer goes for all that follow. */
async function play(
  answers: readonly Answer[],
  options: { attempts?: number; longestWaitSeconds?: number } = {},
): Promise<Client> {
  server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    seen.push({ method, url, headers });
    request.resume().once('end', () => answers[Math.min(seen.length, answers.length) - 1]?.(request, response));
  });
  await new Promise<void>((resolve) => void server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  base = `http://127.0.0.1:${port}`;
  return createClient({ baseUrl: base, apiKey: 'svc_sk_test', ...options });
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const refusal = (status: number, code: string, retryable: boolean, headers: Record<string, string> = {}): Answer =>
  json(status, { error: { code, message: 'No', retryable, nextAction: 'Wait.' } }, headers);
const hangUp: Answer = (request) => void request.socket.destroy();
const account = json(200, { balance: 7 });

async function failure(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => expect.fail('expected an error'),
    (thrown: unknown) => thrown,
  );
}

describe('a request is sent again', () => {
  it('after the seconds that Retry-After names', slow, async () => {
    const client = await play([refusal(429, 'rate_limited', true, { 'retry-after': '1' }), account]);
    const before = performance.now();
    expect(await client.account()).toEqual({ balance: 7 });
    expect(performance.now() - before).toBeGreaterThan(990);
  });

  it('after a Retry-After that is a date', slow, async () => {
    const at = new Date(Date.now() + 2000).toUTCString();
    const client = await play([refusal(503, 'tool_unavailable', true, { 'retry-after': at }), account]);
    const before = Date.now();
    await client.account();
    // The header has whole seconds.
    expect(Date.now()).toBeGreaterThanOrEqual(Math.min(Date.parse(at), before + 900));
  });

  it.each([
    ['a line that broke', hangUp],
    [
      'a proxy that says no more than 502',
      (_request, response) => void response.writeHead(502).end('<h1>Bad gateway</h1>'),
    ],
    ['a failure that may pass', refusal(500, 'internal_error', true)],
  ] satisfies [string, Answer][])('after %s', async (_, answer) => {
    const client = await play([answer, answer, account]);
    expect(await client.account()).toEqual({ balance: 7 });
    expect(seen).toHaveLength(3);
  });

  it('with the same idempotency key, so that one job starts', async () => {
    const client = await play([hangUp, json(201, { id: 'job_1' })]);
    await client.start('convert_audio', { file_id: 'file_1' });
    const keys = seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[\da-f]{32}$/);
    expect(keys).toEqual([keys[0], keys[0]]);
    await client.start('convert_audio', { file_id: 'file_1' });
    expect(seen.at(-1)?.headers['idempotency-key']).not.toBe(keys[0]);
  });
});

describe('a request is not sent again', () => {
  it('when it would be refused again', async () => {
    const client = await play([refusal(400, 'bad_request', false)]);
    expect(await failure(client.account())).toMatchObject({ code: 'bad_request', status: 400, nextAction: 'Wait.' });
    expect(seen).toHaveLength(1);
  });

  it('when the wait would be longer than is waited for', async () => {
    const client = await play([refusal(429, 'free_limit_reached', true, { 'retry-after': '3600' })]);
    expect(await failure(client.account())).toMatchObject({ code: 'free_limit_reached', retryAfterSeconds: 3600 });
    expect(seen).toHaveLength(1);
  });

  it('more often than it is told', async () => {
    const client = await play([hangUp], { attempts: 2 });
    const error = await failure(client.account());
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as Error).message).toMatch(/^GET \/api\/v1\/account got no answer: /);
    expect(seen).toHaveLength(2);
  });

  it('where the first may have been heard and a second would mean something else', async () => {
    const client = await play([hangUp]);
    expect(await failure(client.cancel('job_1'))).toBeInstanceOf(ConnectionError);
    expect(seen).toHaveLength(1);
  });

  it('after the signal, whose reason is thrown', async () => {
    const client = await play([refusal(503, 'tool_unavailable', true, { 'retry-after': '30' })]);
    const why = new Error('stop');
    const controller = new AbortController();
    setTimeout(() => controller.abort(why), 100);
    expect(await failure(client.account({ signal: controller.signal }))).toBe(why);
    expect(await failure(client.account({ signal: AbortSignal.abort(why) }))).toBe(why);
  });
});

describe('an answer that is none of the service', () => {
  it('is an error that shows it', async () => {
    const client = await play([(_request, response) => void response.writeHead(404).end('<title>nginx</title>')]);
    const error = await failure(client.account());
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'unexpected_answer', status: 404 });
    expect((error as Error).message).toContain('nginx');
  });

  it('also with status 200', async () => {
    const client = await play([(_request, response) => void response.end('<html>')]);
    expect(await failure(client.account())).toMatchObject({ code: 'unexpected_answer', status: 200 });
  });
});

describe('a job', () => {
  const job = { id: 'job_1', progress: 0, stage: 'queued', error: null };

  it('that fails is an error with its record', async () => {
    const failed = { ...job, status: 'failed', error: { code: 'no_audio', message: 'Expected sound' } };
    const client = await play([json(201, { ...job, status: 'queued' }), json(200, failed)]);
    const error = await failure(client.run('convert_audio', { file_id: 'file_1' }));
    expect(error).toBeInstanceOf(JobError);
    expect(error).toMatchObject({ code: 'no_audio', message: 'Expected sound', status: null, job: failed });
  });

  it('tells what has changed, and only that', async () => {
    const running = { ...job, status: 'running', stage: 'encode', progress: 0.5 };
    const told: unknown[] = [];
    const client = await play([json(200, running), json(200, running), json(200, { ...running, status: 'succeeded' })]);
    await client.wait('job_1', { onProgress: ({ status }) => told.push(status) });
    expect(told).toEqual(['succeeded']);
  });
});

describe('a job that the service has lost after its 201', () => {
  const [queued, lost] = [
    { progress: 0, stage: 'queued', status: 'queued', error: null },
    refusal(404, 'not_found', false),
  ];
  const started = (id: string): Answer => json(201, { ...queued, id });
  const done = json(200, { ...queued, id: 'job_2', status: 'succeeded' });

  it('is ordered again with the same key and the same body', async () => {
    const client = await play([started('job_1'), lost, started('job_2'), done]);
    const job = await client.run('convert_audio', { file_id: 'file_1' });
    expect([job.id, job.status]).toEqual(['job_2', 'succeeded']);
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /api/v1/jobs',
      'GET /api/v1/jobs/job_1',
      'POST /api/v1/jobs',
      'GET /api/v1/jobs/job_2',
    ]);
    expect(seen[2]?.headers['idempotency-key']).toBe(seen[0]?.headers['idempotency-key']);
    expect(seen[2]?.headers['content-length']).toBe(seen[0]?.headers['content-length']);
  });

  it('also in calls of its own, in which the first id stands for the new job', async () => {
    const client = await play([started('job_1'), lost, started('job_2'), done, json(200, queued)]);
    const { id } = await client.start('convert_audio', { file_id: 'file_1' });
    expect((await client.job(id)).id).toBe('job_2');
    await client.wait(id);
    expect(seen.at(-1)?.url).toBe('/api/v1/jobs/job_2');
  });

  it('three times at most', slow, async () => {
    const client = await play([
      started('job_1'),
      lost,
      started('job_2'),
      lost,
      started('job_3'),
      lost,
      started('job_4'),
      lost,
    ]);
    const error = await failure(client.run('convert_audio', { file_id: 'file_1' }));
    expect(error).toMatchObject({ code: 'not_found', status: 404 });
    expect(seen).toHaveLength(8);
  });

  it('is not, where another has started it', async () => {
    const client = await play([lost]);
    expect(await failure(client.wait('job_1'))).toMatchObject({ code: 'not_found' });
    expect(seen).toHaveLength(1);
  });
});

describe('a download that breaks off', () => {
  const whole = Buffer.from('0123456789'.repeat(10_000));
  const link: Answer = (request, response) =>
    json(200, { fileId: 'file_1', filename: 'a.wav', url: `${base}/f/secret/a.wav`, expiresAt: '' })(request, response);
  /** Sends so many bytes of what was asked for, and hangs up. */
  const broken =
    (bytes: number, etag = '"v1"'): Answer =>
    (request, response) => {
      const start = Number(/\d+/.exec(request.headers.range ?? '0')?.[0]);
      response.writeHead(start > 0 ? 206 : 200, { etag, 'content-length': whole.length - start });
      response.write(whole.subarray(start, start + bytes), () => setTimeout(() => response.destroy(), 20));
    };
  const rest: Answer = (request, response) => {
    const start = Number(/\d+/.exec(request.headers.range ?? '0')?.[0]);
    response.writeHead(206, { etag: '"v1"' }).end(whole.subarray(start));
  };

  it('goes on from there, and keeps the key to itself', async () => {
    const client = await play([link, broken(30_000), broken(20_000), rest]);
    const download = await client.download('file_1');
    expect(Buffer.from(await download.bytes()).equals(whole)).toBe(true);
    const [first, ...links] = seen;
    expect(first?.headers.authorization).toBe('Bearer svc_sk_test');
    expect(links.map(({ headers }) => [headers.authorization, headers.range, headers['if-range']])).toEqual([
      [undefined, undefined, undefined],
      [undefined, 'bytes=30000-', '"v1"'],
      [undefined, 'bytes=50000-', '"v1"'],
    ]);
  });

  it('is never put together from two files', async () => {
    const changed: Answer = (_request, response) => void response.writeHead(200, { etag: '"v2"' }).end(whole);
    const client = await play([link, broken(30_000), changed]);
    expect(await failure((await client.download('file_1')).bytes())).toBeInstanceOf(ConnectionError);
  });
});

it('needs an address', () => {
  expect(() => createClient()).toThrow(/Expected baseUrl/);
  expect(() => createClient({ baseUrl: 'audio.example.org' })).toThrow(/received audio\.example\.org/);
});
