import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { EarshotError, errorCatalogue, type ErrorCode } from '../../../../src/library/core/errors/errors.ts';
import { errorAnswer as olderAnswer } from '../../../../src/service/http/legacy/errors.ts';
import { retryAfterSeconds, statusByCode, statusOf } from '../../../../src/service/http/server/errors.ts';
import type { Service } from '../../../../src/service/rules/service.ts';
import { fakeService, key, openApiDocument, useApps, useSharedApp } from '../support.ts';

const start = useApps();

/** A request of each operation, and what of the service it asks. */
const operations: Readonly<
  Record<
    string,
    {
      readonly method: string;
      readonly path: string;
      readonly asks: `${keyof Service}.${string}`;
      readonly body?: unknown;
    }
  >
> = {
  listTools: { method: 'GET', path: '/api/v1/tools', asks: 'tools.offers' },
  quote: {
    method: 'POST',
    path: '/api/v1/quote',
    asks: 'tools.quote',
    body: { tool: 'join_audio', fileIds: ['file_1'] },
  },
  getAccount: { method: 'GET', path: '/api/v1/account', asks: 'accounts.view' },
  listLedger: { method: 'GET', path: '/api/v1/ledger', asks: 'accounts.ledger' },
  getAutoRefill: { method: 'GET', path: '/api/v1/auto-refill', asks: 'access.byBearer' },
  createFile: { method: 'POST', path: '/api/v1/files', asks: 'files.create', body: {} },
  listFiles: { method: 'GET', path: '/api/v1/files', asks: 'files.list' },
  nameFile: {
    method: 'POST',
    path: '/api/v1/files/file_1/upload',
    asks: 'files.name',
    body: { filename: 'a.wav', sizeBytes: 1 },
  },
  importFile: {
    method: 'POST',
    path: '/api/v1/files/import',
    asks: 'files.importLink',
    body: { url: 'https://example.com/' },
  },
  getFile: { method: 'GET', path: '/api/v1/files/file_1', asks: 'files.get' },
  deleteFile: { method: 'DELETE', path: '/api/v1/files/file_1', asks: 'files.remove' },
  abortUpload: { method: 'POST', path: '/api/v1/files/file_1/abort', asks: 'files.abort' },
  getDownloadLink: { method: 'GET', path: '/api/v1/files/file_1/download', asks: 'files.downloadLink' },
  getPeaks: { method: 'GET', path: '/api/v1/files/file_1/peaks', asks: 'peaks.get' },
  getTimeline: { method: 'GET', path: '/api/v1/files/file_2/timeline', asks: 'origins.of' },
  readTimeline: {
    method: 'POST',
    path: '/api/v1/files/file_1/timeline',
    asks: 'files.get',
    body: { timeline: 'TITLE: x' },
  },
  getTranscript: { method: 'GET', path: '/api/v1/files/file_1/transcript', asks: 'transcripts.window' },
  createJob: {
    method: 'POST',
    path: '/api/v1/jobs',
    asks: 'jobs.create',
    body: { tool: 'analyze_audio', file_id: 'file_1' },
  },
  listJobs: { method: 'GET', path: '/api/v1/jobs', asks: 'jobs.list' },
  getJob: { method: 'GET', path: '/api/v1/jobs/job_1', asks: 'jobs.get' },
  followJob: { method: 'GET', path: '/api/v1/jobs/job_1/events', asks: 'jobs.follow' },
  cancelJob: { method: 'POST', path: '/api/v1/jobs/job_1/cancel', asks: 'jobs.cancel' },
  createChain: {
    method: 'POST',
    path: '/api/v1/chains',
    asks: 'chains.create',
    body: { recipe: 'podcast', file_ids: ['file_1'], idempotency_key: 'a' },
  },
  quoteChain: {
    method: 'POST',
    path: '/api/v1/chains/quote',
    asks: 'chains.quote',
    body: { recipe: 'podcast', file_ids: ['file_1'] },
  },
  listChains: { method: 'GET', path: '/api/v1/chains', asks: 'chains.list' },
  getChain: { method: 'GET', path: '/api/v1/chains/chain_1', asks: 'chains.get' },
  cancelChain: { method: 'POST', path: '/api/v1/chains/chain_1/cancel', asks: 'chains.cancel' },
  followChain: { method: 'GET', path: '/api/v1/chains/chain_1/events', asks: 'chains.follow' },
  listPresets: { method: 'GET', path: '/api/v1/chains/presets', asks: 'chains.presets' },
  savePreset: {
    method: 'PUT',
    path: '/api/v1/chains/presets/mine',
    asks: 'chains.savePreset',
    body: { chain: { steps: [{ tool: 'loudness' }] } },
  },
  deletePreset: { method: 'DELETE', path: '/api/v1/chains/presets/mine', asks: 'chains.removePreset' },
  listWebhooks: { method: 'GET', path: '/api/v1/webhooks', asks: 'webhooks.list' },
  createWebhook: {
    method: 'POST',
    path: '/api/v1/webhooks',
    asks: 'webhooks.create',
    body: { url: 'https://media.example.com/' },
  },
  getWebhook: { method: 'GET', path: '/api/v1/webhooks/hook_1', asks: 'webhooks.get' },
  updateWebhook: {
    method: 'PATCH',
    path: '/api/v1/webhooks/hook_1',
    asks: 'webhooks.update',
    body: { enabled: false },
  },
  deleteWebhook: { method: 'DELETE', path: '/api/v1/webhooks/hook_1', asks: 'webhooks.remove' },
  rotateWebhookSecret: { method: 'POST', path: '/api/v1/webhooks/hook_1/secret', asks: 'webhooks.rotate' },
  testWebhook: { method: 'POST', path: '/api/v1/webhooks/hook_1/test', asks: 'webhooks.test' },
  listWebhookDeliveries: { method: 'GET', path: '/api/v1/webhooks/hook_1/deliveries', asks: 'webhooks.deliveries' },
  replayWebhookDelivery: {
    method: 'POST',
    path: '/api/v1/webhooks/hook_1/deliveries/evt_1/replay',
    asks: 'webhooks.replay',
  },
  listVoices: { method: 'GET', path: '/api/v1/voices', asks: 'voices.list' },
  createVoice: {
    method: 'POST',
    path: '/api/v1/voices',
    asks: 'voices.create',
    body: { name: 'Anna', file_id: 'file_1', consent: true },
  },
  getVoice: { method: 'GET', path: '/api/v1/voices/voice_1', asks: 'voices.get' },
  updateVoice: { method: 'PATCH', path: '/api/v1/voices/voice_1', asks: 'voices.rename', body: { name: 'Ben' } },
  deleteVoice: { method: 'DELETE', path: '/api/v1/voices/voice_1', asks: 'voices.remove' },
  getUploadPage: { method: 'GET', path: '/upload/tok', asks: 'files.ticket' },
  nameUpload: {
    method: 'POST',
    path: '/upload/tok/name',
    asks: 'files.nameByToken',
    body: { filename: 'a.wav', sizeBytes: 1 },
  },
  linkParts: { method: 'POST', path: '/upload/tok/links', asks: 'files.partLinks', body: { parts: [1] } },
  uploadFile: { method: 'PUT', path: '/upload/tok/file', asks: 'files.acceptUpload' },
  uploadPart: { method: 'PUT', path: '/upload/tok/parts/1', asks: 'files.acceptPart' },
  completeUpload: { method: 'POST', path: '/upload/tok/complete', asks: 'files.completeUpload' },
  downloadFile: { method: 'GET', path: '/f/tok/a.wav', asks: 'files.openDownload' },
};

describe('every operation', () => {
  let thrown: Error = new Error('nothing');
  let asked = '';
  const failing = fakeService();
  for (const { asks } of Object.values(operations)) {
    const [group, name] = asks.split('.') as [keyof Service, string];
    const methods = failing[group] as unknown as Record<string, (...args: unknown[]) => unknown>;
    const whole = methods[name]!;
    methods[name] = async (...args) => {
      if (asked === asks) throw thrown;
      return whole(...args);
    };
  }
  const running = useSharedApp(failing);

  it('is covered here', async () => {
    const document = await openApiDocument();
    const declared = Object.values(document.paths).flatMap((path) =>
      Object.values(path)
        .filter((operation) => typeof operation === 'object')
        .map(({ operationId }) => operationId),
    );
    // Those of the free API have tests of their own: test/service/http/try. A list of recipes is a constant.
    const others = declared.filter((id) => !/^try[A-Z]|^(?:get|follow)Free|^listRecipes$/.test(id));
    expect(others.sort()).toEqual(Object.keys(operations).sort());
  });

  it.each(Object.keys(operations))('%s answers each of its codes with the error object', async (operationId) => {
    const { call } = await running();
    const { method, path, asks, body } = operations[operationId]!;
    const document = await openApiDocument();
    const { responses } = Object.values(document.paths)
      .flatMap((item) => Object.values(item))
      .find((operation) => operation.operationId === operationId)!;
    const codes = Object.entries(responses)
      // An outage answers 503 with the code of an internal error: no route throws that by its code alone.
      .filter(([status]) => Number(status) >= 400 && status !== '416' && status !== '503')
      .flatMap(([, { description }]) => description.split(', ') as ErrorCode[]);
    expect(codes).toContain('internal_error');
    asked = asks;
    for (const code of codes) {
      thrown = new EarshotError(code, `Expected one thing but received ${code}`, { details: { missingParts: [2] } });
      const { status, json, headers } = await call(method, path, body === undefined ? {} : { body });
      expect([status, json.error.code]).toEqual([statusByCode[code], code]);
      expect(json.error.retryable).toBe(errorCatalogue[code].retryable);
      expect(headers.has('retry-after')).toBe(json.error.retryable);
      if (code === 'internal_error') expect(JSON.stringify(json)).not.toContain('one thing');
      else expect([json.error.message, json.error.details]).toEqual([thrown.message, { missingParts: [2] }]);
    }
    asked = '';
  });
});

describe('what goes wrong before an operation', () => {
  const shared = useSharedApp();

  it.each([
    [
      'a body that is not JSON',
      'POST',
      '/api/v1/quote',
      { raw: '{"tool":', headers: { 'content-type': 'application/json' } },
      400,
      'bad_request',
    ],
    [
      'another type of body',
      'POST',
      '/api/v1/quote',
      { raw: 'tool=join_audio', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      415,
      'unsupported_format',
    ],
    ['no type of body', 'POST', '/api/v1/quote', { raw: new Uint8Array([123, 125]) }, 415, 'unsupported_format'],
    [
      'a body that is too large',
      'POST',
      '/api/v1/quote',
      { raw: `{"tool":"${'x'.repeat(3 * 1024 * 1024)}"}`, headers: { 'content-type': 'application/json' } },
      413,
      'file_too_large',
    ],
    [
      'a body that is too deep',
      'POST',
      '/api/v1/jobs',
      { raw: `{"tool":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, headers: { 'content-type': 'application/json' } },
      400,
      'bad_request',
    ],
    [
      'a key that poisons prototypes',
      'POST',
      '/api/v1/quote',
      { raw: '{"__proto__":{"a":1}}', headers: { 'content-type': 'application/json' } },
      400,
      'bad_request',
    ],
    ['no body where one belongs', 'POST', '/api/v1/quote', {}, 400, 'bad_request'],
    [
      'null where all of an object may be left out',
      'POST',
      '/api/v1/files',
      { raw: 'null', headers: { 'content-type': 'application/json' } },
      400,
      'bad_request',
    ],
    ['a path that is not there', 'GET', '/api/v1/nothing', {}, 404, 'not_found'],
    ['a path that is no path', 'GET', '/api/v1/files/%zz', {}, 400, 'bad_request'],
    ['an id that is too long', 'GET', `/api/v1/files/${'x'.repeat(5000)}`, {}, 404, 'not_found'],
    ['a part without a number', 'PUT', '/upload/tok/parts/one', { raw: 'abc' }, 400, 'bad_request'],
  ])('%s is answered with the error object', async (_what, method, path, options, status, code) => {
    const { call } = await shared();
    const answer = await call(method, path, options);
    expect([answer.status, answer.json.error.code]).toEqual([status, code]);
  });

  it('names the methods of a path', async () => {
    const { call } = await shared();
    const { status, json, headers } = await call('DELETE', '/api/v1/files');
    expect([status, json.error.message, headers.get('allow')]).toEqual([
      405,
      'There is no DELETE for /api/v1/files; expected POST, GET, HEAD',
      'POST, GET, HEAD',
    ]);
  });

  it('a database that is away answers 503, and when to try again', async () => {
    const away = new EarshotError('internal_error', 'The database is currently unreachable', {
      details: { outage: true },
    });
    const { call } = await start({ accounts: { view: async () => Promise.reject(away) } });
    const { status, json, headers } = await call('GET', '/api/v1/account');
    expect([status, json.error.code, json.error.retryable, headers.get('retry-after')]).toEqual([
      503,
      'internal_error',
      true,
      '5',
    ]);
  });

  it('keeps the reason of our own failures to the log', async () => {
    const { call, logged } = await start({
      accounts: { view: async () => Promise.reject(new TypeError('relation "accounts" does not exist')) },
    });
    const { status, json, headers } = await call('GET', '/api/v1/account');
    expect([status, json.error.code, json.error.retryable]).toEqual([500, 'internal_error', true]);
    expect(JSON.stringify(json)).not.toContain('relation');
    expect(json.error.details.requestId).toBe(headers.get('x-request-id'));
    const line = logged()
      .split('\n')
      .find((text) => text.includes('relation'))!;
    expect(JSON.parse(line)).toMatchObject({ reqId: json.error.details.requestId, err: { type: 'TypeError' } });
  });

  it.each([
    ['bytes that are not HTTP', 'hello there\r\n\r\n'],
    ['a head that is too long', `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`],
  ])('answers %s, with the rate limit', async (_what, bytes) => {
    const { base } = await shared();
    const text = await talk(base, bytes);
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(text).toMatch(/ratelimit: "default";r=\d+;t=\d+\r\n/);
    expect(JSON.parse(text.split('\r\n\r\n')[1]!).error.code).toBe('bad_request');
  });

  it('cuts off heads and JSON bodies that do not come', async () => {
    const { base } = await start({}, { patience: { headersMs: 150, jsonBodyMs: 150 } });
    const head = await talk(base, 'GET /api/v1/tools HTTP/1.1\r\nHost: a\r\n');
    expect(JSON.parse(head.split('\r\n\r\n')[1]!).error.message).toBe(
      'The headers of the request did not arrive in time',
    );
    const body = await talk(
      base,
      `POST /api/v1/quote HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: ` +
        `application/json\r\nContent-Length: 100\r\n\r\n{"tool":`,
    );
    expect(body).toMatch(/^HTTP\/1\.1 400 /);
    expect(body).toMatch(/connection: close/i);
    expect(body).toContain('The body did not arrive within 0.15 s');
  });

  it.each([
    ['GET /api/v1/tools', ''],
    ['POST /api/v1/nothing', ''],
    ['POST /api/v1/files', `Authorization: Bearer ${key}\r\n`],
  ])('outlives a client that breaks off in a body that nobody reads: %s', async (line, header) => {
    const { base, call } = await start({}, { patience: { jsonBodyMs: 150 } });
    const begun = `${line} HTTP/1.1\r\nHost: a\r\n${header}Content-Type: application/json\r\nContent-Length: 200000\r\n\r\n{`;
    const socket = connect(Number(new URL(base).port), '127.0.0.1', () =>
      socket.write(begun, () => setTimeout(() => socket.destroy(), 50)),
    );
    await new Promise((resolve) => socket.once('close', resolve));
    // Nor may the clock for the body strike after the answer. An error that nobody hears fails the whole run.
    const kept = connect(Number(new URL(base).port), '127.0.0.1', () => kept.write(begun));
    kept.on('error', () => undefined);
    await new Promise((resolve) => setTimeout(resolve, 400));
    kept.destroy();
    expect((await call('GET', '/api/v1/tools')).status).toBe(200);
  });

  it('cuts off connections in which nothing moves', async () => {
    const { base } = await start({}, { patience: { silenceMs: 150 } });
    const upload = await talk(base, 'PUT /upload/tok/file HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc');
    expect(upload).toBe('');
  });
});

describe('Retry-After', () => {
  const now = new Date('2026-11-20T23:50:00Z');
  it.each<[ErrorCode, Record<string, unknown>, number | null]>([
    ['rate_limited', { retryAfterSeconds: 17.2 }, 18],
    ['free_limit_reached', { resetsAt: '2026-11-20T23:55:00Z' }, 300],
    ['free_limit_reached', {}, 600],
    ['upload_limit_reached', {}, 10],
    ['tool_unavailable', {}, null],
    ['tool_unavailable', { retryAfterSeconds: 5 }, null],
    ['limit_exceeded', {}, null],
    ['limit_exceeded', { limit: 'maxJobSeconds', expected: 60 }, null],
    ['file_not_ready', {}, 1],
    ['internal_error', {}, 5],
    ['fetch_failed', {}, 10],
  ])('of %s with %j is %s', (code, details, expected) => {
    const error = new EarshotError(code, 'x', { details });
    expect(retryAfterSeconds(error, now)).toBe(expected);
    expect(error.retryable).toBe(expected !== null);
  });
});

describe('a limit', () => {
  it.each<[Record<string, unknown> | undefined, number]>([
    [undefined, 429],
    [{ limit: 'maxFiles', expected: 1, received: 1 }, 429],
    [{ limit: 'maxKeptBytes', expected: 1e9, received: 2e9 }, 429],
    [{ limit: 'maxUnfinishedJobs', expected: 1, received: 1 }, 429],
    [{ limit: 'maxQueuedRuns', expected: 1, received: 2 }, 429],
    [{ limit: 'toString', expected: 1, received: 2 }, 429],
    [{ limit: 'maxJobMemoryBytes', expected: 2 ** 31, received: null }, 422],
    [{ limit: 'maxJobSeconds', expected: 60, received: 60 }, 422],
    [{ limit: 'maxOutputBytes', expected: 1e6, received: null }, 422],
  ])('of an account or of one job is told apart: %j is %i', (details, expected) => {
    const error = new EarshotError('limit_exceeded', 'x', details === undefined ? {} : { details });
    expect(statusOf(error)).toBe(expected);
    const older = olderAnswer(error);
    expect([older.status, older.headers]).toEqual([expected, expected === 429 ? { 'retry-after': '60' } : {}]);
  });
});

/** Sends bytes and answers all that comes back until the end. */
function talk(base: string, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const { port } = new URL(base);
    let text = '';
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes));
    socket
      .setEncoding('utf8')
      .on('data', (chunk: string) => (text += chunk))
      .on('error', () => undefined)
      .on('close', () => resolve(text));
  });
}
