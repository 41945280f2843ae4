import { expect, it } from 'vitest';
import { depthOf } from '../../../../src/service/rules/runners/depth.ts';
import { toolWork } from '../../../../src/library/contract/tool-work.ts';
import { useDatabases } from '../../../fixtures/service/database.ts';
import { newAccount, newJob, paid } from '../../../fixtures/service/rows.ts';

const databases = useDatabases();

it('adds up what waits by label, and has every label where nothing does', () => {
  const pools = { transcribe_audio: 'gpu', align_script: 'gpu', enhance_voice: 'big' };
  expect(depthOf({}, pools)).toEqual({
    queuedJobs: 0,
    queuedSeconds: 0,
    oldestSeconds: 0,
    pools: Object.fromEntries(
      ['default', 'gpu', 'big'].map((label) => [label, { queuedJobs: 0, queuedSeconds: 0, oldestSeconds: 0 }]),
    ),
  });
  const depth = depthOf(
    {
      transcribe_audio: { jobs: 2, seconds: 600, oldestSeconds: 41.4 },
      align_script: { jobs: 1, seconds: 60, oldestSeconds: 90 },
      join_audio: { jobs: 4, seconds: 100, oldestSeconds: 3 },
    },
    pools,
  );
  const seconds = (tool: 'transcribe_audio' | 'align_script' | 'join_audio', of: number) =>
    Math.ceil(toolWork[tool].cpuPerSecond * of);
  const gpu = seconds('transcribe_audio', 600) + seconds('align_script', 60);
  expect(depth.pools['gpu']).toEqual({ queuedJobs: 3, queuedSeconds: gpu, oldestSeconds: 90 });
  expect(depth).toMatchObject({
    queuedJobs: 7,
    queuedSeconds: gpu + seconds('join_audio', 100),
    oldestSeconds: 90,
    pools: { default: { queuedJobs: 4, oldestSeconds: 3 }, big: { queuedJobs: 0 } },
  });
});

it('counts jobs that wait, not those that run', async () => {
  const stores = await databases.freshStores();
  const account = await newAccount(stores, 100);
  const { job } = await stores.jobs.create(newJob(account.id, paid(1)));
  await stores.jobs.create(newJob(account.id, paid(1)));
  await stores.database.query(`update jobs set created_at = now() - interval '1 hour' where id = $1`, [job.id]);
  expect((await stores.jobs.queued()).remove_noise).toEqual({
    jobs: 2,
    seconds: 120,
    oldestSeconds: expect.closeTo(3600, -2) as number,
  });
  await stores.jobs.start(job.id, 'worker', 3);
  expect((await stores.jobs.queued()).remove_noise).toMatchObject({ jobs: 1, seconds: 60 });
});
