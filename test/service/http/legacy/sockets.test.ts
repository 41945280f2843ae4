// Websockets of the older API: many on one job, clients that do not read, answer or go away, and refused handshakes.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import {
  createSocketKeeper,
  type KeptSocket,
  type SocketKeeper,
} from '../../../../src/service/http/server/socket-keeper.ts';
import type { LegacyStatus } from '../../../../src/service/rules/legacy-jobs/legacy-job-use-cases.ts';
import { statusOf } from '../../../../src/service/rules/legacy-jobs/status.ts';
import { createStatusWatch } from '../../../../src/service/rules/legacy-jobs/watch.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { createFakeMedia, named, type FakeMedia } from '../try/fake-media.ts';
import { olderClient, type OlderClient } from './client.ts';
import { createGate, until } from '../../../fixtures/until.ts';
import { slow } from '../../../fixtures/rounds.ts';

const services = useServices();
let media: FakeMedia;
let shared: Promise<TestService> | undefined;
const running = (): Promise<TestService> => {
  media ??= createFakeMedia();
  return (shared ??= services.start({ media, config: { accountSockets: '150' } }));
};

async function client(): Promise<OlderClient & { readonly service: TestService; readonly key: string }> {
  const service = await running();
  media.runMs = 0;
  media.progress = [];
  media.beforeRunEnds = () => Promise.resolve();
  const { key } = await service.account(1000);
  return { ...olderClient(service.legacyBase, key), service, key };
}
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('sockets on a job', () => {
  it('all hear the same, over one listener of the database', slow, async () => {
    const older = await client();
    media.runMs = 1500;
    media.progress = [0.2, 0.4, 0.6, 0.8];
    const gate = createGate();
    media.beforeRunEnds = () => gate.opened;
    const jobId = await older.createJob({ input: await older.upload(named('20s.wav')) });
    let following = 0;
    const heard = Array.from({ length: 100 }, () =>
      older.follow(jobId, ({ length }) => {
        if (length === 1) following += 1;
      }),
    );
    await until('all follow it', () => following === 100);
    gate.open();
    const { rows } = await sql`
      select pid from pg_stat_activity where application_name = 'earshot-changes' and datname = current_database()
    `.execute(older.service.stores.database.kysely);
    expect(rows).toHaveLength(1);
    for (const { messages, closeCode } of await Promise.all(heard)) {
      expect(closeCode).toBe(1000);
      expect(messages.at(-1)?.state).toBe('succeeded');
      const percents = messages.flatMap(({ percent }) => (percent === undefined ? [] : [Number(percent)]));
      expect(percents).toEqual([...percents].sort((a, b) => a - b));
      expect(messages.filter(({ state }) => state === 'succeeded')).toHaveLength(1);
    }
  });

  it('opened after the end get the terminal message at once, and the end', slow, async () => {
    const older = await client();
    const jobId = await older.createJob({ input: await older.upload(named('20s.wav')) });
    const done = await older.ended(jobId);
    expect(await older.follow(jobId)).toEqual({ messages: [done], closeCode: 1000 });
  });

  it('that would be too many are refused before the handshake; the closed do not count', slow, async () => {
    const older = await client();
    media.runMs = 20_000;
    const jobId = await older.createJob({ input: await older.upload(named('20s.wav')) });
    const open = await Promise.all(Array.from({ length: 150 }, () => older.connect(jobId)));
    await expect(older.connect(jobId)).rejects.toThrow('429');
    for (const socket of open.splice(0, 10)) {
      socket.close();
      await once(socket, 'close');
    }
    open.push(await older.connect(jobId));
    for (const socket of open) socket.terminate();
    const cancelled = await fetch(`${older.service.base}/api/v1/jobs/${jobId}/cancel`, {
      method: 'POST',
      headers: { authorization: `Bearer ${older.key}` },
    });
    expect(cancelled.status).toBe(200);
    expect(await older.ended(jobId)).toEqual({ state: 'failed', reason: 'The job was cancelled' });
  });

  it('tell how many jobs are taken before', slow, async () => {
    const older = await client();
    // A run ends when the socket has told of it.
    const ends = [0, 1, 2, 3].map(createGate);
    const first = media.runs.length + 1;
    media.beforeRunEnds = async (run) => await ends[run - first]?.opened;
    const input = await older.upload(named('20s.wav'));
    const jobs: string[] = [];
    for (let count = 0; count < 4; count += 1) jobs.push(await older.createJob({ input }));
    const ahead = async (): Promise<(number | null)[]> =>
      Promise.all(jobs.map(async (jobId) => ((await older.status(jobId)) as { jobsAhead?: number }).jobsAhead ?? null));
    await until('the first runs', async () => (await ahead())[0] === null);
    // One slot: the first runs, the others stand in line.
    expect(await ahead()).toEqual([null, 0, 1, 2]);
    const { messages } = await older.follow(jobs[3] ?? '', (heard) => {
      const left = heard.at(-1)?.jobsAhead;
      if (typeof left === 'number') ends[2 - left]?.open();
      else ends[3]?.open();
    });
    const told = messages.flatMap(({ jobsAhead }) => (jobsAhead === undefined ? [] : [jobsAhead]));
    expect([told[0], told.at(-1)]).toEqual([2, 0]);
    expect(told).toEqual([...new Set(told)].sort((a, b) => Number(b) - Number(a)));
  });

  it('are refused where there are none, and the connection ends', async () => {
    const older = await client();
    const { hostname, port } = new URL(older.service.legacyBase);
    const open = (): Promise<number> =>
      new Promise((resolve, reject) =>
        (jobsServer(older) as Server).getConnections((error, count) => (error ? reject(error) : resolve(count))),
      );
    const before = await open();
    for (const path of ['/v1/remove-noise/job_none/status', '/v1/nothing', '/v1/wss/remove-noise/job_none/status']) {
      const socket = connect(Number(port), hostname);
      socket.write(
        `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
          `sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nx-api-key: ${older.key}\r\n\r\n`,
      );
      let text = '';
      socket.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      await once(socket, 'close');
      expect(text).toMatch(/^HTTP\/1\.1 404 /);
      expect(text).toContain('{"detail":');
    }
    await until('nothing of them is open', async () => (await open()) === before);
  });

  const jobsServer = ({ service }: { service: TestService }): unknown => service.legacyApp.server;
});

describe('a status', () => {
  const look = (job: object | null, legacy: object = {}): Parameters<typeof statusOf>[0] =>
    ({
      legacy: { error: null, fromLink: false, outputUrl: null, ...legacy },
      arriving: false,
      job,
      jobsAhead: 4,
      output: { fileId: 'file_1', filename: 'a.wav' },
    }) as Parameters<typeof statusOf>[0];

  it('does not fall back when the job is started again', () => {
    const running = { status: 'running', started: true, furthest: 0.42, error: null };
    expect(statusOf(look(running))).toEqual({ state: 'in_progress', percent: 42 });
    expect(statusOf(look({ ...running, status: 'queued' }))).toEqual({ state: 'in_progress', percent: 42 });
    expect(statusOf(look({ ...running, status: 'queued', started: false, furthest: 0 }))).toEqual({
      state: 'queued',
      jobsAhead: 4,
    });
  });

  it('is kept by the store across starts', slow, async () => {
    const service = await services.start({ media: createFakeMedia(), worker: false });
    const { stores, account } = service;
    const { account: owner } = await account(10);
    await stores.jobs.create({
      id: 'job_again',
      accountId: owner.id,
      freeSubject: { id: owner.id, day: '2026-11-22' },
      tool: 'remove_noise',
      inputs: { file_id: ['file_1'] },
      options: {},
      idempotency: null,
      billing: { seconds: 20, creditsPerMinute: 1 },
      decide: () => ({ free: false, windowSeconds: null, price: 1 }),
    });
    await stores.legacyJobs.create(
      {
        id: 'job_again',
        accountId: owner.id,
        fileId: 'file_1',
        tool: 'remove_noise',
        options: {},
        ownFormat: null,
        fromLink: false,
        outputUrl: null,
        createdAt: new Date(),
        expiresAt: new Date(Date.now() + 60_000),
      },
      'caller',
    );
    await stores.legacyJobs.ordered('job_again');
    const percent = async (): Promise<unknown> => statusOf((await stores.legacyJobs.look('job_again'))!);
    await stores.jobs.start('job_again', 'w', 9);
    await stores.heartbeat.report('job_again', 1, { progress: 0.7, stage: 'x', estimatedSecondsLeft: null });
    expect(await percent()).toEqual({ state: 'in_progress', percent: 70 });
    await stores.jobs.start('job_again', 'w2', 9);
    await stores.heartbeat.report('job_again', 2, { progress: 0.1, stage: 'x', estimatedSecondsLeft: null });
    expect(await percent()).toEqual({ state: 'in_progress', percent: 70 });
    // Whoever follows it while the service stops is told to go, and holds nothing up.
    const { key } = { key: (await service.operator.addKey(owner.id, 'follows')).secret };
    const heard = createGate();
    const following = olderClient(service.legacyBase, key).follow('job_again', heard.open);
    await heard.opened;
    const stopping = service.legacyApp.close();
    const { messages, closeCode } = await following;
    expect([messages, closeCode]).toEqual([[{ state: 'in_progress', percent: 70 }], 1001]);
    await stopping;
    await stores.jobs.fail('job_again', 2, { code: 'no_audio', message: 'none' });
    expect(await percent()).toEqual({ state: 'failed', reason: 'none' });
  });
});

describe('the watch', () => {
  it('looks once for all who follow a job, never goes back, and ends with the last of them', async () => {
    let status: LegacyStatus = { state: 'queued', jobsAhead: 1 };
    let looks = 0;
    const watch = createStatusWatch(
      {
        next: (_id, ms, signal) =>
          new Promise((resolve) => {
            const timer = setTimeout(resolve, Math.min(ms, 10));
            signal?.addEventListener('abort', () => (clearTimeout(timer), resolve()));
          }),
      },
      async () => {
        looks += 1;
        return status;
      },
    );
    const heard: LegacyStatus[][] = Array.from({ length: 1000 }, () => []);
    const stops = heard.map((list) => watch.follow('job_1', status, (next) => void list.push(next)));
    await sleep(100);
    expect(looks).toBeLessThan(30);
    expect(heard.every((list) => list.length === 0)).toBe(true);
    status = { state: 'in_progress', percent: 40 };
    await sleep(50);
    // One who knows more than the next look shows is not taken back.
    const late: LegacyStatus[] = [];
    const lateStop = watch.follow('job_1', { state: 'in_progress', percent: 60 }, (next) => void late.push(next));
    await sleep(50);
    expect(late).toEqual([]);
    status = { state: 'in_progress', percent: 80 };
    await sleep(50);
    expect(late).toEqual([status]);
    expect(heard.every((list) => list.length === 2)).toBe(true);
    lateStop.stop();
    for (const { stop } of stops) stop();
    await sleep(30);
    const before = looks;
    await sleep(100);
    expect(looks).toBe(before);
  });
});

describe('the keeper', () => {
  const opened: (() => void)[] = [];
  afterEach(() => {
    for (const close of opened.splice(0)) close();
  });

  async function serve(beatMs: number): Promise<{ keeper: SocketKeeper; kept: KeptSocket[]; port: number }> {
    const keeper = createSocketKeeper(beatMs);
    const kept: KeptSocket[] = [];
    const server = createServer();
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket) => void kept.push(keeper.keep(socket, 'acc_1')));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    opened.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return { keeper, kept, port: (server.address() as AddressInfo).port };
  }

  /** A client that shakes hands and then does nothing at all. */
  async function mute(port: number): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    opened.push(() => socket.destroy());
    socket.write(
      'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n' +
        'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    await once(socket, 'data');
    return socket.pause();
  }

  it('keeps one message for who does not read, and lets them go', async () => {
    const { keeper, kept, port } = await serve(300);
    const client = await mute(port);
    const gone = new Promise<void>((resolve) => kept[0]?.onGone(resolve));
    // Far more than the system's buffers hold.
    const text = 'x'.repeat(64 * 1024);
    const before = process.memoryUsage().rss;
    for (let count = 0; count < 20_000; count += 1) {
      kept[0]?.say(`${text}${count}`);
      if (count % 100 === 0) await new Promise(setImmediate);
    }
    // 1.3 GB were said.
    expect((process.memoryUsage().rss - before) / 1e6).toBeLessThan(150);
    await gone;
    expect(keeper.count('acc_1')).toBe(0);
    client.destroy();
  });

  it('gives the latest to who reads late, then the end', async () => {
    const { kept, port } = await serve(60_000);
    const client = new WebSocket(`ws://127.0.0.1:${port}`);
    await once(client, 'open');
    client.pause();
    const text = 'y'.repeat(1024 * 1024);
    for (let count = 0; count < 50; count += 1) kept[0]?.say(`${count} ${text}`);
    kept[0]?.end('the end');
    kept[0]?.say('nothing comes after it');
    const heard: string[] = [];
    client.on('message', (data: Buffer) => void heard.push(data.toString().slice(0, 20)));
    client.resume();
    const [code] = (await once(client, 'close')) as [number];
    expect(code).toBe(1000);
    expect(heard.at(-1)).toBe('the end');
    expect(heard.length).toBeLessThan(50);
  });

  it('pings, and drops who does not answer', async () => {
    const { keeper, port } = await serve(100);
    const quiet = await mute(port);
    const good = new WebSocket(`ws://127.0.0.1:${port}`);
    opened.push(() => good.terminate());
    await once(good, 'ping');
    await until('it is dropped', () => keeper.count('acc_1') === 1);
    await once(good, 'ping');
    await once(good, 'ping');
    expect(good.readyState).toBe(WebSocket.OPEN);
    quiet.destroy();
  });

  it('has nothing to hear: who talks on is closed', async () => {
    const { port } = await serve(60_000);
    const client = new WebSocket(`ws://127.0.0.1:${port}`);
    await once(client, 'open');
    for (let count = 0; count < 200; count += 1) client.send('hello?');
    const [code] = (await once(client, 'close')) as [number];
    expect(code).toBe(1008);
  });
});
