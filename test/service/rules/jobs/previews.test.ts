// Passages that are heard before and after a tool, for nothing.
import { expect, it } from 'vitest';
import type { JobRequest } from '../../../../src/library/contract/job-request.ts';
import type { StoredFile } from '../../../../src/service/rules/files/stored-file.ts';
import { useDatabases } from '../../../fixtures/service/database.ts';
import { createStockedHost, requestFor } from '../stocked-host.ts';

const databases = useDatabases();
const idOf = (file: StoredFile): string => file.id;

it('a preview costs nothing, is of one recording, and may be ordered so often within a day', async () => {
  const few = await createStockedHost(await databases.freshStores(), { EARSHOT_PREVIEWS_PER_DAY: '2' });
  try {
    const preview = (idempotencyKey: string, changes: Partial<JobRequest> = {}) =>
      few.host.jobs.create(
        few.account,
        requestFor(few.long, { idempotencyKey, options: { preview_from: 5 }, maxCredits: 1, ...changes }),
      );
    const { job } = await preview('one');
    expect(job).toMatchObject({ price: 0, free: false, windowSeconds: null, status: 'queued' });
    expect((await preview('one')).job.id).toBe(job.id);
    await preview('two', { tool: 'remove_silence' });
    await expect(preview('three')).rejects.toMatchObject({
      code: 'free_limit_reached',
      details: { limit: 2, taken: 2 },
    });
    const tracks = { tool: 'level_speakers', inputs: { track_file_ids: [few.audio, few.long].map(idOf) } } as const;
    await expect(preview('four', tracks)).rejects.toThrow('Expected one recording, and no other file for preview_from');
    // It takes none of the day's.
    const behind = preview('six', { options: { preview_from: 700 } });
    await expect(behind).rejects.toThrow('before the end of the recording, 10:00, but it begins at 11:40');
    await few.host.expectExact(few.account, 1000);
    // The whole is paid as before.
    const whole = await few.host.jobs.create(few.account, requestFor(few.long, { idempotencyKey: 'five' }));
    expect(whole.job.price).toBe(11);
  } finally {
    await few.host[Symbol.asyncDispose]();
  }
  const none = await createStockedHost(await databases.freshStores(), { EARSHOT_PREVIEWS_PER_DAY: '0' });
  try {
    const order = none.host.jobs.create(none.account, requestFor(none.long, { options: { preview_from: 0 } }));
    await expect(order).rejects.toMatchObject({ code: 'free_disabled' });
  } finally {
    await none.host[Symbol.asyncDispose]();
  }
});
