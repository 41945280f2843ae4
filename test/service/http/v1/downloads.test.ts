import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import type { StoredFile } from '../../../../src/service/rules/files/stored-file.ts';
import type { Service } from '../../../../src/service/rules/service.ts';
import { storedFile, useApps } from '../support.ts';
import { eventually } from '../../../fixtures/until.ts';

const start = useApps();
const bytes = randomBytes(100_000);
const etag = `"${'ab'.repeat(32)}"`;

function serving(file: StoredFile = storedFile(), content: Buffer = bytes) {
  const read = vi.fn<(range?: { start: number; end: number }) => Promise<Readable>>(async (range) =>
    Readable.from([range ? content.subarray(range.start, range.end + 1) : content]),
  );
  const openDownload = vi.fn<Service['files']['openDownload']>(async (token) => {
    if (token !== 'tok') throw new EarshotError('not_found', 'This link does not exist');
    return { file, sizeBytes: content.length, read };
  });
  return { read, openDownload };
}

async function get(base: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(`${base}/f/tok/talk.wav`, { method, headers });
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
}

describe('downloads', () => {
  it('answer the whole file as an attachment that no browser interprets', async () => {
    const { base } = await start({ files: serving() });
    const { status, headers, body } = await get(base);
    expect(status).toBe(200);
    expect(body.equals(bytes)).toBe(true);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'audio/wav',
      'content-length': '100000',
      'content-disposition': 'attachment; filename=talk.wav',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'private, no-cache',
      'accept-ranges': 'bytes',
      etag,
    });
    expect(headers.get('ratelimit-policy')).toBe('"default";q=600;w=60');
  });

  it('answer HEAD without reading the file', async () => {
    const files = serving();
    const { base } = await start({ files });
    const { status, headers, body } = await get(base, {}, 'HEAD');
    expect([status, headers.get('content-length'), headers.get('etag'), body.length]).toEqual([200, '100000', etag, 0]);
    const part = await get(base, { range: 'bytes=0-9' }, 'HEAD');
    expect([part.status, part.headers.get('content-length')]).toEqual([200, '100000']);
    expect(files.read).not.toHaveBeenCalled();
  });

  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=10-19', 10, 19],
    ['bytes=99990-', 99_990, 99_999],
    ['bytes=-5', 99_995, 99_999],
    ['bytes=99999-200000', 99_999, 99_999],
    ['bytes=0-9,10-19', 0, 19],
  ])('answer the range %s', async (range, first, last) => {
    const files = serving();
    const { base } = await start({ files });
    const { status, headers, body } = await get(base, { range });
    expect([status, headers.get('content-range'), headers.get('content-length')]).toEqual([
      206,
      `bytes ${first}-${last}/100000`,
      String(last - first + 1),
    ]);
    expect(body.equals(bytes.subarray(first, last + 1))).toBe(true);
    expect(files.read).toHaveBeenCalledWith({ start: first, end: last });
  });

  it.each(['bytes=100000-', 'bytes=100000-100001'])('refuse %s with the size', async (range) => {
    const { base } = await start({ files: serving() });
    const { status, headers, body } = await get(base, { range });
    expect([status, headers.get('content-range'), headers.get('content-type')]).toEqual([
      416,
      'bytes */100000',
      'application/json; charset=utf-8',
    ]);
    expect(JSON.parse(body.toString()).error.code).toBe('bad_request');
  });

  it.each([
    [{ range: 'bytes=abc' }, 200],
    [{ range: 'seconds=0-1' }, 200],
    [{ range: 'bytes=0-9,50-59' }, 200],
    [{ range: 'bytes=0-9', 'if-range': etag }, 206],
    [{ range: 'bytes=0-9', 'if-range': '"other"' }, 200],
    [{ range: 'bytes=0-9', 'if-range': `W/${etag}` }, 200],
    [{ 'if-none-match': etag }, 304],
    [{ 'if-none-match': `"other", W/${etag}` }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': '"other"' }, 200],
  ] as [Record<string, string>, number][])('understand %j', async (headers, status) => {
    const { base } = await start({ files: serving() });
    const answer = await get(base, headers);
    expect(answer.status).toBe(status);
    expect(answer.body.length).toBe({ 200: 100_000, 206: 10, 304: 0 }[status]);
    expect(answer.headers.get('ratelimit')).not.toBeNull();
  });

  it.each([
    [
      'Grüße – 東京.wav',
      `attachment; filename="Gr??e ? ??.wav"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%E2%80%93%20%E6%9D%B1%E4%BA%AC.wav`,
    ],
    ['a "b"; c.wav', 'attachment; filename="a \\"b\\"; c.wav"'],
    ['../../etc/passwd', 'attachment; filename="../../etc/passwd"'],
    ['a\r\nSet-Cookie: x=1', undefined],
  ])('name %j so that every browser reads it', async (filename, expected) => {
    const { base } = await start({ files: serving(storedFile({ filename })) });
    const { status, headers } = await get(base);
    expect([status, headers.get('set-cookie')]).toEqual([200, null]);
    if (expected !== undefined) expect(headers.get('content-disposition')).toBe(expected);
  });

  it.each([
    ['text/html', 'text/html'],
    ['text/plain', 'text/plain; charset=utf-8'],
    ['text/vtt', 'text/vtt; charset=utf-8'],
    ['text/plain; charset=latin1', 'text/plain; charset=latin1'],
    ['audio/ogg; codecs=opus', 'audio/ogg; codecs=opus'],
    ['nonsense', 'application/octet-stream'],
    ['a/b\r\nX: y', 'application/octet-stream'],
    ['', 'application/octet-stream'],
  ])('pass on the type %j as %s', async (contentType, expected) => {
    const { base } = await start({ files: serving(storedFile({ contentType })) });
    expect((await get(base)).headers.get('content-type')).toBe(expected);
  });

  it('stop reading when the client goes away', async () => {
    let destroyed = false;
    const endless = new Readable({
      read() {
        this.push(Buffer.alloc(65_536));
      },
      destroy(error, done) {
        destroyed = true;
        done(error);
      },
    });
    const { base } = await start({
      files: { openDownload: async () => ({ file: storedFile(), sizeBytes: 1e12, read: async () => endless }) },
    });
    const controller = new AbortController();
    const response = await fetch(`${base}/f/tok/a`, { signal: controller.signal });
    await response.body!.getReader().read();
    controller.abort();
    await eventually(() => expect(destroyed).toBe(true));
  });

  it('break off when the bytes fail, so that no client takes a part for the whole', async () => {
    const { base, logged } = await start({
      files: {
        openDownload: async () => ({
          file: storedFile(),
          sizeBytes: 1000,
          read: async () =>
            Readable.from(
              (async function* () {
                yield Buffer.alloc(10);
                await Promise.resolve();
                throw new Error('disk');
              })(),
            ),
        }),
      },
    });
    await expect(fetch(`${base}/f/tok/a`).then((response) => response.arrayBuffer())).rejects.toThrow();
    expect(logged()).toContain('reading a file for a download failed');
  });
});
