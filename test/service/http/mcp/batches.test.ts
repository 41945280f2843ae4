// A batch of messages counts as so many requests, and the protocol of 2025-06-18 has none.
import { expect, it } from 'vitest';
import { key, useApps } from '../support.ts';
import { slow } from '../../../fixtures/rounds.ts';

const start = useApps();
const ping = (id: number): object => ({ jsonrpc: '2.0', id, method: 'ping' });
const send = (base: string, count: number, version?: string): Promise<Response> =>
  fetch(`${base}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
    },
    body: JSON.stringify(Array.from({ length: count }, (_, id) => ping(id))),
  });

it('each message of a batch counts against the rate limit', slow, async () => {
  const { base } = await start({}, { config: { rateLimitAccount: '20' } });
  const few = await send(base, 5);
  expect(few.headers.get('ratelimit')).toMatch(/r=15;/);
  // More names than any JSON of a request may have is refused before it is read.
  const endless = await send(base, 100_000);
  expect([endless.status, await endless.text()]).toEqual([400, expect.stringContaining('at most 20000 names')]);
  const many = await send(base, 5000);
  expect(many.status).toBe(429);
  expect(many.headers.get('ratelimit')).toMatch(/r=0;/);
});

it('the protocol of 2025-06-18 refuses batches', async () => {
  const { base } = await start();
  const answer = await send(base, 2, '2025-06-18');
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain('batches ended with the protocol of 2025-03-26');
});
