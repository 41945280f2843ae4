// Links of a request are held to what its files are: all of them together have one bound.
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLinkFetcher } from '../../../../src/service/adapters/links/link-fetcher.ts';
import { startLinkServer, type LinkServer } from '../../../fixtures/links/server.ts';
import { until } from '../../../fixtures/until.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { createFakeMedia } from './fake-media.ts';
import { tryTool, type TryAnswer } from './support.ts';
import { slow } from '../../../fixtures/rounds.ts';

const services = useServices();
const bound = 3_000_000;
let world: LinkServer;
let service: TestService;
/** Bytes that were taken of each path. */
const sent = new Map<string, number>();

beforeAll(async () => {
  // /20s-<bytes>.wav; with ?chunked its length is not announced.
  world = await startLinkServer((request, response) => {
    const path = request.url ?? '';
    const bytes = Number(/-(\d+)\.wav/.exec(path)?.[1]);
    response.writeHead(200, {
      'content-type': 'audio/wav',
      ...(path.includes('?chunked') ? {} : { 'content-length': bytes }),
    });
    const piece = Buffer.alloc(65_536);
    let given = 0;
    const more = (): void => {
      while (given < bytes && !response.destroyed) {
        const next = piece.subarray(0, Math.min(piece.length, bytes - given));
        given += next.length;
        if (!response.write(next)) return void response.once('drain', more);
      }
      response.end();
    };
    response.once('close', () => sent.set(path, given));
    more();
  });
  service = await services.start({
    media: createFakeMedia(),
    links: createLinkFetcher({ network: world.network }),
    config: { freeRequestBytes: String(bound), freeVariant: 'b' },
  });
});
afterAll(async () => {
  await service.stop();
  await world.close();
});

const link = (bytes: number, query = ''): string => `https://media.example.com/20s-${bytes}.wav${query}`;
const file = (bytes: number): File => new File([new Uint8Array(bytes)], '20s.wav', { type: 'audio/wav' });

const tooLarge = (answer: TryAnswer): void => {
  expect([answer.status, answer.json?.error.code, answer.json?.error.message]).toEqual([
    413,
    'file_too_large',
    `Expected at most ${bound} bytes in the files of one request but received more`,
  ]);
  expect(answer.json.error.retryable).toBe(false);
};

describe('links of the free API', () => {
  it('are taken up to the bound, to the byte', slow, async () => {
    expect((await tryTool(service, 'loudness', { url: link(bound) })).status).toBe(200);
    tooLarge(await tryTool(service, 'loudness', { url: link(bound + 1) }));
  });

  it('are not read further when more comes than is taken, announced or not', async () => {
    const much = 60_000_000;
    for (const query of ['', '?chunked']) {
      tooLarge(await tryTool(service, 'loudness', { url: link(much, query) }));
      await until('the server is done', () => sent.has(`/20s-${much}.wav${query}`));
      expect(sent.get(`/20s-${much}.wav${query}`)).toBeLessThan(much / 2);
    }
  });

  it('count together, with each other and with files, in whatever order they come', slow, async () => {
    const half = bound / 2;
    expect((await tryTool(service, 'join', { url: [link(half), link(half)] })).status).toBe(200);
    tooLarge(await tryTool(service, 'join', { url: [link(half), link(half + 1)] }));
    tooLarge(await tryTool(service, 'join', { url: [link(half), link(half, '?chunked'), link(1000, '?chunked')] }));
    tooLarge(
      await tryTool(service, 'join', [
        ['file', file(half)],
        ['url', link(half + 1)],
      ]),
    );
    tooLarge(
      await tryTool(service, 'join', [
        ['url', link(half + 1)],
        ['file', file(half)],
      ]),
    );
    tooLarge(await tryTool(service, 'swap-audio', { video_url: link(half), audio_url: link(half + 1) }));
  });

  it('are held to it with an API key, too, whose way for more is the REST API', async () => {
    const { key } = await service.account(1000);
    const answer = await tryTool(
      service,
      'loudness',
      { url: link(bound + 1) },
      { headers: { authorization: `Bearer ${key}` } },
    );
    tooLarge(answer);
    expect(answer.json.error.nextAction).toContain('POST /api/v1/files');
  });

  it('leave nothing behind when they are refused', async () => {
    const before = await service.stores.files.totals();
    tooLarge(await tryTool(service, 'join', { url: [link(bound / 2), link(bound)] }));
    await until('nothing is left', async () => isDeepStrictEqual(await service.stores.files.totals(), before));
  });
});
