// Links in and out of the older API: what is fetched, and where results are put. The network is a server on 127.0.0.1.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createLinkFetcher } from '../../../../src/service/adapters/links/link-fetcher.ts';
import { createLinkSender } from '../../../../src/service/adapters/links/link-sender.ts';
import { startLinkServer, type LinkServer } from '../../../fixtures/links/server.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { createFakeMedia, named } from '../try/fake-media.ts';
import { olderClient, type OlderClient } from './client.ts';
import { slow } from '../../../fixtures/rounds.ts';

const services = useServices();

interface Put {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
}
const puts: Put[] = [];
/** What the storage answers, one after the other; then 200. */
let answers: ((response: ServerResponse, request: IncomingMessage) => void)[] = [];
let held: Promise<void> = Promise.resolve();
beforeEach(() => {
  puts.splice(0);
  answers = [];
  held = Promise.resolve();
});

let world: LinkServer | undefined;
let shared: Promise<TestService> | undefined;
afterAll(async () => {
  await (await shared)?.stop();
  await world?.close();
});

async function running(): Promise<TestService> {
  world ??= await startLinkServer(
    (request, response) => {
      void (async () => {
        if (request.method === 'GET') {
          await held;
          if (request.url?.includes('missing')) return response.writeHead(404).end();
          return response.writeHead(200, { 'content-type': 'audio/wav' }).end(Buffer.alloc(1000, 'a'));
        }
        puts.push({ path: request.url ?? '', headers: request.headers, bytes: await buffer(request) });
        const answer = answers.shift();
        if (answer !== undefined) return answer(response, request);
        return response.writeHead(200).end('stored');
      })();
    },
    { 'inner.hop.example.com': ['10.0.0.7'] },
  );
  const { network } = world;
  return (shared ??= services.start({
    media: createFakeMedia(),
    links: createLinkFetcher({ network }),
    sender: createLinkSender({ network }),
    pausesMs: [10, 20],
  }));
}

async function client(): Promise<
  OlderClient & { readonly service: TestService; readonly accountId: string; balance(): Promise<number> }
> {
  const service = await running();
  const { key, account } = await service.account(1000);
  return {
    ...olderClient(service.legacyBase, key),
    service,
    accountId: account.id,
    balance: async () => (await service.stores.accounts.get(account.id))?.balance ?? NaN,
  };
}

const status =
  (code: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(code, headers).end();

describe('input', () => {
  it('is fetched from a link: downloading, then as any other, though nobody asks meanwhile', slow, async () => {
    const older = await client();
    let release = (): void => {};
    held = new Promise((resolve) => (release = resolve));
    const jobId = await older.createJob({ input: 'https://media.example.com/20s.wav' });
    expect(await older.status(jobId)).toEqual({ state: 'downloading' });
    const { messages } = await older.follow(jobId, () => release());
    expect(messages[0]).toEqual({ state: 'downloading' });
    expect(messages.at(-1)?.state).toBe('succeeded');
    expect(await older.balance()).toBe(999);
    // A link is fetched anew each time: what lies behind it may have changed.
    const again = await older.createJob({ input: 'https://media.example.com/20s.wav' });
    expect((await older.ended(again)).state).toBe('succeeded');
    expect(await older.balance()).toBe(998);
  });

  it.each([
    ['https://media.example.com/missing.wav', /it responded with status 404/],
    ['https://inner.hop.example.com/20s.wav', /does not resolve to a public address/],
    ['https://media.example.com/bad.wav', /Expected media but bad\.wav is none/],
    ['https://media.example.com/20s-fail.wav', /Expected sound/],
  ])('%s fails with the reason, and costs nothing', slow, async (input, reason) => {
    const older = await client();
    const jobId = await older.createJob({ input });
    const { messages } = await older.follow(jobId);
    expect(messages.at(-1)).toEqual({ state: 'failed', reason: expect.stringMatching(reason) });
    expect(JSON.stringify(messages)).not.toContain('10.0.0.7');
    expect(await older.balance()).toBe(1000);
  });

  it('that the credits do not cover fails, once its length is known', async () => {
    const service = await running();
    const { key } = await service.account(0);
    const older = olderClient(service.legacyBase, key);
    const jobId = await older.createJob({ input: 'https://media.example.com/20s.wav' });
    expect(await older.ended(jobId)).toEqual({ state: 'failed', reason: expect.stringContaining('credit') });
  });

  it.each([
    ['https://127.0.0.1/x'],
    ['https://localhost/x'],
    ['http://media.example.com/x'],
    ['ftp://a.example.com/x'],
  ])('%s is refused at once, as input and as output', async (link) => {
    const older = await client();
    const before = world?.network.dialled.length;
    const input = await older.upload(named('20s.wav'));
    for (const body of [{ input: link }, { input, output: link }]) {
      const answer = await older.request('POST', '/remove-noise', { body });
      expect([answer.status, answer.json]).toEqual([400, { detail: expect.stringContaining('public HTTPS link') }]);
    }
    expect(world?.network.dialled.length).toBe(before);
    expect(await older.balance()).toBe(1000);
  });
});

describe('output', () => {
  const target = 'https://media.example.com/bucket/clean.wav?signature=secret';

  it('is put there once, with its type and length, and kept for the download, too', async () => {
    const older = await client();
    const jobId = await older.createJob({ input: await older.upload(named('20s.wav')), output: target });
    const done = await older.ended(jobId);
    expect(done.state).toBe('succeeded');
    expect(puts).toHaveLength(1);
    const [put] = puts;
    expect(put?.path).toBe('/bucket/clean.wav?signature=secret');
    expect(put?.headers).toMatchObject({ 'content-type': 'audio/wav', 'content-length': String(put?.bytes.length) });
    expect(put?.headers['transfer-encoding']).toBeUndefined();
    expect((await older.download(String(done['downloadPath']))).bytes.equals(put?.bytes ?? Buffer.of())).toBe(true);
    // The address opens a door: it is forgotten.
    expect(await older.service.stores.legacyJobs.get(jobId)).toMatchObject({ status: 'delivered', outputUrl: null });
    expect(older.service.logged()).not.toContain('signature=secret');
    expect(await older.balance()).toBe(999);
  });

  it('follows redirects with its bytes, and comes again when the storage is busy', async () => {
    const older = await client();
    answers = [status(503), status(307, { location: 'https://other.example.com/elsewhere' })];
    const jobId = await older.createJob({ input: await older.upload(named('20s.wav')), output: target });
    expect((await older.ended(jobId)).state).toBe('succeeded');
    expect(puts.map(({ path, headers }) => `${headers.host}${path}`)).toEqual([
      'media.example.com/bucket/clean.wav?signature=secret',
      'media.example.com/bucket/clean.wav?signature=secret',
      'other.example.com/elsewhere',
    ]);
    expect(puts.every(({ bytes }) => bytes.equals(puts[0]?.bytes ?? Buffer.of()))).toBe(true);
    expect(await older.balance()).toBe(999);
  });

  it.each([
    ['a refusal', [status(403)], 1, /media\.example\.com: it responded with status 403/],
    ['a storage that stays away', [status(500), status(502), status(503)], 3, /it responded with status 503/],
    [
      'a redirect inside',
      [status(307, { location: 'https://10.0.0.1/x' })],
      1,
      /redirects to a link that is not public/,
    ],
    [
      'a redirect to a name that leads inside',
      [status(307, { location: 'https://inner.hop.example.com/x' })],
      1,
      /does not resolve to a public address/,
    ],
    [
      'a redirect to a page',
      [status(303, { location: 'https://media.example.com/page' })],
      1,
      /it responded with status 303/,
    ],
    ['redirects without end', Array.from({ length: 7 }, () => status(308, { location: '/again' })), 6, /more than 5/],
  ])('%s ends the job: it failed, its credits come back, and the result goes', async (_name, given, times, reason) => {
    const older = await client();
    answers = [...given];
    const jobId = await older.createJob({ input: await older.upload(named('20s.wav')), output: target });
    const { messages } = await older.follow(jobId);
    expect(messages.at(-1)).toEqual({ state: 'failed', reason: expect.stringMatching(reason) });
    expect(JSON.stringify(messages)).not.toContain('secret');
    expect(puts).toHaveLength(times);
    expect(await older.balance()).toBe(1000);
    const { items } = await older.service.operator.ledger(older.accountId, { cursor: null, limit: 20 });
    expect(items.map(({ kind, credits }) => [kind, credits])).toEqual([
      ['adjustment', 1],
      ['charge', -1],
      ['reserve', 0],
      ['grant', 1000],
    ]);
    expect(items[0]?.note).toContain(jobId);
    const results = await older.service.stores.files.list(
      older.accountId,
      { kind: 'output', at: new Date() },
      { cursor: null, limit: 9 },
    );
    expect(results.items).toEqual([]);
  });

  it('that hangs is not waited for by other accounts, nor by a second task of the same', async () => {
    const slow = await client();
    const quick = await client();
    const kept: ServerResponse[] = [];
    answers = Array.from({ length: 1 }, () => (response: ServerResponse) => void kept.push(response));
    const jobs = [];
    for (let count = 0; count < 3; count += 1)
      jobs.push(await slow.createJob({ input: await slow.upload(named('20s.wav')), output: target }));
    while (kept.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const theirs = await quick.createJob({ input: await quick.upload(named('20s.wav')), output: target });
    expect((await quick.ended(theirs)).state).toBe('succeeded');
    expect(await slow.status(jobs[0] ?? '')).toEqual({ state: 'in_progress', percent: 100 });
    kept[0]?.writeHead(200).end();
    for (const jobId of jobs) expect((await slow.ended(jobId)).state).toBe('succeeded');
    expect(puts).toHaveLength(4);
  });
});

describe('what is left behind', () => {
  it('is found again: jobs whose orderer died, results that nobody delivers', slow, async () => {
    const { reenqueueLost } = await import('../../../../src/service/adapters/postgres/housekeeping.ts');
    await running();
    const { network } = world!;
    const idle = await services.start({
      media: createFakeMedia(),
      links: createLinkFetcher({ network }),
      sender: createLinkSender({ network }),
    });
    const { key, account } = await idle.account(10);
    const older = olderClient(idle.legacyBase, key);
    const input = await older.upload(named('20s.wav'));
    const createdAt = new Date(Date.now() - 60_000);
    await idle.stores.legacyJobs.create(
      {
        id: 'job_left',
        accountId: account.id,
        fileId: input,
        tool: 'remove_noise',
        options: { noise_reduction: 5, auto_volume: true, output_format: 'same' },
        ownFormat: null,
        fromLink: false,
        outputUrl: 'https://media.example.com/left.wav',
        createdAt,
        expiresAt: new Date(Date.now() + 60_000),
      },
      'caller',
    );
    expect(await older.status('job_left')).toEqual({ state: 'queued', jobsAhead: 0 });
    expect(await reenqueueLost(idle.stores.database, idle.stores.enqueuer)).toBe(1);
    expect((await older.ended('job_left')).state).toBe('succeeded');
    expect(puts.map(({ path }) => path)).toEqual(['/left.wav']);
    expect(await reenqueueLost(idle.stores.database, idle.stores.enqueuer)).toBe(0);
    await idle.stop();
  });
});
