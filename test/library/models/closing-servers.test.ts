// Hubs and mirrors that close their connection behind a body, and proxies in front of them. undici's parser ended the
// process at the first (nodejs/undici#5360), which vitest would tell as an unhandled error.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { download, type PieceWriter } from '../../../src/library/models/download.ts';
import { ask, bodyOf } from '../../../src/library/models/requests.ts';
import { answerRaw, framings } from '../../fixtures/links/framings.ts';
import { thrownBy } from '../../fixtures/media/media.ts';

let folder = '';
const servers: { close(): unknown }[] = [];
const sockets = new Set<Socket>();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'closing-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) server.close();
  for (const socket of sockets) socket.destroy();
  rmSync(folder, { recursive: true });
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.on('connection', (socket: Socket) => sockets.add(socket.on('close', () => sockets.delete(socket))));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const body = Buffer.alloc(3_000_000, Buffer.from(Array.from({ length: 251 }, (_, at) => at)));

describe.each(framings)('$name', (framing) => {
  /** A disk that takes its time for every piece. */
  async function slowDisk(parts: Buffer[]): Promise<PieceWriter> {
    return {
      async write(piece) {
        parts.push(Buffer.from(piece));
        await sleep(1);
      },
      close: async () => {},
    };
  }

  test('a model is read to its end by a disk that lags', async () => {
    const port = await listen(createServer(({ socket }) => void answerRaw(socket, framing, body)));
    const parts: Buffer[] = [];
    await download(`http://127.0.0.1:${port}/model`, join(folder, 'model'), {
      expectedBytes: body.length,
      mostBytes: body.length,
      openWriter: () => slowDisk(parts),
      pausesMilliseconds: [],
    });
    expect(Buffer.concat(parts).equals(body)).toBe(true);
  });

  test('65,536 bytes that are all sent before the first is read', async () => {
    const small = body.subarray(0, 65_536);
    let sent: Promise<void> | undefined;
    const port = await listen(
      createServer(({ socket }) => {
        sent = answerRaw(socket, framing, small);
      }),
    );
    const answer = await ask(`http://127.0.0.1:${port}/`);
    await sent;
    await sleep(30);
    expect((await bodyOf(answer, small.length)).equals(small)).toBe(true);
  });

  test('one that is cut off is told so, and what was written is kept', async () => {
    const port = await listen(createServer(({ socket }) => void answerRaw(socket, framing, body, { cutAt: 100_000 })));
    const path = join(folder, 'model');
    const failed = await thrownBy(() =>
      download(`http://127.0.0.1:${port}/model`, path, {
        expectedBytes: body.length,
        mostBytes: body.length,
        pausesMilliseconds: [],
      }),
    );
    expect(failed).toMatchObject({
      code: 'fetch_failed',
      retryable: true,
      message: expect.stringMatching(/but (the transfer was cut off|it ended after 100000 of 3000000 bytes)/),
    });
    const kept = readFileSync(path);
    expect(kept.length).toBeLessThanOrEqual(100_000);
    expect(body.subarray(0, kept.length).equals(kept)).toBe(true);
  });
});

describe('a proxy of the environment', () => {
  /** Takes CONNECT for any name and leads every tunnel to one server. */
  async function proxyTo(port: number): Promise<{ address: string; asked: string[] }> {
    const asked: string[] = [];
    const server = createServer((_request, response) => response.writeHead(405).end());
    server.on('connect', (request, socket) => {
      asked.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
      const onward = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      onward.on('error', () => socket.destroy());
      socket.on('error', () => onward.destroy());
    });
    return { address: `127.0.0.1:${await listen(server)}`, asked };
  }
  const hub = (): Promise<number> => listen(createServer((request, response) => response.end(request.headers.host)));

  test('is used, with its password, and NO_PROXY goes around it', async () => {
    const port = await hub();
    const { address, asked } = await proxyTo(port);
    vi.stubEnv('HTTP_PROXY', `http://ann:se%20cret@${address}`);
    vi.stubEnv('NO_PROXY', '127.0.0.1');
    const throughIt = await bodyOf(await ask('http://hub.example.com/x'), 100);
    expect(throughIt.toString()).toBe('hub.example.com');
    expect(asked).toEqual([`hub.example.com:80 Basic ${Buffer.from('ann:se cret').toString('base64')}`]);
    const aroundIt = await bodyOf(await ask(`http://127.0.0.1:${port}/x`), 100);
    expect(aroundIt.toString()).toBe(`127.0.0.1:${port}`);
    expect(asked.length).toBe(1);
  });

  test('that is no address is refused in words', async () => {
    vi.stubEnv('HTTP_PROXY', 'http://:::');
    expect(await thrownBy(() => ask('http://hub.example.com/'))).toMatchObject({
      code: 'bad_request',
      message: 'Expected the address of a proxy in the environment but it is http://:::',
    });
  });

  test('that speaks SOCKS is not spoken to in HTTP', async () => {
    const port = await hub();
    vi.stubEnv('ALL_PROXY', 'socks5://127.0.0.1:1');
    expect((await bodyOf(await ask(`http://127.0.0.1:${port}/`), 100)).toString()).toBe(`127.0.0.1:${port}`);
  });
});
