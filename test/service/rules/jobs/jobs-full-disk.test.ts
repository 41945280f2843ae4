import { expect, it } from 'vitest';
import { isNoRoomToKeep } from '../../../../src/library/core/errors/disk-full.ts';
import { createJobs } from '../../../../src/service/rules/jobs/jobs.ts';
import { indexTools } from '../../../../src/service/rules/tools/tool-facts.ts';
import { useDatabases } from '../../../fixtures/service/database.ts';
import { createStockedHost, requestFor } from '../stocked-host.ts';
import { fakeTools } from '../tool-facts.ts';

const databases = useDatabases();

it('a full disk refuses a new job, reserves nothing for it, and a repeated request gets its job', async () => {
  const stores = await databases.freshStores();
  const { host, account, audio } = await createStockedHost(stores);
  try {
    const before = requestFor(audio, { idempotencyKey: 'before it was full' });
    const { job } = await host.jobs.create(account, before);
    const onFullDisk = createJobs({
      jobs: stores.jobs,
      files: stores.files,
      changes: stores.changes,
      objects: { freeBytes: async () => 999 },
      tools: indexTools(fakeTools()),
      prices: host.prices,
      config: { ...host.config, diskReserveBytes: 1000 },
    });
    await expect(onFullDisk.create(account, requestFor(audio, {}))).rejects.toSatisfy(isNoRoomToKeep);
    expect((await onFullDisk.create(account, before)).job.id).toBe(job.id);
    await host.expectExact(account, 1000);
  } finally {
    await host[Symbol.asyncDispose]();
  }
});
