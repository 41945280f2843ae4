// Jobs as they change, told by server-sent events: to keys, to holders of status links, to many at a time.
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { toolIds } from '../../../src/library/contract/tool-ids.ts';
import { useServices, type TestService } from '../../fixtures/service/service.ts';
import { createGate, until } from '../../fixtures/until.ts';
import { createFakeMedia, named } from './try/fake-media.ts';
import { tryTool } from './try/support.ts';
import { slow } from '../../fixtures/rounds.ts';

const services = useServices();
const media = createFakeMedia();
let service: TestService;

beforeAll(async () => {
  service = await services.start({ media, config: { accountSockets: '40' } });
});
afterEach(() => {
  media.beforeRunEnds = () => Promise.resolve();
  media.runMs = 0;
  media.progress = [];
});

interface Event {
  readonly id: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever was told
  readonly data: any;
}

/** Reads a stream as the HTML standard says a browser does; resolves with it at its end. */
async function listen(
  url: string,
  headers: Record<string, string> = {},
  onEvent: (events: readonly Event[]) => void = () => undefined,
  signal?: AbortSignal,
): Promise<{ status: number; type: string | null; headers: Headers; events: Event[]; text: string }> {
  const response = await fetch(url, { headers, ...(signal === undefined ? {} : { signal }) });
  const events: Event[] = [];
  let text = '';
  let rest = '';
  for await (const chunk of response.body ?? []) {
    const piece = Buffer.from(chunk).toString();
    text += piece;
    rest += piece;
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
      if (lines['data'] === undefined) continue;
      events.push({ id: lines['id'] ?? '', data: JSON.parse(lines['data']) });
      onEvent(events);
    }
  }
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    headers: response.headers,
    events,
    text,
  };
}

async function job(at: TestService = service): Promise<{ url: string; authorization: string; id: string }> {
  const { account, key } = await at.account(1000);
  const authorization = `Bearer ${key}`;
  const run = await tryTool(at, 'loudness', [['file', named('20s.wav')]], {
    headers: { authorization, prefer: 'respond-async' },
  });
  expect(run.status).toBe(202);
  await until('the job exists', async () => (await at.stores.jobs.getSummary(run.json.id as string)) !== null);
  expect((await at.stores.jobs.getSummary(run.json.id as string))?.accountId).toBe(account.id);
  return { url: `${at.base}/api/v1/jobs/${run.json.id}/events`, authorization, id: run.json.id as string };
}

describe('GET /api/v1/jobs/{id}/events', () => {
  it('tells the whole record now, whenever it changes, and last how it ended', slow, async () => {
    media.runMs = 2000;
    media.progress = [0.2, 0.4, 0.6, 0.8];
    const { url, authorization, id } = await job();
    const { status, type, headers, events, text } = await listen(url, { authorization });
    expect([status, type]).toEqual([200, 'text/event-stream']);
    expect(headers.get('cache-control')).toBe('no-store, no-transform');
    expect(headers.get('x-accel-buffering')).toBe('no');
    expect(headers.get('ratelimit')).toMatch(/"default"/);
    expect(text.startsWith('retry: 2000\n\n')).toBe(true);
    expect(events.every(({ data }) => data.id === id && data.tool === 'adjust_loudness')).toBe(true);
    const progress = events.map(({ data }) => data.progress as number);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(new Set(progress).size).toBeGreaterThan(2);
    expect(events.at(-1)).toMatchObject({
      id: 'end',
      data: { status: 'succeeded', outputs: [{ filename: 'out-1.wav' }] },
    });
    expect(events.slice(0, -1).every(({ data }) => ['queued', 'running'].includes(data.status))).toBe(true);
    // The same as polling says.
    const polled = await fetch(url.replace('/events', ''), { headers: { authorization } });
    expect(events.at(-1)?.data).toEqual(await polled.json());
  });

  it('of a job that has ended says so at once; who has heard it is told to stay away', async () => {
    const { url, authorization } = await job();
    await listen(url, { authorization });
    const { events } = await listen(url, { authorization });
    expect(events.map(({ id }) => id)).toEqual(['end']);
    expect((await listen(url, { authorization, 'last-event-id': 'end' })).status).toBe(204);
    expect((await listen(url, { authorization, 'last-event-id': '3' })).events).toEqual(events);
  });

  it('is refused as the job itself is', async () => {
    const { url, authorization } = await job();
    const { key } = await service.account(0);
    const answers = await Promise.all([
      fetch(url),
      fetch(url, { headers: { authorization: `Bearer ${key}` } }),
      fetch(`${service.base}/api/v1/jobs/job_none/events`, { headers: { authorization } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401, 404, 404]);
  });

  it('is cheap for many who follow one job, bounded for each, and ends with those who leave', slow, async () => {
    const gate = createGate();
    media.beforeRunEnds = () => gate.opened;
    const { url, authorization, id } = await job();
    const { stores } = service;
    const read = stores.jobs.getSummary;
    let looks = 0;
    stores.jobs.getSummary = async (asked) => {
      if (asked === id) looks += 1;
      return read(asked);
    };
    const leaving = new AbortController();
    const heard: number[] = [];
    const left = Array.from({ length: 39 }, (_, index) =>
      listen(url, { authorization }, () => void (heard[index] = (heard[index] ?? 0) + 1), leaving.signal).catch(
        () => null,
      ),
    );
    const staying = listen(url, { authorization });
    await until('all follow', () => heard.filter((count) => count > 0).length === 39);
    expect((await fetch(url, { headers: { authorization } })).status).toBe(429);
    const before = looks;
    const since = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    // One loop looks, about once a second, whatever the number of those who follow.
    expect(looks - before).toBeLessThan(3 + (performance.now() - since) / 250);
    leaving.abort();
    await Promise.all(left);
    await until('there is room again', async () => {
      const tried = new AbortController();
      const { status } = await fetch(url, { headers: { authorization }, signal: tried.signal });
      tried.abort();
      return status === 200;
    });
    gate.open();
    expect((await staying).events.at(-1)?.data.status).toBe('succeeded');
    stores.jobs.getSummary = read;
  });

  it('ends when the service stops, so that clients come back to the next one', slow, async () => {
    const gate = createGate();
    media.beforeRunEnds = () => gate.opened;
    const stopping = await services.start({ media });
    const { url, authorization } = await job(stopping);
    let told = 0;
    const stream = listen(url, { authorization }, (events) => void (told = events.length));
    await until('it is told', () => told > 0);
    await stopping.app.close();
    expect((await stream).events.at(-1)?.id).not.toBe('end');
    gate.open();
    await stopping.stop();
  });
});

describe('status links', () => {
  it.each(['events', 'accept'] as const)('tell the run by %s, until it has ended', slow, async (by) => {
    media.runMs = 1200;
    media.progress = [0.3, 0.6];
    const run = await tryTool(service, 'remove-noise', [['file', named('600s.wav')]], {
      headers: { prefer: 'respond-async' },
    });
    const { statusUrl, id } = run.json as { statusUrl: string; id: string };
    const { events, type } = await listen(
      by === 'events' ? statusUrl.replace('?', '/events?') : statusUrl,
      by === 'accept' ? { accept: 'text/event-stream' } : {},
    );
    expect(type).toBe('text/event-stream');
    expect(events.at(-1)).toMatchObject({
      id: 'end',
      data: { id, status: 'succeeded', free: true, finishPriceCredits: 500 },
    });
    expect(events.at(-1)?.data).toEqual(await (await fetch(statusUrl)).json());
    expect((await fetch(statusUrl.replace('?', '/events?').replace(/.{3}$/, 'xyz'))).status).toBe(404);
    expect((await fetch(`${service.base}/api/try/jobs/${id}/events`)).status).toBe(400);
  });
});

describe('GET /api/try', () => {
  it('says what is left of each tool, the limits and what waits, and takes nothing', slow, async () => {
    const fresh = await services.start({ media, config: { trustProxy: 'true' } });
    const from = { 'x-forwarded-for': '198.51.100.7' };
    const left = async (headers: Record<string, string> = from) => {
      const response = await fetch(`${fresh.base}/api/try`, { headers });
      expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
      // oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever was answered
      return (await response.json()) as any;
    };
    const of = (answer: { tools: { slug: string }[] }, slug: string): unknown =>
      answer.tools.find((tool) => tool.slug === slug);
    for (let times = 0; times < 3; times += 1) {
      const before = await left();
      expect(before.tools).toHaveLength(toolIds.length);
      expect(of(before, 'remove-noise')).toEqual({
        tool: 'remove_noise',
        slug: 'remove-noise',
        dailyUses: 3,
        usesLeft: 3,
        seconds: 60,
        resetsAt: expect.stringMatching(/T00:00:00\.000Z$/),
      });
      expect(of(before, 'media-info')).toMatchObject({ dailyUses: 20, usesLeft: 20, seconds: null });
      expect(before.limits).toEqual({ requestBytes: 104_857_600, uploads: 2, waiting: 3, waitSeconds: 30 });
      expect(before.waiting).toEqual([]);
    }
    for (let use = 0; use < 4; use += 1)
      await tryTool(fresh, 'remove-noise', [['file', named('600s.wav', 1000 + use)]], { from: '198.51.100.7' });
    const after = await left();
    expect(of(after, 'remove-noise')).toMatchObject({ usesLeft: 0 });
    expect(of(after, 'loudness')).toMatchObject({ usesLeft: 3 });
    expect(after.waiting).toEqual([
      expect.objectContaining({ tool: 'remove_noise', jobId: expect.stringMatching(/^job_/), finishPriceCredits: 500 }),
    ]);
    // An address may be shared: links, which are credentials, are not told.
    expect(JSON.stringify(after)).not.toMatch(/https?:|600s/);
    expect((await left({ 'x-forwarded-for': '198.51.100.8' })).waiting).toEqual([]);
    const { key } = await fresh.account(5);
    const keyed = await left({ ...from, authorization: `Bearer ${key}` });
    expect(of(keyed, 'remove-noise')).toMatchObject({ usesLeft: 3 });
    expect(keyed.limits).toMatchObject({ uploads: 4, waiting: 0 });
    expect((await fetch(`${fresh.base}/api/try`, { headers: { authorization: 'Bearer nonsense' } })).status).toBe(401);
    await fresh.stop();
  });
});
