// @module-tag slow
// A disk that is full, or nearly: every door that takes files says so with 507, before it reads a byte where it can,
// and all goes on when there is room again.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { mountSmallDisk } from '../../fixtures/small-disk.ts';
import { useServices, type TestService } from '../../fixtures/service/service.ts';
import { olderClient, type OlderClient } from './legacy/client.ts';
import { createFakeMedia, named } from './try/fake-media.ts';
import { tryTool } from './try/support.ts';

const mebibyte = 1024 * 1024;
const reserve = 8 * mebibyte;
const disk = mountSmallDisk(320);
const services = useServices();
afterAll(() => disk?.remove());

describe.runIf(disk !== null)('a full disk', () => {
  let service: TestService;
  let older: OlderClient;
  let key: string;
  const fill = (freeBytes: number): void => disk?.fillUpTo(freeBytes);

  beforeAll(async () => {
    service = await services.start({
      media: createFakeMedia(),
      config: { data: disk?.path ?? '', diskReserveBytes: String(reserve), freeWaitSeconds: '20' },
    });
    ({ key } = await service.account(1000));
    older = olderClient(service.legacyBase, key);
  });
  beforeEach(() => disk?.empty());

  interface Answer {
    readonly status: number;
    readonly headers: Headers;
    // oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever was answered
    readonly json: any;
  }
  async function send(method: string, path: string, body?: object | Buffer): Promise<Answer> {
    const raw = body instanceof Buffer;
    const response = await fetch(path.startsWith('http') ? path : service.base + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined || raw ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, json: JSON.parse((await response.text()) || 'null') };
  }
  const create = (sizeBytes: number): Promise<Answer> =>
    send('POST', '/api/v1/files', { filename: '20s.wav', sizeBytes });
  const refusal = {
    code: 'internal_error',
    message: "The service's disk is full at the moment",
    retryable: true,
    nextAction: 'Try again later; the operator has to free disk space.',
  };
  const expectRefusal = ({ status, headers, json }: Answer): void => {
    expect([status, headers.get('retry-after')]).toEqual([507, '60']);
    expect(json.error).toMatchObject(refusal);
    expect(Object.keys(json.error.details)).toEqual(['requestId']);
  };

  it('is not chosen for a file that would leave less than the reserve', async () => {
    fill(reserve + 2 * mebibyte);
    expectRefusal(await create(3 * mebibyte));
    expect((await create(1 * mebibyte)).status).toBe(201);
    fill(reserve - 1);
    expectRefusal(await send('POST', '/api/v1/files', {}));
    expectRefusal(await create(1));
  });

  it('refuses bytes of links that were given before, whole and in parts, and takes them later', async () => {
    const small = Buffer.from(await named('20s.wav').arrayBuffer());
    const whole = (await create(small.length)).json;
    const parts = (await create(17 * mebibyte)).json;
    const partUrl = (parts.multipart.partUrl as string).replace('{n}', '1');
    const part = Buffer.alloc(parts.multipart.partSizeBytes as number, 1);
    fill(0);
    expectRefusal(await send('PUT', whole.upload.url, small));
    expectRefusal(await send('PUT', partUrl, part));
    disk?.empty();
    expect((await send('PUT', whole.upload.url, small)).status).toBe(200);
    expect((await send('PUT', partUrl, part)).status).toBe(200);
    expect((await send('GET', `/api/v1/files/${whole.file.id}?wait=20`)).json.status).toBe('ready');
  });

  it('refuses imports, names, and what the free and the older API are sent', async () => {
    const unnamed = (await send('POST', '/api/v1/files', {})).json;
    fill(0);
    expectRefusal(await send('POST', '/api/v1/files/import', { url: 'https://media.example.com/a.mp3' }));
    expectRefusal(
      await send('POST', `/api/v1/files/${unnamed.file.id}/upload`, { filename: 'a.wav', sizeBytes: 1000 }),
    );
    expectRefusal(await tryTool(service, 'loudness', [['file', named('20s.wav')]]));
    const form = new FormData();
    form.append('file', named('20s.wav'), '20s.wav');
    const { status, headers, json } = await older.request('POST', '/upload', { body: form });
    expect([status, headers.get('retry-after'), json]).toEqual([507, '60', { detail: refusal.message }]);
    disk?.empty();
    expect((await tryTool(service, 'loudness', [['file', named('20s.wav')]])).status).toBe(200);
    expect(await older.upload(named('20s.wav'))).toMatch(/./);
  });

  it('that fills up while bytes arrive is told the same, and keeps nothing of them', async () => {
    // Of a form nobody knows the length before its end.
    fill(reserve + mebibyte);
    const large = new File([new Uint8Array(12 * mebibyte)], '20s.wav', { type: 'audio/wav' });
    expectRefusal(await tryTool(service, 'loudness', [['file', large]]));
    fill(reserve + mebibyte);
    expect((await send('GET', '/readyz')).status).toBe(200);
  });

  it('is named by /readyz until there is room', async () => {
    expect((await send('GET', '/readyz')).json.checks).toEqual({ database: 'ok', files: 'ok', disk: 'ok' });
    fill(reserve / 2);
    const { status, json } = await send('GET', '/readyz');
    expect([status, json.error.details.checks]).toEqual([503, { database: 'ok', files: 'ok', disk: 'failed' }]);
    disk?.empty();
    expect((await send('GET', '/readyz')).status).toBe(200);
  });

  it('leaves what is there to be read', async () => {
    const small = Buffer.from(await named('20s.wav').arrayBuffer());
    const { upload, file } = (await create(small.length)).json;
    await send('PUT', upload.url, small);
    await send('GET', `/api/v1/files/${file.id}?wait=20`);
    fill(0);
    const { url } = (await send('GET', `/api/v1/files/${file.id}/download`)).json;
    expect(Buffer.from(await (await fetch(url as string)).arrayBuffer()).equals(small)).toBe(true);
  });
});
