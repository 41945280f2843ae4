import { describe, expect, it, vi } from 'vitest';
import { toolIds } from '../../../../src/library/contract/tool-ids.ts';
import type { Service } from '../../../../src/service/rules/service.ts';
import { account, fakeService, storedFile, ticket, useApps, useSharedApp } from '../support.ts';
import { eventually } from '../../../fixtures/until.ts';

const start = useApps();

const shared = useSharedApp();

const fileFields = [
  'id',
  'kind',
  'status',
  'filename',
  'contentType',
  'sizeBytes',
  'durationSeconds',
  'format',
  'hasVideo',
  'hasAudio',
  'media',
  'error',
  'prices',
  'sourceJobId',
  'createdAt',
  'expiresAt',
];

describe('files', () => {
  it('creates with name and size, and with nothing at all', async () => {
    const create = vi.fn<Service['files']['create']>(fakeService().files.create);
    const { call } = await start({ files: { create } });
    const body = { filename: 'talk.wav', sizeBytes: 1000, contentType: 'audio/wav', idempotencyKey: '12345678' };
    const { status, json } = await call('POST', '/api/v1/files', { body });
    expect(status).toBe(201);
    expect(Object.keys(json)).toEqual(['file', 'upload', 'multipart', 'uploadPageUrl']);
    expect(Object.keys(json.file)).toEqual(fileFields);
    expect(json.upload).toEqual({
      method: 'PUT',
      url: 'http://127.0.0.1:1/upload/tok/file',
      headers: { 'content-type': 'audio/wav' },
      expiresAt: '2026-11-20T16:00:00.000Z',
    });
    expect(json.file.prices).toBeNull();
    expect(create).toHaveBeenLastCalledWith(account, body);

    expect((await call('POST', '/api/v1/files', { body: {} })).status).toBe(201);
    expect((await call('POST', '/api/v1/files')).status).toBe(201);
    expect(create).toHaveBeenLastCalledWith(account, {});
  });

  it.each([
    [{ filename: '' }, 'filename'],
    [{ filename: 'x'.repeat(256) }, 'filename'],
    [{ filename: 5 }, 'filename'],
    [{ filename: 'a\0b' }, 'filename'],
    [{ filename: 'half a pair \ud83d' }, 'filename'],
    [{ sizeBytes: 0 }, 'sizeBytes'],
    [{ sizeBytes: 1.5 }, 'sizeBytes'],
    [{ sizeBytes: '1000' }, 'sizeBytes'],
    [{ contentType: 'x'.repeat(101) }, 'contentType'],
    [{ idempotencyKey: '1234567' }, 'idempotencyKey'],
    [{ idempotencyKey: 'x'.repeat(201) }, 'idempotencyKey'],
    [{ name: 'talk.wav' }, 'name'],
    [[], 'body'],
  ])('refuses to create %j and names %s', async (body, field) => {
    const { call } = await shared();
    const { status, json } = await call('POST', '/api/v1/files', { body });
    expect([status, json.error.code, json.error.details.field]).toEqual([400, 'bad_request', field]);
  });

  it('names a file later, also for several parts', async () => {
    const multipart = {
      partSizeBytes: 16,
      partCount: 3,
      partUrl: 'http://x/upload/tok/parts/{n}',
      completeUrl: 'http://x/upload/tok/complete',
      expiresAt: new Date(0),
    };
    const name = vi.fn<Service['files']['name']>(async () => ticket({ upload: null, multipart }));
    const { call } = await start({ files: { name } });
    const { status, json } = await call('POST', '/api/v1/files/file_1/upload', {
      body: { filename: 'talk.wav', sizeBytes: 40 },
    });
    expect([status, Object.keys(json)]).toEqual([200, ['file', 'upload', 'multipart']]);
    expect(json.multipart).toEqual({ ...multipart, expiresAt: '1970-01-01T00:00:00.000Z' });
    expect(name).toHaveBeenCalledWith(account, 'file_1', { filename: 'talk.wav', sizeBytes: 40 });
    for (const body of [{ filename: 'talk.wav' }, { sizeBytes: 40 }, {}])
      expect((await call('POST', '/api/v1/files/file_1/upload', { body })).status).toBe(400);
  });

  it('imports a link', async () => {
    const importLink = vi.fn<Service['files']['importLink']>(fakeService().files.importLink);
    const { call } = await start({ files: { importLink } });
    const { status, json } = await call('POST', '/api/v1/files/import', {
      body: { url: 'https://example.com/a.wav', filename: 'b.wav' },
    });
    expect([status, json.status, Object.keys(json)]).toEqual([201, 'processing', fileFields]);
    expect(importLink).toHaveBeenCalledWith(account, { url: 'https://example.com/a.wav', filename: 'b.wav' });
    for (const body of [{}, { url: '' }, { url: `https://x/${'a'.repeat(4000)}` }, { url: 'https://x/', filename: '' }])
      expect((await call('POST', '/api/v1/files/import', { body })).status).toBe(400);
  });

  it('lists with cursor, limit and kind', async () => {
    const list = vi.fn<Service['files']['list']>(fakeService().files.list);
    const { call } = await start({ files: { list } });
    const { json } = await call('GET', '/api/v1/files?kind=output&limit=100&cursor=abc');
    expect(json.data[0].prices).toMatchObject({ remove_noise: 2 });
    expect(Object.keys(json.data[0].prices)).toEqual(toolIds);
    expect(list).toHaveBeenLastCalledWith(account, { kind: 'output' }, { cursor: 'abc', limit: 100 });
    await call('GET', '/api/v1/files');
    expect(list).toHaveBeenLastCalledWith(account, { kind: null }, { cursor: null, limit: 20 });
  });

  it.each([
    ['/api/v1/files?limit=0', 'limit'],
    ['/api/v1/files?limit=101', 'limit'],
    ['/api/v1/files?limit=ten', 'limit'],
    ['/api/v1/files?limit=', 'limit'],
    ['/api/v1/files?limit=1&limit=2', 'limit'],
    ['/api/v1/files?kind=input', 'kind'],
    ['/api/v1/files?page=2', 'page'],
    ['/api/v1/files?cursor=a%00b', 'cursor'],
    ['/api/v1/files/file_1?wait=-1', 'wait'],
    ['/api/v1/files/file_1?wait=41', 'wait'],
    ['/api/v1/files/file_1/download?wait=1', 'wait'],
    ['/api/v1/files/file_1/peaks?level=6', 'level'],
    ['/api/v1/files/file_1/peaks?count=16385', 'count'],
    ['/api/v1/files/file_1/peaks?count=0', 'count'],
    ['/api/v1/files/file_1/peaks?first=-1', 'first'],
    ['/api/v1/files/file_1/peaks?first=1.5', 'first'],
    ['/api/v1/files/file_1/transcript?from=-1', 'from'],
    ['/api/v1/files/file_1/transcript?detail=all', 'detail'],
    ['/api/v1/jobs?tool=sing', 'tool'],
    ['/api/v1/jobs?wait=4', 'wait'],
    ['/api/v1/account?verbose=1', 'verbose'],
    ['/api/v1/tools?limit=4', 'limit'],
  ])('refuses GET %s and names %s', async (path, field) => {
    const { call } = await shared();
    const { status, json } = await call('GET', path);
    expect([status, json.error.code, json.error.details.field]).toEqual([400, 'bad_request', field]);
  });

  it('waits for a file, and no longer than its client does', async () => {
    const aborted: boolean[] = [];
    const get = vi.fn<Service['files']['get']>(async (_account, _id, wait, signal) => {
      await new Promise<void>((resolve) => {
        if (wait === 0) return resolve();
        signal?.addEventListener('abort', () => {
          aborted.push(true);
          resolve();
        });
      });
      return storedFile();
    });
    const { base, call } = await start({ files: { get } });
    expect((await call('GET', '/api/v1/files/file_1')).json.id).toBe('file_1');
    expect(get.mock.lastCall?.slice(0, 3)).toEqual([account, 'file_1', 0]);
    const controller = new AbortController();
    const waiting = fetch(`${base}/api/v1/files/file_1?wait=40`, {
      headers: { authorization: `Bearer svc_sk_0123456789abcdefghijABCDEFGHIJ0123456789` },
      signal: controller.signal,
    });
    await eventually(() => expect(get).toHaveBeenCalledTimes(2));
    expect(get.mock.lastCall?.[2]).toBe(40);
    controller.abort();
    await expect(waiting).rejects.toThrow();
    await eventually(() => expect(aborted).toEqual([true]));
  });

  it('answers those who wait when the service stops', async () => {
    const get = vi.fn<Service['files']['get']>(
      (_account, _id, wait, signal) =>
        new Promise((resolve, reject) =>
          wait === 0
            ? resolve(storedFile({ status: 'processing' }))
            : signal?.addEventListener('abort', () => reject(new DOMException('stop', 'AbortError'))),
        ),
    );
    const { app, call } = await start({ files: { get } });
    const waiting = call('GET', '/api/v1/files/file_1?wait=40');
    await eventually(() => expect(get).toHaveBeenCalled());
    await app.close();
    expect((await waiting).json.status).toBe('processing');
  });

  it('deletes, stops an upload, and links to the bytes', async () => {
    const remove = vi.fn<Service['files']['remove']>(async () => undefined);
    const abort = vi.fn<Service['files']['abort']>(async () => undefined);
    const { call } = await start({ files: { remove, abort } });
    const deleted = await call('DELETE', '/api/v1/files/file_1');
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await call('POST', '/api/v1/files/file_1/abort')).status).toBe(204);
    expect((await call('POST', '/api/v1/files/file_1/abort', { body: {} })).status).toBe(204);
    expect(
      (
        await call('POST', '/api/v1/files/file_1/abort', {
          raw: '',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        })
      ).status,
    ).toBe(204);
    expect(remove).toHaveBeenCalledWith(account, 'file_1');
    expect(abort).toHaveBeenCalledTimes(3);
    const refused = await call('POST', '/api/v1/files/file_1/abort', { body: { force: true } });
    expect([refused.status, refused.json.error.message]).toEqual([
      400,
      'Unknown field force for POST /api/v1/files/{id}/abort; expected no fields',
    ]);
    expect((await call('GET', '/api/v1/files/file_1/download')).json).toEqual({
      fileId: 'file_1',
      filename: 'talk.wav',
      url: 'http://127.0.0.1:1/f/tok/talk.wav',
      expiresAt: '1970-01-01T00:00:00.000Z',
    });
  });

  it('serves peaks as Base64 of signed bytes, and windows of transcripts', async () => {
    const get = vi.fn<Service['peaks']['get']>(fakeService().peaks.get);
    const window = vi.fn<Service['transcripts']['window']>(fakeService().transcripts.window);
    const { call } = await start({ peaks: { get }, transcripts: { window } });
    expect((await call('GET', '/api/v1/files/file_1/peaks')).json.bins).toBeNull();
    expect(get.mock.lastCall?.[2]).toEqual({ waitSeconds: 0, level: null, first: 0, count: 4096 });
    const { json } = await call('GET', '/api/v1/files/file_1/peaks?level=50&first=100&count=2&wait=0.5');
    expect(json.bins).toEqual({ level: 50, first: 100, count: 2, data: '/wGAfw==' });
    expect([...Buffer.from(json.bins.data, 'base64')].map((byte) => (byte << 24) >> 24)).toEqual([-1, 1, -128, 127]);
    expect(get.mock.lastCall?.[2]).toEqual({ waitSeconds: 0.5, level: 50, first: 100, count: 2 });

    expect((await call('GET', '/api/v1/files/file_1/transcript?from=12.5&to=20&detail=full')).json).toMatchObject({
      fromSeconds: 12.5,
      detail: 'full',
      nextFromSeconds: 300,
    });
    expect(window).toHaveBeenLastCalledWith(account, 'file_1', { from: 12.5, to: 20, detail: 'full' });
    await call('GET', '/api/v1/files/file_1/transcript');
    expect(window).toHaveBeenLastCalledWith(account, 'file_1', { from: 0, to: null, detail: 'concise' });
  });
});
