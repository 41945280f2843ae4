// Servers that close their connection behind a body, read by somebody slow: undici's parser ended the process there
// (nodejs/undici#5360), which vitest would tell as an unhandled error.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { createLinkFetcher } from '../../../../src/service/adapters/links/link-fetcher.ts';
import type { FetchedLink } from '../../../../src/service/rules/files/links.ts';
import { answerRaw, framings, type AnswerManners, type Framing } from '../../../fixtures/links/framings.ts';
import { startLinkServer, type LinkServer } from '../../../fixtures/links/server.ts';

const servers: LinkServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const patternOf = (bytes: number): Buffer =>
  Buffer.alloc(bytes, Buffer.from(Array.from({ length: 251 }, (_, at) => at)));
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

async function fetchFrom(
  framing: Framing,
  body: Buffer,
  manners: AnswerManners = {},
): Promise<{ fetched: FetchedLink; sent: Promise<void> }> {
  let report: (sent: Promise<void>) => void;
  const sent = new Promise<void>((resolve) => {
    report = resolve;
  });
  const server = await startLinkServer(({ socket }) => report(answerRaw(socket, framing, body, manners)));
  servers.push(server);
  const fetched = await createLinkFetcher({ network: server.network }).fetch(new URL('https://media.example.com/a'), {
    maxBytes: 100_000_000,
    signal: new AbortController().signal,
  });
  return { fetched, sent };
}

/** Reads as a disk does that is behind: a pause at every piece. */
async function readSlowly({ body }: FetchedLink): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of body as AsyncIterable<Buffer>) {
    pieces.push(piece);
    if (pieces.length % 8 === 0) await sleep(1);
  }
  return Buffer.concat(pieces);
}

describe.each(framings)('$name', (framing) => {
  test.each([1, 16_384, 65_536, 200_000])('%i bytes that are all sent before the first is read', async (bytes) => {
    const body = patternOf(bytes);
    const { fetched, sent } = await fetchFrom(framing, body);
    await sent;
    // The end of the connection arrives, too.
    await sleep(30);
    expect((await readSlowly(fetched)).equals(body)).toBe(true);
  });

  test('20 MB by a reader that lags, to the last byte', async () => {
    const body = patternOf(20_000_000);
    const { fetched } = await fetchFrom(framing, body);
    expect(sha256(await readSlowly(fetched))).toBe(sha256(body));
  });

  test('from a slow server', async () => {
    const body = patternOf(400_000);
    const { fetched } = await fetchFrom(framing, body, { pauseMs: 5 });
    expect((await readSlowly(fetched)).equals(body)).toBe(true);
  });

  test.runIf(!framing.endless)('a body that is cut off is no file, however late it is read', async () => {
    const { fetched, sent } = await fetchFrom(framing, patternOf(65_536), { cutAt: 60_000 });
    await sent;
    await sleep(30);
    await expect(readSlowly(fetched)).rejects.toMatchObject({
      code: 'fetch_failed',
      message: 'Could not fetch the link from media.example.com: the connection was closed',
    });
  });

  test('a body that is given up closes the connection and says nothing', async () => {
    const { fetched, sent } = await fetchFrom(framing, patternOf(20_000_000));
    fetched.body.destroy();
    await sent;
  });
});
