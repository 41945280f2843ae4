// The routes of runners over a desk of plain functions: sizes, links, and what stands in the log.
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import { runnersDialect } from '../../../../src/service/http/runners/dialect.ts';
import type { RunnerDesk } from '../../../../src/service/rules/runners/desk.ts';
import { storedFile, useApps } from '../support.ts';

const start = useApps();
const withDesk = (desk: Partial<Pick<RunnerDesk, 'openInput' | 'handOver'>>) =>
  start({}, { beside: [runnersDialect({ desk: desk as RunnerDesk, readError: () => null })] });

test('an input is sent while the runner has the job, and the link is not in the log', async () => {
  const file = storedFile({ filename: 'talk.wav' });
  const { app, logged } = await withDesk({
    openInput: (token) =>
      token === 'good'
        ? Promise.resolve({ file, sizeBytes: 5, read: () => Promise.resolve(Readable.from([Buffer.from('sound')])) })
        : Promise.reject(new EarshotError('conflict', 'Another machine has this job by now')),
  });
  expect(await app.inject('/api/runner/inputs/good')).toMatchObject({ statusCode: 200, body: 'sound' });
  expect((await app.inject('/api/runner/inputs/gone')).statusCode).toBe(409);
  expect((await app.inject({ method: 'HEAD', url: '/api/runner/inputs/good' })).statusCode).toBe(405);
  expect(logged()).toContain('/api/runner/inputs/');
  expect(logged()).not.toMatch(/inputs\/(good|gone)/);
});

test('an input of an object store with links is a redirect that nothing keeps', async () => {
  const { app } = await withDesk({ openInput: () => Promise.resolve({ url: 'https://bucket.example/key?sign=1' }) });
  const { statusCode, headers } = await app.inject('/api/runner/inputs/good');
  expect([statusCode, headers['location'], headers['cache-control']]).toEqual([
    302,
    'https://bucket.example/key?sign=1',
    'no-store',
  ]);
});

test('a result above 8 MiB is refused before anything reads it', async () => {
  let calls = 0;
  const { app } = await withDesk({ handOver: () => Promise.resolve(++calls > 0) });
  const send = (letters: number) =>
    app.inject({
      method: 'POST',
      url: '/api/runner/job/result',
      headers: { authorization: 'Bearer token', 'content-type': 'application/json' },
      payload: JSON.stringify({
        files: [],
        result: { engine: 'x'.repeat(letters) },
        warnings: [],
        processedSeconds: 1,
      }),
    });
  expect((await send(1000)).statusCode).toBe(200);
  expect((await send(9 * 2 ** 20)).statusCode).toBe(413);
  expect(calls).toBe(1);
});
