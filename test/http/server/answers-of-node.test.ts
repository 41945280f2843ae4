// What Node would answer by itself, or not at all: seen on raw sockets.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import { storedFile, useApps } from '../support.ts';

const start = useApps();
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function open(base: string) {
  const socket = connect(Number(new URL(base).port), '127.0.0.1');
  sockets.push(socket);
  let heard = '';
  socket
    .setEncoding('utf8')
    .on('error', () => undefined)
    .on('data', (text: string) => void (heard += text));
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  return {
    send: (text: string) => void socket.write(text),
    /** Everything that came until the server closed. */
    all: async () => {
      await closed;
      return heard;
    },
    /** Everything that came until `text` did. */
    until: async (text: string) => {
      while (!heard.includes(text)) await once(socket, 'data');
      return heard;
    },
  };
}

/** An error of the interface with the rate limit's headers, and nothing behind it. */
function expectRefusal(answer: string, status: number, remaining: number): void {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head).toMatch(/^ratelimit-policy: "default";q=30;w=60\r$/m);
  expect(head).toMatch(new RegExp(`^ratelimit: "default";r=${remaining};t=\\d+\\r?$`, 'm'));
  expect(head.toLowerCase()).toMatch(/^connection: close\r?$/m);
  expect((JSON.parse(body) as { error: object }).error).toMatchObject({ code: 'bad_request', retryable: false });
}

it.each([
  ['an HTTP/1.1 request without Host', 400, 'GET /api/v1/nothing HTTP/1.1\r\n\r\n'],
  ['the same with the probe', 400, 'GET /livez HTTP/1.1\r\n\r\n'],
  ['an unknown expectation', 417, 'GET /api/v1/nothing HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n\r\n'],
  [
    'an unknown expectation before a body',
    417,
    'POST /api/v1/jobs HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nContent-Length: 3\r\n\r\n',
  ],
])('%s is refused with %i in the words of the interface', async (what, status, request) => {
  const { base } = await start({}, { config: { rateLimitAddress: '30' } });
  const connection = await open(base);
  connection.send(request);
  expectRefusal(await connection.all(), status, what.includes('probe') ? 30 : 29);
});

it('HTTP/1.0 needs no Host', async () => {
  const { base } = await start();
  const connection = await open(base);
  connection.send('GET /livez HTTP/1.0\r\n\r\n');
  expect(await connection.all()).toMatch(/^HTTP\/1\.1 200 /);
});

it('a second request that is broken is answered like a first one', async () => {
  const { base } = await start({}, { config: { rateLimitAddress: '30' } });
  const connection = await open(base);
  connection.send('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n');
  const first = await connection.until('}');
  expect(first).toMatch(/^HTTP\/1\.1 200 /);
  connection.send('nonsense\r\n\r\n');
  expectRefusal((await connection.all()).slice(first.length), 400, 29);
});

it('nothing is written into an answer that is half written', async () => {
  const { base } = await start({
    files: {
      openDownload: async () => ({
        file: storedFile(),
        sizeBytes: 1000,
        read: async () =>
          Readable.from(
            (async function* () {
              yield Buffer.from('the first bytes');
              await new Promise(() => undefined);
            })(),
          ),
      }),
    },
  });
  const connection = await open(base);
  connection.send('GET /f/tok/a HTTP/1.1\r\nHost: a\r\n\r\n');
  const first = await connection.until('the first bytes');
  connection.send('nonsense\r\n\r\n');
  expect(await connection.all()).toBe(first);
});
