import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { Writable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { AbortError } from '../../../../src/library/core/abort.ts';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import type { Service } from '../../../../src/service/rules/service.ts';
import { storedFile, ticket, useApps, useSharedApp } from '../support.ts';
import { eventually } from '../../../fixtures/until.ts';
import { slow } from '../../../fixtures/rounds.ts';

const start = useApps();
const shared = useSharedApp();
const mebibyte = 1024 * 1024;

type Accept = Service['files']['acceptUpload'];

/** Takes everything, through pipeline, as the service does, and hashes it. */
const hashing =
  (seen: { hash?: string; bytes?: number; length?: number | null }): Accept =>
  async (_token, body, contentLength) => {
    const hash = createHash('sha256');
    let bytes = 0;
    const sink = new Writable({
      write(chunk: Buffer, _encoding, done) {
        bytes += chunk.length;
        hash.update(chunk);
        done();
      },
    });
    await pipeline(body, sink);
    Object.assign(seen, { hash: hash.digest('hex'), bytes, length: contentLength });
    return storedFile({ status: 'processing' });
  };

/** Refuses after so many bytes, through a pipeline that destroys its source. */
const refusingAfter =
  (limit: number): Accept =>
  async (_token, body) => {
    let bytes = 0;
    await pipeline(
      body,
      new Writable({
        write(chunk: Buffer, _encoding, done) {
          bytes += chunk.length;
          done(
            bytes > limit
              ? new EarshotError('file_too_large', `Expected at most ${limit} bytes but received more`)
              : null,
          );
        },
      }),
    );
    return storedFile();
  };

describe('a PUT of the bytes', () => {
  it.each([
    ['audio/wav', 'with its length'],
    ['application/json', 'that are JSON'],
    ['multipart/form-data; boundary=x', 'of a type that has a meaning elsewhere'],
    ['nonsense', 'of no type at all'],
  ])('takes bytes of %s, %s', slow, async (type) => {
    const seen: Parameters<typeof hashing>[0] = {};
    const { call } = await start({ files: { acceptUpload: hashing(seen) } });
    const bytes = new Uint8Array(randomBytes(5 * mebibyte + 17));
    const { status, json } = await call('PUT', '/upload/tok/file', { raw: bytes, headers: { 'content-type': type } });
    expect([status, json.status]).toEqual([200, 'processing']);
    expect(seen).toEqual({
      hash: createHash('sha256').update(bytes).digest('hex'),
      bytes: bytes.length,
      length: bytes.length,
    });
  });

  it('takes chunked bytes, and says so to the service', async () => {
    const seen: Parameters<typeof hashing>[0] = {};
    const { base } = await start({ files: { acceptUpload: hashing(seen) } });
    const stream = new ReadableStream({
      start(controller) {
        for (const text of ['one ', 'two ', 'three']) controller.enqueue(Buffer.from(text));
        controller.close();
      },
    });
    const response = await fetch(`${base}/upload/tok/file`, { method: 'PUT', body: stream, duplex: 'half' });
    expect(response.status).toBe(200);
    expect(seen).toEqual({ hash: createHash('sha256').update('one two three').digest('hex'), bytes: 13, length: null });
  });

  it('hands token, part number and an empty body on', slow, async () => {
    const acceptPart = vi.fn<Service['files']['acceptPart']>(async (_token, _part, body) => {
      for await (const chunk of body) void chunk;
    });
    const { call } = await start({ files: { acceptPart } });
    expect((await call('PUT', '/upload/some-token/parts/12', { raw: 'abc' })).json).toEqual({ part: 12 });
    expect(acceptPart.mock.lastCall?.slice(0, 2)).toEqual(['some-token', 12]);
    expect((await call('PUT', '/upload/some-token/parts/13')).json).toEqual({ part: 13 });
    expect(acceptPart.mock.lastCall?.[3]).toBe(0);
  });

  it('does not hold the bytes in memory', slow, async () => {
    const { base } = await start({ files: { acceptUpload: hashing({}) } });
    const chunk = randomBytes(mebibyte);
    let most = 0;
    const before = process.memoryUsage().rss;
    let left = 200;
    const stream = new ReadableStream({
      pull(controller) {
        most = Math.max(most, process.memoryUsage().rss - before);
        if (left-- > 0) controller.enqueue(chunk);
        else controller.close();
      },
    });
    expect((await fetch(`${base}/upload/tok/file`, { method: 'PUT', body: stream, duplex: 'half' })).status).toBe(200);
    // 200 MiB went through; client and server are this one process.
    expect(most).toBeLessThan(100 * mebibyte);
  });
});

describe('a refused PUT', () => {
  it.each([
    [
      'before a byte is read',
      async () => Promise.reject(new EarshotError('not_found', 'This link does not exist')),
      404,
    ],
    ['in the middle', refusingAfter(3 * mebibyte), 413],
  ] satisfies [string, Accept, number][])(
    '%s is answered while the client still sends',
    async (_when, acceptUpload, status) => {
      const { base } = await start({ files: { acceptUpload } });
      for (let round = 0; round < 3; round++) {
        const answer = await sendSlowly(`${base}/upload/tok/file`, 40 * mebibyte);
        expect([answer.status, answer.headers['connection'], answer.headers['ratelimit-policy']]).toEqual([
          status,
          'close',
          '"default";q=600;w=60',
        ]);
        expect(JSON.parse(answer.text).error.code).toBe(status === 404 ? 'not_found' : 'file_too_large');
      }
    },
  );

  it('leaves the connection open when little was to come', async () => {
    const { base } = await start({
      files: { acceptUpload: async () => Promise.reject(new EarshotError('not_found', 'This link does not exist')) },
    });
    const text = await talk(base, [
      `PUT /upload/tok/file HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc`,
      'GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    ]);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 200']);
  });
});

describe('Expect: 100-continue', () => {
  it('is answered when the body is read, and not for a refused upload', async () => {
    const { base } = await start({
      files: {
        acceptUpload: async (token, body) => {
          if (token === 'wrong') throw new EarshotError('not_found', 'This link does not exist');
          for await (const chunk of body) void chunk;
          return storedFile({ status: 'processing' });
        },
      },
    });
    expect(await sendExpecting(`${base}/upload/tok/file`, 'abc')).toEqual({ continued: true, status: 200 });
    expect(await sendExpecting(`${base}/upload/wrong/file`, 'abc')).toEqual({ continued: false, status: 404 });
    expect(
      await sendExpecting(`${base}/upload/tok/name`, JSON.stringify({ filename: 'a.wav', sizeBytes: 3 }), 'POST'),
    ).toEqual({ continued: true, status: 200 });
    expect(await sendExpecting(`${base}/api/v1/files`, '{}', 'POST')).toEqual({ continued: false, status: 401 });
  });
});

describe('an upload that is cut off', () => {
  it('aborts the service and is no failure of ours', async () => {
    const events: string[] = [];
    const { base, logged } = await start({
      files: {
        acceptUpload: async (_token, body, _length, signal) => {
          signal.addEventListener('abort', () => events.push('signal'));
          try {
            for await (const chunk of body) events.push(`bytes ${(chunk as Buffer).length}`);
          } catch (thrown) {
            events.push((thrown as Error).name);
            throw thrown;
          }
          return storedFile();
        },
      },
    });
    const { port } = new URL(base);
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write('PUT /upload/secret-token/file HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nabc'),
    );
    await eventually(() => expect(events).toContain('bytes 3'));
    socket.destroy();
    await eventually(() => expect(events.toSorted()).toEqual(['AbortError', 'bytes 3', 'signal']));
    await eventually(() => expect(logged()).toContain('"status":499'));
    expect(logged()).not.toContain('"level":50');
    expect(new AbortError().name).toBe('AbortError');
  });

  it('is noticed also when nobody reads', async () => {
    let [begun, aborted] = [false, false];
    const { base } = await start({
      files: {
        acceptUpload: (_token, _body, _length, signal) =>
          new Promise((_, reject) => {
            begun = true;
            signal.addEventListener('abort', () => ((aborted = true), reject(new AbortError())));
          }),
      },
    });
    const { port } = new URL(base);
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write('PUT /upload/tok/file HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nabc'),
    );
    await eventually(() => expect(begun).toBe(true));
    socket.destroy();
    await eventually(() => expect(aborted).toBe(true));
  });
});

describe('the rest of the link', () => {
  it('joins the parts, or says which are missing', async () => {
    const { call } = await shared();
    expect((await call('POST', '/upload/tok/complete')).json.status).toBe('processing');
    const missing = await start({
      files: {
        completeUpload: async () =>
          Promise.reject(new EarshotError('conflict', 'Two parts are missing', { details: { missingParts: [2, 3] } })),
      },
    });
    const { status, json } = await missing.call('POST', '/upload/tok/complete', {
      raw: '',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([status, json.error.details.missingParts]).toEqual([409, [2, 3]]);
  });

  it('names the file for the page', async () => {
    const nameByToken = vi.fn<Service['files']['nameByToken']>(async () => ticket());
    const { call } = await start({ files: { nameByToken } });
    const { status, json } = await call('POST', '/upload/tok/name', {
      body: { filename: 'a.wav', sizeBytes: 3, contentType: 'audio/wav' },
    });
    expect([status, Object.keys(json)]).toEqual([200, ['file', 'upload', 'multipart']]);
    expect(nameByToken).toHaveBeenCalledWith('tok', { filename: 'a.wav', sizeBytes: 3, contentType: 'audio/wav' });
    expect((await call('POST', '/upload/tok/name', { body: { filename: 'a.wav' } })).status).toBe(400);
  });
});

interface Sent {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** Writes so many bytes whatever comes back, and reads the answer; rejects when the connection breaks before it. */
function sendSlowly(url: string, bytes: number): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: 'PUT', headers: { 'content-length': bytes } });
    let answered = false;
    request.on('response', (response) => {
      answered = true;
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (chunk: string) => (text += chunk))
        .on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    request.on('error', (error) => (answered ? undefined : reject(error)));
    const chunk = Buffer.alloc(256 * 1024);
    let left = bytes;
    const write = (): void => {
      while (left > 0 && !request.destroyed) {
        left -= chunk.length;
        if (!request.write(chunk)) return void request.once('drain', write);
      }
      request.end();
    };
    write();
  });
}

function sendExpecting(url: string, body: string, method = 'PUT'): Promise<{ continued: boolean; status: number }> {
  return new Promise((resolve, reject) => {
    let continued = false;
    const request = httpRequest(url, {
      method,
      headers: {
        expect: '100-continue',
        'content-length': Buffer.byteLength(body),
        ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      },
    });
    request.on('continue', () => {
      continued = true;
      request.end(body);
    });
    request.on('response', (response) =>
      response.resume().on('end', () => {
        resolve({ continued, status: response.statusCode ?? 0 });
        request.destroy();
      }),
    );
    request.on('error', reject);
    request.flushHeaders();
  });
}

function talk(base: string, pieces: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(new URL(base).port), '127.0.0.1', () => {
      for (const piece of pieces) socket.write(piece);
    });
    socket
      .setEncoding('utf8')
      .on('data', (chunk: string) => (text += chunk))
      .on('error', () => undefined)
      .on('close', () => resolve(text));
  });
}
