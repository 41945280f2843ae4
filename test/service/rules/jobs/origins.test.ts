// What a file was made of: by its job, for its own account alone.
import { expect, it } from 'vitest';
import { createOrigins } from '../../../../src/service/rules/jobs/origins.ts';
import type { StoredFile } from '../../../../src/service/rules/files/stored-file.ts';
import type { StoredJob } from '../../../../src/service/rules/jobs/stored-job.ts';
import { storedFile, storedJob } from '../../http/stored.ts';
import { account } from '../../http/support.ts';

const made = storedFile({ id: 'file_2', kind: 'output', sourceJobId: 'job_1', accountId: account.id });
const origins = (job: Partial<StoredJob>, files: readonly StoredFile[] = [storedFile(), made]) =>
  createOrigins({
    files: {
      get: async (id) => files.find((file) => file.id === id) ?? null,
      getMany: async (ids) => ids.map((id) => files.find((file) => file.id === id) ?? null),
    },
    jobs: { get: async () => storedJob({ accountId: account.id, status: 'succeeded', ...job }) },
    now: () => new Date('2026-11-20T11:00:00Z'),
  });
const done = { tool: 'cut_audio' as const, result: { keptRanges: [] }, outputFileIds: ['file_2'] };

it('are the inputs of its job, also where their bytes are gone', async () => {
  const gone = storedFile({ status: 'deleted', objectKey: null });
  const { origin, file } = await origins(done, [gone, made]).of(account, 'file_2');
  expect(file).toBe(made);
  expect(origin).toEqual({ tool: 'cut_audio', result: done.result, inputs: { file_id: [gone] }, outputs: [made] });
});

it.each([
  ['an upload', {}, [{ ...made, sourceJobId: null }], 'wrong_file_type'],
  ['the job of another account', { ...done, accountId: 'acc_9' }, [storedFile(), made], 'wrong_file_type'],
  ['a job whose result is gone', { ...done, result: null }, [storedFile(), made], 'file_expired'],
  ['a recording that nothing is known of', done, [made], 'file_expired'],
  ['the file of another account', done, [storedFile(), { ...made, accountId: 'acc_9' }], 'not_found'],
] as const)('are not given of %s', async (_what, job, files, code) => {
  await expect(origins(job, files).of(account, 'file_2')).rejects.toMatchObject({ code });
});
