// What Node would answer by itself, or not at all: seen on raw sockets.
import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { key, storedFile, useApps } from '../support.ts';

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
  ['two Hosts', 400, 'GET /api/v1/nothing HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n'],
  ['twice the same Host, with HTTP/1.0', 400, 'GET /api/v1/nothing HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n'],
  ['HTTP/0.9', 400, 'GET /api/v1/nothing HTTP/0.9\r\nHost: a\r\n\r\n'],
  ['HTTP/2.0 without its preface', 400, 'GET /api/v1/nothing HTTP/2.0\r\nHost: a\r\n\r\n'],
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

const download = (read: () => AsyncGenerator<Buffer>) => ({
  files: {
    openDownload: async () => ({
      file: storedFile(),
      sizeBytes: 22,
      read: async () => Readable.from(read()),
    }),
  },
});
const asksForFile = 'GET /f/tok/a HTTP/1.1\r\nHost: a\r\n\r\n';

it('nothing is written into an answer that is half written: the refusal follows it', async () => {
  const rest = new EventEmitter();
  const { base } = await start(
    download(async function* () {
      yield Buffer.from('the first bytes');
      await once(rest, 'now');
      yield Buffer.from(', last.');
    }),
    { config: { rateLimitAddress: '30', rateLimitAccount: '30' } },
  );
  const connection = await open(base);
  connection.send(asksForFile);
  const first = await connection.until('the first bytes');
  for (let n = 0; n < 3; n += 1) connection.send('nonsense\r\n\r\n');
  // Time for an answer that should not come.
  await sleep(100);
  expect(await connection.until('the first bytes')).toBe(first);
  rest.emit('now');
  const all = await connection.all();
  expect(all.startsWith(`${first}, last.`)).toBe(true);
  expectRefusal(all.slice(first.length + ', last.'.length), 400, 29);
});

it('complete requests are answered before the broken bytes behind them, in their order', async () => {
  const ready = new EventEmitter();
  const { base } = await start(
    download(async function* () {
      await once(ready, 'now');
      yield Buffer.from('the file, all of it: .');
    }),
    { config: { rateLimitAddress: '30', rateLimitAccount: '30' } },
  );
  const connection = await open(base);
  connection.send(`${asksForFile}GET /livez HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n`);
  await sleep(100);
  ready.emit('now');
  const all = await connection.all();
  const places = ['HTTP/1.1 200 ', 'the file, all of it: .HTTP/1.1 200 ', 'HTTP/1.1 400 '].map((text) =>
    all.indexOf(text),
  );
  expect(places[0]).toBe(0);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expectRefusal(all.slice(places[2]), 400, 29);
});

it.each([
  ['a stranger', 'unknown', 401],
  ['an account', key, 400],
])(
  'a request of %s whose body breaks off in nonsense is refused once, behind what was before it',
  async (_, who, status) => {
    const { base } = await start(
      download(async function* () {
        await sleep(50);
        yield Buffer.from('the file, all of it: .');
      }),
    );
    const connection = await open(base);
    connection.send(
      `${asksForFile}POST /api/v1/jobs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${who}\r\nContent-Type: ` +
        'application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{"\r\nnonsense\r\n\r\n',
    );
    const all = await connection.all();
    expect(all).toMatch(new RegExp(`^HTTP/1\\.1 200 [^]*the file, all of it: \\.HTTP/1\\.1 ${status} [^]*}$`));
    expect(all.match(/HTTP\/1\.1 \d/g)).toHaveLength(2);
  },
);

it('whoever sends nonsense and leaves is forgotten', async () => {
  let left = 0;
  const { base } = await start(
    download(async function* () {
      try {
        yield Buffer.from('the first bytes');
        await sleep(50);
        yield Buffer.from(', last.');
      } finally {
        left += 1;
      }
    }),
  );
  const socket = connect(Number(new URL(base).port), '127.0.0.1').on('error', () => undefined);
  socket.write(`${asksForFile}nonsense\r\n\r\n`);
  await once(socket, 'data');
  socket.destroy();
  await expect.poll(() => left).toBe(1);
});
