// What clients meet while the HTTP side ends: watched on raw sockets, because clients hide connections.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { key, type Running, useApps } from '../support.ts';
import { eventually, until } from '../../../fixtures/until.ts';
import { slow } from '../../../fixtures/rounds.ts';

const start = useApps();
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

interface Line {
  send(text: string): void;
  /** What has come so far, once it matches. */
  until(pattern: RegExp): Promise<string>;
  /** Milliseconds of `performance.now()` at which the connection ended. */
  readonly closed: Promise<number>;
}

async function dial({ base }: Running): Promise<Line> {
  const socket = connect(Number(new URL(base).port), '127.0.0.1');
  sockets.push(socket);
  socket.setEncoding('utf8').on('error', () => undefined);
  let heard = '';
  socket.on('data', (text: string) => void (heard += text));
  const closed = once(socket, 'close').then(() => performance.now());
  await once(socket, 'connect');
  return {
    send: (text) => void socket.write(text),
    closed,
    until: (pattern) =>
      eventually(() => {
        if (!pattern.test(heard)) throw new Error(`${pattern} did not come; there was: ${heard}`);
        return heard;
      }),
  };
}

const never = new Promise<never>(() => undefined);
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${key}\r\n\r\n`;

describe('/readyz', () => {
  it('fails as soon as the service stops, though all its parts work', async () => {
    const running = await start({}, { checks: { database: async () => undefined } });
    expect((await running.call('GET', '/readyz')).json).toEqual({ status: 'ready', checks: { database: 'ok' } });
    // A request whose head is under way keeps its connection.
    const taken = once(running.app.server, 'connection') as Promise<[Socket]>;
    const line = await dial(running);
    const [serverSide] = await taken;
    line.send('GET /readyz HTTP/1.1\r\nHost: here\r\n');
    await until('its beginning has arrived', () => serverSide.bytesRead > 0);
    const stopped = running.app.close();
    await until('it stops', () => !running.app.server.listening);
    line.send('\r\n');
    const answer = await line.until(/\r\n\r\n.*\}$/s);
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))).error).toMatchObject({
      code: 'tool_unavailable',
      details: { checks: { database: 'ok', stopping: 'failed' } },
    });
    await stopped;
  });
});

describe('stopping', () => {
  it('waits for answers under way for the grace time, then closes their connections', slow, async () => {
    let asked = (): void => undefined;
    const reached = new Promise<void>((resolve) => (asked = resolve));
    const running = await start(
      {
        accounts: {
          view: () => {
            asked();
            return never;
          },
        },
      },
      { config: { graceSeconds: '1' } },
    );
    const line = await dial(running);
    line.send(get('/api/v1/account'));
    await reached;
    const began = performance.now();
    await running.app.close();
    expect((await line.closed) - began).toBeGreaterThan(900);
  });
});

describe('a connection', () => {
  it('is kept for the next request, longer than proxies keep theirs', slow, async () => {
    const line = await dial(await start());
    line.send(get('/livez'));
    expect(await line.until(/"ok"\}/)).toMatch(/\r\nkeep-alive: timeout=75\r\n/i);
    // Node closes up to a second later than it was told to.
    expect(await Promise.race([line.closed.then(() => 'closed'), sleep(1800, 'open')])).toBe('open');
    line.send(get('/livez'));
    await line.until(/"ok"\}.*"ok"\}/s);
  });
});
