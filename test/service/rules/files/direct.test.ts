// Links that lead straight to the object store, on a real S3 server and over HTTP.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../../../src/client/client.ts';
import type { MediaWork } from '../../../../src/library/contract/media-work.ts';
import { type MoodyProxy, startMoodyProxy } from '../../../fixtures/s3/moody-proxy.ts';
import { needS3Program, type S3Server, s3Credentials, startS3Server } from '../../../fixtures/s3/server.ts';
import { type TestService, useServices } from '../../../fixtures/service/service.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';
import { numbered } from '../../../conformance/object-store.ts';
import { sound } from './host.ts';

const program = needS3Program();
const services = useServices();

describe.skipIf(program === null)('straight to the store', () => {
  let server: S3Server;
  /** The store's address for clients: the API uses the other one. */
  let open: MoodyProxy;
  let service: TestService;
  let key: string;
  const partBytes = 5 * 2 ** 20;
  beforeAll(async () => {
    server = await startS3Server(program as string);
    open = await startMoodyProxy(server.endpoint);
    service = await services.start({
      media: { check: () => Promise.resolve(sound), close: () => Promise.resolve() } as unknown as MediaWork,
      config: {
        s3Bucket: await server.makeBucket(),
        s3Endpoint: server.endpoint,
        s3AccessKeyId: s3Credentials.accessKeyId,
        s3SecretAccessKey: s3Credentials.secretAccessKey,
        s3Direct: 'true',
        s3PublicEndpoint: open.endpoint,
        partBytes: String(partBytes),
      },
    });
    ({ key } = await service.account(100));
  });
  afterAll(async () => {
    await open.stop();
    await server.stop();
  });
  const client = () => createClient({ baseUrl: service.base, apiKey: key });
  const api = async (method: string, path: string, body?: object): Promise<Response> =>
    await fetch(path.startsWith('http') ? path : service.base + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  /** The status; the answer is read, so that its connection can be used again. */
  const sent = async (
    url: string,
    body: Buffer<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): Promise<number> => {
    const answer = await fetch(url, { method: 'PUT', headers, body });
    await answer.arrayBuffer();
    return answer.status;
  };
  const created = async (sizeBytes: number) =>
    (await (await api('POST', '/api/v1/files', { filename: 'a.wav', sizeBytes, contentType: 'audio/wav' })).json()) as {
      file: { id: string; status: string };
      upload: { method: string; url: string; headers: Record<string, string> } | null;
      multipart: { partUrl: string; completeUrl: string } | null;
    };

  test('one PUT by the contract alone: the link, its headers, then the file is there', async () => {
    const bytes = numbered(100_000);
    const { file, upload } = await created(bytes.length);
    expect(upload).toMatchObject({ method: 'PUT', headers: { 'Content-Type': 'audio/wav' } });
    expect(upload?.url.startsWith(open.endpoint)).toBe(true);
    const put = (body: Buffer<ArrayBuffer>): Promise<number> => sent(upload?.url ?? '', body, upload?.headers ?? {});
    // The signature covers the length.
    expect(await put(Buffer.concat([bytes, bytes]))).toBe(403);
    expect(await put(Buffer.from(bytes.subarray(1)))).toBe(403);
    expect(await (await api('GET', `/api/v1/files/${file.id}`)).json()).toMatchObject({ status: 'awaiting_upload' });
    expect(await put(Buffer.from(bytes))).toBe(200);
    expect(await (await api('GET', `/api/v1/files/${file.id}?wait=20`)).json()).toMatchObject({
      status: 'ready',
      sizeBytes: bytes.length,
    });
    // What was checked stays what it is.
    expect(await put(Buffer.from(numbered(bytes.length, 7)))).toBe(404);
    const link = (await (await api('GET', `/api/v1/files/${file.id}/download`)).json()) as { url: string };
    const download = await fetch(link.url);
    expect(link.url.startsWith(open.endpoint)).toBe(true);
    expect(Object.fromEntries(download.headers)).toMatchObject({
      'content-type': 'audio/wav',
      'content-disposition': 'attachment; filename=a.wav',
    });
    expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true);
    expect((await api('DELETE', `/api/v1/files/${file.id}`)).status).toBe(204);
    const gone = await fetch(link.url);
    expect([gone.status, (await gone.text()).includes('NoSuchKey')]).toEqual([404, true]);
  });

  test('curl follows a link as it is', async () => {
    const bytes = numbered(50_000, 3);
    const path = join(temporaryFolder('earshot-direct-'), 'b.wav');
    writeFileSync(path, bytes);
    const { file, upload } = await created(bytes.length);
    await promisify(execFile)('curl', ['-sS', '--fail', '-T', path, upload?.url ?? '']);
    expect(await (await api('GET', `/api/v1/files/${file.id}?wait=20`)).json()).toMatchObject({ status: 'ready' });
  });

  test('an upload that was stopped takes no bytes any more', async () => {
    const { file, upload } = await created(1000);
    expect((await api('POST', `/api/v1/files/${file.id}/abort`)).status).toBe(204);
    expect(await sent(upload?.url ?? '', Buffer.alloc(1000))).toBe(404);
    expect(await (await api('GET', `/api/v1/files/${file.id}`)).json()).toMatchObject({ status: 'deleted' });
  });

  test('our client: small files, and parts by their links; others send parts to the service', async () => {
    const small = numbered(20_000, 5);
    const large = numbered(17 * 2 ** 20, 6);
    const before = open.passed.length;
    const files = [
      await client().upload(new Uint8Array(small), { filename: 's.wav' }),
      await client().upload(new Uint8Array(large), { filename: 'l.wav' }),
    ];
    expect(files).toMatchObject([
      { status: 'ready', sizeBytes: small.length },
      { status: 'ready', sizeBytes: large.length },
    ]);
    expect(open.passed.slice(before).filter((line) => line.startsWith('PUT'))).toHaveLength(1 + 4);
    expect(Buffer.from(await (await client().download(files[1]?.id ?? '')).bytes()).equals(large)).toBe(true);

    const { file, multipart } = await created(large.length);
    const piece = (n: number): Buffer<ArrayBuffer> => Buffer.from(large.subarray((n - 1) * partBytes, n * partBytes));
    const sendHere = (n: number): Promise<number> => sent(multipart?.partUrl.replace('{n}', String(n)) ?? '', piece(n));
    for (const n of [1, 2]) expect(await sendHere(n)).toBe(200);
    const missing = await api('POST', multipart?.completeUrl ?? '');
    expect(await missing.json()).toMatchObject({ error: { details: { missingParts: [3, 4] } } });
    const linksUrl = multipart?.completeUrl.replace(/complete$/, 'links') ?? '';
    const { links } = (await (await api('POST', linksUrl, { parts: [3, 2] })).json()) as {
      links: { part: number; method: string; url: string }[];
    };
    expect(links.map(({ part, method }) => [part, method])).toEqual([
      [3, 'PUT'],
      [2, 'PUT'],
    ]);
    for (const { part, url } of links) expect(await sent(url, piece(part))).toBe(200);
    expect(await sendHere(4)).toBe(200);
    expect(await (await api('POST', multipart?.completeUrl ?? '')).json()).toMatchObject({ id: file.id });
    const ready = await client().waitForFile(file.id);
    expect(Buffer.from(await (await client().download(ready.id)).bytes()).equals(large)).toBe(true);
    expect(await (await api('POST', linksUrl, { parts: [5] })).json()).toMatchObject({ error: { code: 'conflict' } });
  });

  test('a store that clients cannot reach: our client sends parts to the service', async () => {
    const large = numbered(17 * 2 ** 20, 8);
    const through: string[] = [];
    const noStore: typeof fetch = (input, init) => {
      const url = String(input instanceof Request ? input.url : input);
      if (url.startsWith(open.endpoint)) return Promise.reject(new TypeError('unreachable'));
      through.push(url);
      return fetch(input, init);
    };
    const file = await createClient({
      baseUrl: service.base,
      apiKey: key,
      fetch: noStore,
      attempts: 1,
    }).upload(new Uint8Array(large), { filename: 'l.wav' });
    expect(file).toMatchObject({ status: 'ready', sizeBytes: large.length });
    expect(through.filter((url) => url.includes('/parts/'))).toHaveLength(4);
  });
});
