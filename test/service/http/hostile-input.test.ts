// Bad input is answered in words by every door: parts of forms without names, JSON thousands of levels deep, numbers
// beyond all numbers.
import { beforeAll, describe, expect, it } from 'vitest';
import { useServices, type TestService } from '../../fixtures/service/service.ts';
import { offeredTools as tools } from '../../../src/service/offers/offers.ts';
import { createFakeMedia, named } from './try/fake-media.ts';
import { plainSessionCookie } from '../../../src/service/http/interface/session-cookie.ts';
import { slow } from '../../fixtures/rounds.ts';

const services = useServices();
let service: TestService;
let key = '';
let fileId = '';

beforeAll(async () => {
  service = await services.start({ media: createFakeMedia(), config: { freeWaitSeconds: '20' } });
  ({ key } = await service.account(1000));
  const sound = Buffer.from(await named('20s.wav').arrayBuffer());
  const created = await send('POST', '/api/v1/files', { filename: '20s.wav', sizeBytes: sound.length });
  fileId = created.json.file.id;
  await fetch(created.json.upload.url, { method: 'PUT', body: sound });
});

interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever was answered
  readonly json: any;
}

/** @param body text goes as it is, as JSON */
async function send(
  method: string,
  path: string,
  body?: object | string,
  headers: Readonly<Record<string, string>> = { authorization: `Bearer ${key}` },
): Promise<Answer> {
  const response = await fetch(path.startsWith('http') ? path : service.base + path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
}

/** A form whose parts have the given heads and bodies. */
async function sendForm(
  url: string,
  parts: readonly (readonly [heads: string, body: string | Buffer])[],
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const boundary = 'boundary-of-a-test';
  const body = Buffer.concat([
    ...parts.flatMap(([heads, bytes]) => [
      Buffer.from(`--${boundary}\r\n${heads}\r\n\r\n`),
      Buffer.from(bytes as string),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, ...headers },
    body,
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, json: isJson ? JSON.parse(text) : text };
}

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const wav = 'Content-Disposition: form-data; name="file"; filename="20s.wav"\r\nContent-Type: audio/wav';
const sound = async (): Promise<Buffer> => Buffer.from(await named('20s.wav').arrayBuffer());

describe('parts of forms', () => {
  it.each([
    ['a value without a name', 'Content-Disposition: form-data'],
    ['a value with an empty name', 'Content-Disposition: form-data; name=""'],
    ['a file without a name', 'Content-Disposition: form-data; filename="20s.wav"'],
    ['bytes without a name', 'Content-Disposition: form-data\r\nContent-Type: application/octet-stream'],
  ])('%s is refused by the free API', async (_, heads) => {
    const { status, json } = await sendForm(`${service.base}/api/try/loudness`, [[heads, 'x']]);
    expect(status).toBe(400);
    expect(json.error).toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('a name for every part of the form'),
    });
  });

  it.each([
    ['a value without a name', 'Content-Disposition: form-data'],
    ['a file without a name', 'Content-Disposition: form-data; filename="20s.wav"'],
    ['without a disposition', 'Content-Type: audio/wav'],
  ])('%s is no file of the older API', async (_, heads) => {
    const { status, json } = await sendForm(`${service.legacyBase}/upload`, [[heads, 'x']], { 'x-api-key': key });
    expect([status, typeof json.detail]).toEqual([400, 'string']);
  });

  it('a file without a filename is a file', async () => {
    const heads = 'Content-Disposition: form-data; name="file"\r\nContent-Type: application/octet-stream';
    const free = await sendForm(`${service.base}/api/try/loudness`, [[heads, await sound()]]);
    expect(free.status).toBe(200);
    const older = await sendForm(`${service.legacyBase}/upload`, [[heads, await sound()]], { 'x-api-key': key });
    expect([older.status, typeof older.json.fileId]).toEqual([200, 'string']);
  });

  it.each(['__proto__', 'constructor', 'toString'])('one that is called %s is refused', async (name) => {
    const { status, json } = await sendForm(`${service.base}/api/try/loudness`, [
      [`Content-Disposition: form-data; name="${name}"`, 'x'],
      [wav, await sound()],
    ]);
    expect([status, json.error.code]).toEqual([400, 'bad_request']);
  });
});

describe('JSON thousands of levels deep', () => {
  const options = tools.flatMap(({ slug, options }) =>
    Object.entries((options as { properties?: Record<string, { type?: string }> }).properties ?? {})
      // Of free text brackets are as good as letters.
      .filter(([, { type }]) => type !== 'string')
      .map(([name]) => [slug, name] as const),
  );

  it.each(options)('in the form of %s as %s', async (slug, name) => {
    for (const type of ['', '\r\nContent-Type: application/json']) {
      const { status, json } = await sendForm(`${service.base}/api/try/${slug}`, [
        [`Content-Disposition: form-data; name="${name}"${type}`, deep(5000)],
        [wav, await sound()],
      ]);
      expect([status, json.error.code]).toEqual([400, 'bad_request']);
    }
  });

  it.each(tools.map(({ id }) => id))('in a body for %s', async (tool) => {
    for (const name of ['ranges', 'tracks', 'file_id', 'free'])
      expect(
        await send('POST', '/api/v1/jobs', `{"tool":"${tool}","file_id":"${fileId}","${name}":${deep(5000)}}`),
      ).toMatchObject({ status: 400, json: { error: { code: 'bad_request' } } });
  });

  it('in bodies of the older API', async () => {
    const { status, json } = await send(
      'POST',
      `${service.legacyBase}/remove-noise`,
      `{"input":"x","noiseReductionAmount":${deep(5000)}}`,
      { 'x-api-key': key },
    );
    expect([status, typeof json.detail]).toEqual([400, 'string']);
  });
});

const noNumbers = ['Infinity', '-Infinity', 'NaN', '1e400', '-1e400', '0x10', '1_000', 'one', '', '1,5', '%00'];

describe('NUL characters', () => {
  const asPerson = async (): Promise<Readonly<Record<string, string>>> => {
    const { account } = await service.account(100);
    const { token } = await service.operator.createSession(account.id, 3600);
    return { cookie: `${plainSessionCookie}=${token}`, origin: service.base, accept: 'application/json' };
  };

  it.each([
    ['GET', '/edit/%00'],
    ['DELETE', '/edit/a%00'],
    ['GET', '/files/%00/content'],
    ['GET', '/files/%00/wave.svg'],
    ['GET', '/chains/%00'],
    ['GET', '/receipts/%00'],
    ['GET', '/webhooks/%00'],
    ['DELETE', '/notes/order/a%00b'],
    ['DELETE', '/api/v1/chains/presets/%00'],
  ])('name nothing in a path: %s %s', async (method, path) => {
    const headers = path.startsWith('/api') ? undefined : await asPerson();
    const { status, json } = await send(method, path, undefined, headers);
    expect([status, json.error.code]).toEqual([404, 'not_found']);
  });

  it('are refused in forms of the website', async () => {
    const headers = await asPerson();
    const page = await (
      await fetch(`${service.base}/account`, { headers: { ...headers, accept: 'text/html' } })
    ).text();
    const form = /name="form" value="([^"]*)"/.exec(page)?.[1] ?? '';
    const body = new URLSearchParams({ form, 'file-\0': '1' });
    const answer = await fetch(`${service.base}/files/delete-selected`, { method: 'POST', headers, body });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('without NUL characters')]);
  });
});

describe('numbers beyond all numbers', () => {
  it('are refused in every query', slow, async () => {
    const { json } = await send('GET', '/api/openapi.json');
    const paths = json.paths as Readonly<
      Record<
        string,
        Readonly<Record<string, { parameters?: { in: string; name: string; schema: { type?: string } }[] }>>
      >
    >;
    let checked = 0;
    for (const [path, operations] of Object.entries(paths))
      for (const [method, { parameters = [] }] of Object.entries(operations))
        for (const { in: place, name, schema } of parameters) {
          if (place !== 'query' || (schema.type !== 'number' && schema.type !== 'integer')) continue;
          for (const value of [...noNumbers, `1&${name}=2`]) {
            const id = path.includes('jobs') ? 'job_1' : path.includes('webhooks') ? 'hook_1' : fileId;
            const url = `${path.replace('{id}', id)}?${name}=${value}`;
            const { status, json: answer } = await send(method.toUpperCase(), url);
            expect([url, status, answer.error?.code]).toEqual([url, 400, 'bad_request']);
            checked += 1;
          }
        }
    expect(checked).toBeGreaterThan(80);
  });

  it('are refused in every number of a job', async () => {
    const numeric = tools.flatMap(({ id, options }) =>
      Object.entries((options as { properties?: Record<string, { type?: string }> }).properties ?? {}).flatMap(
        ([name, { type }]) => (type === 'number' || type === 'integer' ? [[id, name] as const] : []),
      ),
    );
    expect(numeric.length).toBeGreaterThan(5);
    for (const [tool, name] of [...numeric, ['adjust_loudness', 'max_credits'] as const])
      for (const value of ['1e400', '-1e400', '"Infinity"', '"5"', 'null'])
        expect([
          `${tool} ${name} ${value}`,
          (await send('POST', '/api/v1/jobs', `{"tool":"${tool}","file_id":"${fileId}","${name}":${value}}`)).status,
        ]).toEqual([`${tool} ${name} ${value}`, 400]);
    for (const value of ['1e400', '-1', '0', '1.5', '9007199254740993e10'])
      expect((await send('POST', '/api/v1/files', `{"filename":"a.wav","sizeBytes":${value}}`)).status).not.toBe(500);
  });

  it('are refused as numbers of parts', async () => {
    const { json } = await send('POST', '/api/v1/files', { filename: 'big.wav', sizeBytes: 40_000_000 });
    const { partUrl } = json.multipart as { partUrl: string };
    for (const part of ['Infinity', '1e400', 'NaN', '0', '-1', '1.5', '99999999999999999999', '1e2']) {
      const response = await fetch(partUrl.replace('{n}', part), { method: 'PUT', body: 'x' });
      expect([part, response.status >= 400 && response.status < 500]).toEqual([part, true]);
    }
  });
});
