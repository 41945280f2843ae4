// Files that come by link, fetched by the worker: the network is a server on 127.0.0.1.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLinkFetcher } from '../../../../src/service/adapters/links/link-fetcher.ts';
import { startLinkServer, type LinkServer } from '../../../fixtures/links/server.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { tone, tryTool } from './support.ts';
import { slow } from '../../../fixtures/rounds.ts';

const services = useServices();
let world: LinkServer;
let service: TestService;
/** Paths in the order in which they were asked for, and how many were being answered at a time. */
const asked: string[] = [];
let underWay = 0;
let most = 0;

beforeAll(async () => {
  world = await startLinkServer((request, response) => {
    asked.push(request.url ?? '');
    underWay += 1;
    most = Math.max(most, underWay);
    void (async () => {
      const seconds = Number(/(\d+)s/.exec(request.url ?? '')?.[1] ?? 1);
      const bytes = Buffer.from(await tone(seconds).arrayBuffer());
      await new Promise((resolve) => setTimeout(resolve, 50));
      underWay -= 1;
      const status = Number(/status-(\d+)/.exec(request.url ?? '')?.[1] ?? 200);
      if (status !== 200) response.writeHead(status).end();
      else response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': bytes.length }).end(bytes);
    })();
  });
  service = await services.start({ links: createLinkFetcher({ network: world.network }) });
});
afterAll(async () => {
  await service.stop();
  await world.close();
});

it('are processed like files that were sent', slow, async () => {
  const { status, bytes, headers } = await tryTool(service, 'convert', {
    url: 'https://media.example.com/2s.wav',
    format: 'flac',
  });
  expect([status, bytes.subarray(0, 4).toString()]).toEqual([200, 'fLaC']);
  expect(headers.get('content-type')).toBe('audio/flac');
  expect(headers.get('svc-processed-seconds')).toBe('2');
  const info = await tryTool(service, 'media-info', [['url', 'https://media.example.com/3s.wav']]);
  expect(info.status).toBe(200);
  expect(JSON.stringify(info.json)).toContain('"durationSeconds":3');
});

it('of one request come one after the other, in their order, and make one file', slow, async () => {
  asked.splice(0);
  most = 0;
  const urls = ['1s-a', '2s-b', '1s-c'].map((name) => `https://media.example.com/${name}.wav`);
  const { status, headers, bytes } = await tryTool(service, 'join', { url: urls });
  expect(status, bytes.toString('latin1', 0, 400)).toBe(200);
  expect(headers.get('svc-processed-seconds')).toBe('4');
  expect(asked.toSorted()).toEqual(['/1s-a.wav', '/1s-c.wav', '/2s-b.wav']);
  expect(most).toBe(1);
});

it('that lead inside are refused in words that name no address', async () => {
  const before = world.network.dialled.length;
  const { status, json } = await tryTool(service, 'convert', { url: 'https://10.1.2.3/x.wav' });
  expect([status, json.error.code]).toEqual([400, 'bad_request']);
  expect(world.network.dialled.length).toBe(before);
});

it('are worth another try only where that can help', async () => {
  for (const [status, retryable] of [
    [404, false],
    [403, false],
    [503, true],
  ] as const) {
    const answer = await tryTool(service, 'convert', { url: `https://media.example.com/status-${status}.wav` });
    expect([answer.status, answer.json.error]).toEqual([
      422,
      expect.objectContaining({ code: 'fetch_failed', retryable, message: expect.stringContaining(`${status}`) }),
    ]);
  }
});
