// @module-tag slow
// Names of megabytes where the interfaces expect one of a few: nobody compares them letter by letter, and no answer
// sends them back.
import { request as httpRequest } from 'node:http';
import { expect, it } from 'vitest';
import { account, key, useApps } from './support.ts';

const admission = {
  receive: () => Promise.reject(new Error('no file belongs to this request')),
  fetch: () => Promise.reject(new Error('no link belongs to this request')),
  start: () => Promise.reject(new Error('this request is to be refused')),
  end: async () => undefined,
};
const start = useApps();

const long = 'n'.repeat(2_900_000);
/** Heads of requests have at most 16 KiB, those of a form's parts 80 KiB. */
const longInHead = 'n'.repeat(15_000);
const longInForm = 'n'.repeat(70_000);

/** Of the answer, and of any text in it. */
const mostAnswered = 3000;
/** Comparing one such name with the options of a tool takes seconds; reading its JSON takes 20 ms. */
const mostCpuMs = 500;

const json = (body: unknown): { headers: Record<string, string>; payload: string } => ({
  headers: { 'content-type': 'application/json' },
  payload: JSON.stringify(body),
});

const form = (name: string, isFile: boolean): { headers: Record<string, string>; payload: string } => ({
  headers: { 'content-type': 'multipart/form-data; boundary=b' },
  payload:
    `--b\r\nContent-Disposition: form-data; name="${name}"${isFile ? '; filename="a.wav"' : ''}\r\n\r\nx\r\n` +
    '--b--\r\n',
});

const job = { tool: 'adjust_loudness', file_id: 'file_1', idempotency_key: 'k' };
/** Of the older API; fetch lets nobody choose a host name. */
const olderHost = 'older.example.com';

interface Request {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: string;
}

const doors: readonly (readonly [what: string, request: Request])[] = [
  ['a field of a quote', { url: '/api/v1/quote', ...json({ [long]: 1 }) }],
  ['the tool of a quote', { url: '/api/v1/quote', ...json({ tool: long, fileIds: ['file_1'] }) }],
  ['a file id of a quote', { url: '/api/v1/quote', ...json({ tool: 'join_audio', fileIds: [long] }) }],
  ['the tool of a job', { url: '/api/v1/jobs', ...json({ ...job, tool: long }) }],
  ['a field of a job', { url: '/api/v1/jobs', ...json({ ...job, [long]: 1 }) }],
  ['a value of a job', { url: '/api/v1/jobs', ...json({ ...job, target: long }) }],
  [
    'a field inside of a job',
    { url: '/api/v1/jobs', ...json({ ...job, tool: 'mix_tracks', tracks: [{ file_id: 'file_1', [long]: 1 }] }) },
  ],
  ['a body where none belongs', { url: '/api/v1/files/file_1/abort', ...json({ [long]: 1 }) }],
  ['a query parameter', { url: `/api/v1/files?${longInHead}=1`, method: 'GET' }],
  ['a parameter’s value', { url: `/api/v1/files?kind=${longInHead}`, method: 'GET' }],
  ['a cursor', { url: `/api/v1/files?cursor=${longInHead}`, method: 'GET' }],
  ['an id in a path', { url: `/api/v1/files/${'n'.repeat(4000)}`, method: 'GET' }],
  ['a path', { url: `/api/v1/${longInHead}`, method: 'GET' }],
  ['a type of content', { url: '/api/v1/quote', headers: { 'content-type': `text/${longInHead}` }, payload: 'x' }],
  ['a tool of the free API', { url: `/api/try/${longInHead}`, ...json({}) }],
  ['a field of the free API', { url: '/api/try/loudness', ...json({ [long]: 1 }) }],
  ['a field that looks like a file’s', { url: '/api/try/loudness', ...json({ [`${long}_file_id`]: 'x' }) }],
  ['a link', { url: '/api/try/loudness', ...json({ url: long }) }],
  ['a value of the free API', { url: '/api/try/loudness', ...json({ target: long }) }],
  ['a format', { url: '/api/try/transcribe', ...json({ format: long }) }],
  ['a field of a form', { url: '/api/try/loudness', ...form(longInForm, false) }],
  ['a file of a form', { url: '/api/try/loudness', ...form(longInForm, true) }],
  ['a field of a form that looks like a file’s', { url: '/api/try/loudness', ...form(`${longInForm}_file_id`, false) }],
  ['the older API’s input', { url: '/v1/remove-noise', ...json({ input: long }) }],
  ['the older API’s format', { url: '/v1/remove-noise', ...json({ input: 'a', outputExtension: long }) }],
  ['the older API’s amount', { url: '/v1/remove-noise', ...json({ input: 'a', noiseReductionAmount: long }) }],
  ['the older API’s extension', { url: `/v1/upload?inputExt=${longInHead}`, ...form('file', true) }],
];

const send = (base: string, { url, method, headers, payload }: Request): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    const sent = httpRequest(base + url, { method, headers: { ...headers, ...lengthOf(payload) } }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    sent.on('error', reject).end(payload);
  });
const lengthOf = (payload: string | undefined): { 'content-length'?: number } =>
  payload === undefined ? {} : { 'content-length': Buffer.byteLength(payload) };

it('a name of megabytes is refused at once, and is not sent back', async () => {
  const { base } = await start(
    { freeRuns: { admit: async () => admission, visitor: () => ({ account, subject: account.id }) } },
    { config: { legacyHost: olderHost } },
  );
  for (const [what, request] of doors) {
    const older = request.url.startsWith('/v1/') ? { host: olderHost, 'x-api-key': key } : {};
    const before = process.cpuUsage();
    const { status, body } = await send(base, {
      method: 'POST',
      ...request,
      headers: { authorization: `Bearer ${key}`, ...older, ...request.headers },
    });
    const { user, system } = process.cpuUsage(before);
    expect([400, 404, 415, 422], `${what}: ${body.slice(0, 300)}`).toContain(status);
    expect(body.length, what).toBeLessThan(mostAnswered);
    // None of the doors was missed: each says what it would have taken, or that there is nothing.
    expect(body, what).toMatch(/expected|Expected|There is no path|too long/);
    expect((user + system) / 1000, what).toBeLessThan(mostCpuMs);
  }
});
