import { expect, test } from 'vitest';
import { AttemptCounts } from '../../../../src/service/rules/jobs/attempt-counts.ts';
import type { JobStore } from '../../../../src/service/rules/jobs/job-store.ts';

const death = { workerId: 'w', reason: 'workerGone', shared: false };

test('ends of attempts are counted as the store takes them, and those that it refuses are not', async () => {
  const counts = new AttemptCounts();
  let settles = true;
  const settle = async (): Promise<boolean> => settles;
  const store = {
    turn: async () => ({ alone: false, attempt: 1, death }),
    succeed: settle,
    fail: settle,
    cancel: settle,
    requeue: settle,
    passOn: settle,
    crashed: settle,
  } as unknown as JobStore;
  const counted = counts.of(store);
  await counted.turn('job', 'w');
  await counted.cancel('job', 1);
  await counted.cancel('job', 2);
  await counted.requeue('job', 3);
  await counted.crashed('job', 4);
  await counted.passOn('job', 5, null, 0);
  settles = false;
  await counted.fail('job', 6, { code: 'internal_error', message: 'late' });
  expect(counts.take()).toEqual({ lost: 1, cancelled: 2, returned: 1, crashed: 1, unfit: 1 });
  expect(counts.take()).toEqual({});
});

test('a settlement that cannot be written is counted as such, and its error goes on', async () => {
  const counts = new AttemptCounts();
  const store = { cancel: async () => Promise.reject(new Error('the database is away')) } as unknown as JobStore;
  await expect(counts.of(store).cancel('job', 1)).rejects.toThrow('away');
  expect(counts.take()).toEqual({ 'settlement failed': 1 });
});
