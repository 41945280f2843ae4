// A job that meets a bound of memory, time or disk: every interface says whose bound it was and what helps, and nothing
// is paid. A quota of an account, which has the same code, is answered as ever.
import { beforeAll, describe, expect, it } from 'vitest';
import type { EarshotError } from '../../../src/library/core/errors/errors.ts';
import { memoryExceeded, outputExceeded, timeExceeded } from '../../../src/library/runtime/job/limit-errors.ts';
import { useServices, type TestService } from '../../fixtures/service/service.ts';
import { olderClient } from './legacy/client.ts';
import { createFakeMedia, named, type FakeMedia } from './try/fake-media.ts';
import { ended, tryTool } from './try/support.ts';
import { slow } from '../../fixtures/rounds.ts';

const services = useServices();
let service: TestService;

const byName: Readonly<Record<string, EarshotError>> = {
  '20s-memory.wav': memoryExceeded(2 ** 31, 2.2e9),
  '20s-time.wav': timeExceeded(21_600),
  '20s-disk.wav': outputExceeded(123e6, null),
};

/** Runs of those files meet a bound. */
function createBoundedMedia(): FakeMedia {
  const media = createFakeMedia();
  const { run } = media;
  media.run = async (request) => {
    const error = byName[request.inputs['file_id']?.[0]?.name ?? ''];
    if (error) throw error;
    return run(request);
  };
  return media;
}

beforeAll(async () => {
  service = await services.start({ media: createBoundedMedia(), config: { freeWaitSeconds: '20' } });
}, 60_000);

const advice = 'Use a shorter file or split it, or ask the operator to raise';
const bounds = [
  ['20s-memory.wav', 'maxJobMemoryBytes', '2048 MiB of memory', `${advice} EARSHOT_JOB_MEMORY_BYTES`],
  ['20s-time.wav', 'maxJobSeconds', '21600 s of time', `${advice} EARSHOT_JOB_SECONDS`],
  [
    '20s-disk.wav',
    'maxOutputBytes',
    '123 MB of disk space',
    'Use a shorter file or split it; if that does not help, report the job to the operator',
  ],
] as const;

describe.each(bounds)('a job that met its bound (%s)', (filename, limit, amount, helps) => {
  const message = `The job needed more than the ${amount} that this service gives one job. ${helps}`;
  const asUsual = { code: 'limit_exceeded', message };

  it('is answered 422 by the free API without a key, with its use back and nothing to wait for', async () => {
    const { status, json, headers } = await tryTool(service, 'remove-noise', [['file', named(filename)]]);
    expect(status).toBe(422);
    expect(json).toEqual({
      error: {
        ...asUsual,
        retryable: false,
        nextAction: `${helps}.`,
        details: { limit, expected: byName[filename]?.details?.['expected'], jobId: expect.any(String) },
      },
    });
    expect(headers.has('retry-after')).toBe(false);
    expect(headers.get('ratelimit')).toMatch(/r=3;/);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
  });

  it('is answered 422 by the free API with a key, free and paid', async () => {
    const { key, account } = await service.account(100);
    const ask = (...fields: [string, string][]) =>
      tryTool(service, 'remove-noise', [...fields, ['file', named(filename)]], {
        headers: { authorization: `Bearer ${key}` },
      });
    for (const answer of [await ask(), await ask(['free', 'true'])]) {
      expect([answer.status, answer.headers.has('retry-after')]).toEqual([422, false]);
      expect(answer.json.error).toMatchObject({ ...asUsual, retryable: false });
      expect(answer.headers.get('ratelimit')).toMatch(/r=3;/);
    }
    expect(await service.operator.account(account.id)).toMatchObject({ balance: 100, reserved: 0 });
  });

  it('says the same under its status link', async () => {
    const { json } = await tryTool(service, 'remove-noise', [['file', named(filename)]], {
      headers: { prefer: 'respond-async' },
    });
    if (json.statusUrl !== undefined)
      expect(await ended(json.statusUrl)).toMatchObject({ status: 'failed', error: asUsual });
    else expect(json.error).toMatchObject(asUsual);
  });

  it('fails in REST and in the older API with the same words, and nothing is charged or held', async () => {
    const { key, account } = await service.account(100);
    const older = olderClient(service.legacyBase, key);
    const fileId = await older.upload(named(filename));
    const jobId = await older.createJob({ input: fileId });
    expect(await older.ended(jobId)).toEqual({ state: 'failed', reason: message });

    const rest = async (path: string, body?: object) => {
      const response = await fetch(`${service.base}/api/v1${path}`, {
        headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
      });
      // oxlint-disable-next-line typescript/no-explicit-any -- whatever was answered
      return (await response.json()) as any;
    };
    const { id } = await rest('/jobs', { tool: 'remove_noise', file_id: fileId, idempotency_key: 'bounded-1' });
    let job = await rest(`/jobs/${id}`);
    while (!['succeeded', 'failed', 'cancelled'].includes(job.status as string)) job = await rest(`/jobs/${id}`);
    expect([job.status, job.error, job.outputs]).toEqual(['failed', asUsual, []]);
    expect(await service.operator.account(account.id)).toMatchObject({ balance: 100, reserved: 0 });
    expect((await rest('/ledger')).data.map(({ kind }: { kind: string }) => kind)).toEqual(['grant']);
  });
});

it('an account’s quota is 429 as ever', slow, async () => {
  const bounded = await services.start({ media: createFakeMedia(), config: { accountFiles: '1' } });
  const { key } = await bounded.account(100);
  const create = () =>
    fetch(`${bounded.base}/api/v1/files`, { method: 'POST', headers: { authorization: `Bearer ${key}` } });
  expect((await create()).status).toBe(201);
  const refused = await create();
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({ error: { code: 'limit_exceeded', details: { limit: 'maxFiles' } } });
});
