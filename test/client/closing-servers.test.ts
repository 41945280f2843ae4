// A service, or a proxy in front of it, that closes its connection behind a download which is read slowly. The fetch of
// Node 22.23 and 24.21 ends the process there (nodejs/undici#5360), which vitest would tell as an unhandled error; that
// of Node 26.12 fails.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createClient, type Client } from '../../src/client.ts';
import { answerRaw, framings, type AnswerManners, type Framing } from '../fixtures/links/framings.ts';

let server: Server | undefined;
afterEach(() => {
  vi.unstubAllGlobals();
  server?.closeAllConnections();
  server?.close();
});

const body = Buffer.alloc(200_000, Buffer.from(Array.from({ length: 251 }, (_, at) => at)));

interface Played {
  readonly client: Client;
  /** Of the last download: all is with the system, and the connection closed. */
  sent(): Promise<void>;
}

async function play(framing: Framing, bytes: Buffer, manners: AnswerManners = {}): Promise<Played> {
  let sent = Promise.resolve();
  server = createServer((request, response) => {
    if (request.url === '/moved') response.writeHead(302, { location: '/bytes' }).end();
    else if (request.url === '/bytes') sent = answerRaw(request.socket, framing, bytes, manners);
    else response.end(JSON.stringify({ url: `${base}/moved`, filename: 'a.wav', expiresAt: '2100-01-01T00:00:00Z' }));
  });
  await new Promise<void>((resolve) => void server?.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { client: createClient({ baseUrl: base, apiKey: 'svc_sk_test', attempts: 1 }), sent: () => sent };
}

describe.each(framings)('$name', (framing) => {
  it.each([65_536, 200_000])(
    '%i bytes that are all sent before the first is read, behind a redirect',
    async (bytes) => {
      const whole = body.subarray(0, bytes);
      const { client, sent } = await play(framing, whole);
      const download = await client.download('file_1');
      await sent();
      await sleep(30);
      const pieces: Uint8Array[] = [];
      for await (const piece of download.body) {
        pieces.push(piece);
        await sleep(1);
      }
      expect(Buffer.concat(pieces).equals(whole)).toBe(true);
    },
  );

  it.runIf(!framing.endless)('one that is cut off is an error', async () => {
    const { client } = await play(framing, body, { cutAt: 100_000 });
    const download = await client.download('file_1');
    await expect(download.bytes()).rejects.toMatchObject({ name: 'ConnectionError' });
  });
});

const [framing] = framings as [Framing];

it('is stopped by its signal', async () => {
  const { client } = await play(framing, body, { pauseMs: 20 });
  const stop = new AbortController();
  const download = await client.download('file_1', { signal: stop.signal, onProgress: () => stop.abort() });
  await expect(download.bytes()).rejects.toMatchObject({ name: 'AbortError' });
});

it('asks the fetch that a program has put in place of the platform’s', async () => {
  const asked: string[] = [];
  const { client } = await play(framing, body);
  const real = globalThis.fetch;
  vi.stubGlobal('fetch', (input: URL, init?: RequestInit) => {
    asked.push(input.pathname);
    return real(input, init);
  });
  const download = await client.download('file_1');
  expect((await download.bytes()).byteLength).toBe(body.length);
  expect(asked).toEqual(['/api/v1/files/file_1/download', '/moved']);
});
