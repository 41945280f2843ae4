import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { reenqueueLost } from '../../../../src/service/adapters/postgres/housekeeping.ts';
import type { JobStore } from '../../../../src/service/rules/jobs/job-store.ts';
import { useDatabases } from '../../../fixtures/service/database.ts';
import { createHost, idle, type Host } from '../host.ts';
import { eventually } from '../../../fixtures/until.ts';

const databases = useDatabases();

async function withHost(
  test: (host: Host) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  await using host = await createHost(await databases.freshStores(), env);
  await test(host);
}

describe('a job', () => {
  it('succeeds: outputs are files, the price is charged, nothing is left behind', () =>
    withHost(async (host) => {
      const account = await host.account(100);
      const file = await host.file(account);
      const job = await host.job(account, file, ['succeed'], { outputs: 2 });
      expect([job.status, job.price, (await host.operator.account(account.id)).reserved]).toEqual(['queued', 1, 1]);
      const worker = host.makeWorker();
      await worker.start();
      const ended = await host.ended(job.id);
      await worker.stop();

      expect(ended).toMatchObject({
        status: 'succeeded',
        attempt: 1,
        progress: 1,
        processedSeconds: 60,
        result: { start: 1 },
        error: null,
      });
      const { outputs } = await host.jobs.get(account, job.id);
      expect(outputs.map(({ filename }) => filename)).toEqual(['out-0.wav', 'out-1.wav']);
      for (const output of outputs) {
        expect(output).toMatchObject({
          accountId: account.id,
          kind: 'output',
          status: 'ready',
          sourceJobId: job.id,
          hasAudio: true,
          hasVideo: false,
          format: 'wav',
          media: { sampleRate: 48_000 },
        });
        expect(output.sizeBytes).toBe((await host.objects.stat(output.objectKey ?? ''))?.sizeBytes);
        expect(Math.abs(output.expiresAt.getTime() - Date.now() - 86_400_000)).toBeLessThan(60_000);
      }
      expect(host.media.requests[0]?.inputs['file_id']?.[0]?.name).toBe('talk.wav');
      // By the length of the file: a minute.
      expect(host.media.requests[0]?.maxSeconds).toBeGreaterThan(60);
      expect(host.media.requests[0]?.maxSeconds).toBeLessThan(host.config.jobSeconds);
      expect(await readdir(join(host.data, 'work'))).toEqual([]);
      await host.expectExact(account, 100);
      expect((await host.operator.account(account.id)).balance).toBe(99);
      expect(host.log.entries).toEqual([]);
    }));

  it('keeps the error of its tool, without the place of the file, and is not charged', () =>
    withHost(async (host) => {
      const account = await host.account(100);
      const file = await host.file(account);
      const [failed, broken] = [await host.job(account, file, ['fail']), await host.job(account, file, ['bug'])];
      await host.makeWorker().start();
      expect(await host.ended(failed.id)).toMatchObject({
        status: 'failed',
        attempt: 1,
        error: { code: 'no_audio', message: 'Expected sound in talk.wav but it has none' },
      });
      expect(await host.ended(broken.id)).toMatchObject({
        status: 'failed',
        attempt: 1,
        error: { code: 'internal_error', message: 'remove_noise failed because of an internal error of the service' },
      });
      await host.expectExact(account, 100);
    }));

  it('runs again at once after a crash of its process, and fails after too many', () =>
    withHost(async (host) => {
      const account = await host.account(100);
      const file = await host.file(account);
      const [lucky, doomed] = [
        await host.job(account, file, ['crash', 'crash', 'succeed']),
        await host.job(account, file, ['crash']),
      ];
      await host.makeWorker().start();
      expect(await host.ended(lucky.id)).toMatchObject({ status: 'succeeded', attempt: 3, result: { start: 3 } });
      expect(await host.ended(doomed.id)).toMatchObject({
        status: 'failed',
        attempt: 3,
        error: { code: 'internal_error' },
      });
      await host.expectExact(account, 100);
    }));

  it('is cancelled while it runs, and at once while it waits', () =>
    withHost(
      async (host) => {
        const account = await host.account(100);
        const file = await host.file(account);
        const running = await host.job(account, file, ['hang']);
        await host.makeWorker().start();
        await eventually(async () => expect((await host.stores.jobs.get(running.id))?.stage).toBe('encoding'));
        const waiting = await host.job(account, file, ['hang']);
        expect((await host.jobs.cancel(account, waiting.id)).job.status).toBe('cancelled');
        await host.jobs.cancel(account, running.id);
        const ended = await host.ended(running.id);
        expect(ended.status).toBe('cancelled');
        await expect(host.jobs.cancel(account, running.id)).rejects.toMatchObject({ code: 'job_not_cancellable' });
        await host.expectExact(account, 100);
        expect((await host.operator.account(account.id)).balance).toBe(100);
      },
      { EARSHOT_JOB_SLOTS: '1' },
    ));

  it('that was cancelled is not charged for work that could not be interrupted', () =>
    withHost(async (host) => {
      const account = await host.account(100);
      const job = await host.job(account, await host.file(account), ['held']);
      await host.makeWorker().start();
      await eventually(async () => expect((await host.stores.jobs.get(job.id))?.status).toBe('running'));
      await host.jobs.cancel(account, job.id);
      host.media.letGo();
      expect((await host.ended(job.id)).status).toBe('cancelled');
      await eventually(async () => expect(await host.outputKeys()).toEqual([]));
      await host.expectExact(account, 100);
    }));

  it('fails with file_expired when a file of it has gone before it ran', () =>
    withHost(async (host) => {
      const account = await host.account(100);
      const [deleted, swept] = [await host.file(account), await host.file(account)];
      const jobs = [await host.job(account, deleted, ['succeed']), await host.job(account, swept, ['succeed'])];
      await host.stores.files.update(deleted.id, ['ready'], { status: 'deleted', objectKey: null });
      await host.objects.remove(swept.objectKey ?? '');
      await host.makeWorker().start();
      for (const { id } of jobs)
        expect(await host.ended(id)).toMatchObject({ status: 'failed', error: { code: 'file_expired' } });
      expect(host.media.requests).toEqual([]);
      await host.expectExact(account, 100);
    }));

  it('gets its free use back when it fails, and processes the free part only', () =>
    withHost(async (host) => {
      const account = await host.account(0);
      const file = await host.file(account, { durationSeconds: 600 });
      const day = new Date().toISOString().slice(0, 10);
      await host.makeWorker().start();
      const failed = await host.job(account, file, ['fail'], { free: true });
      await host.ended(failed.id);
      expect((await host.stores.freeUses.taken({ id: account.id, day })).remove_noise ?? 0).toBe(0);
      const done = await host.job(account, file, ['succeed'], { free: true });
      expect(await host.ended(done.id)).toMatchObject({
        status: 'succeeded',
        free: true,
        price: 0,
        windowSeconds: 180,
        processedSeconds: 180,
      });
      expect((await host.stores.freeUses.taken({ id: account.id, day })).remove_noise).toBe(1);
      await host.expectExact(account, 0);
    }));
});

describe('a worker', () => {
  it('drops the work of a start that has lost its job, with its files', () =>
    withHost(async (host) => {
      const account = await host.account(100);
      const job = await host.job(account, await host.file(account), ['held', 'succeed']);
      await host.makeWorker().start();
      await eventually(async () => expect((await host.stores.jobs.get(job.id))?.status).toBe('running'));
      // Another worker takes the job over, as after a lost lease, and settles it.
      const taken = await host.stores.jobs.start(job.id, 'another', 3);
      expect(taken?.attempt).toBe(2);
      expect(
        await host.stores.jobs.succeed(job.id, 2, {
          outputs: [],
          result: { by: 'another' },
          processedSeconds: 1,
          warnings: [],
          credits: Infinity,
        }),
      ).toBe(true);
      host.media.letGo();
      await eventually(() => expect(host.media.running).toBe(0));
      await host.stores.queue.stop(1000);
      expect(await host.stores.jobs.get(job.id)).toMatchObject({
        status: 'succeeded',
        attempt: 2,
        result: { by: 'another' },
        outputFileIds: [],
      });
      expect(await host.outputKeys()).toEqual([]);
      expect(host.log.entries.map(({ message }) => message)).toEqual([expect.stringContaining('taken over')]);
      await host.expectExact(account, 100);
    }));

  it('stops a silent run within seconds once its job is lost', () =>
    withHost(async (host) => {
      const account = await host.account(100);
      const job = await host.job(account, await host.file(account), ['hang']);
      await host.makeWorker().start();
      await eventually(async () => expect((await host.stores.jobs.get(job.id))?.status).toBe('running'));
      await host.stores.jobs.start(job.id, 'another', 3);
      await eventually(() => expect(host.media.running).toBe(0));
      expect((await host.stores.jobs.get(job.id))?.status).toBe('running');
      await host.stores.jobs.fail(job.id, 2, { code: 'internal_error', message: 'by another' });
      await host.expectExact(account, 100);
    }));

  it('keeps the files of a settlement whose answer got lost', () =>
    withHost(async (host) => {
      const account = await host.account(100);
      const job = await host.job(account, await host.file(account), ['succeed']);
      let lost = 0;
      const jobs: JobStore = {
        ...host.stores.jobs,
        async succeed(...settlement) {
          const settled = await host.stores.jobs.succeed(...settlement);
          if (lost++ === 0) throw new Error('the connection broke');
          return settled;
        },
      };
      await host.makeWorker({ stores: { jobs, files: host.stores.files } }).start();
      expect((await host.ended(job.id)).status).toBe('succeeded');
      await host.stores.queue.stop(2000);
      expect(lost).toBe(2);
      const { outputs } = await host.jobs.get(account, job.id);
      expect(await host.outputKeys()).toEqual(outputs.map(({ objectKey }) => objectKey));
      await host.expectExact(account, 100);
    }));

  it('starts a job again that this machine could not run, and fails it after too many', () =>
    withHost(async (host) => {
      const account = await host.account(100);
      const job = await host.job(account, await host.file(account), ['succeed']);
      const objects = { ...host.objects, adopt: () => Promise.reject(new Error('ENOSPC: no space left on device')) };
      await host.makeWorker({ objects }).start();
      expect(await host.ended(job.id)).toMatchObject({
        status: 'failed',
        attempt: 3,
        error: { code: 'internal_error' },
      });
      expect(await host.outputKeys()).toEqual([]);
      await host.expectExact(account, 100);
    }));

  it('keeps house now and then, and takes up tasks that fell out of the queue', () =>
    withHost(async (host) => {
      const account = await host.account(100);
      const job = await host.job(account, await host.file(account), ['succeed']);
      await sql`delete from pgboss.job`.execute(host.stores.database.kysely);
      let sweeps = 0;
      const files = {
        ...idle,
        sweep: () =>
          sweeps++ === 0 ? Promise.reject(new Error('once')) : Promise.resolve({ expired: 0, leftovers: 0 }),
      };
      const worker = host.makeWorker({
        files,
        housekeeping: { reconcile: () => reenqueueLost(host.stores.database, host.stores.enqueuer) },
        times: { betweenRoundsMs: 10 },
      });
      await worker.start();
      expect((await host.ended(job.id)).status).toBe('succeeded');
      await eventually(() => expect(sweeps).toBeGreaterThan(2));
      await worker.stop();
      const after = sweeps;
      await sleep(50);
      expect(sweeps).toBe(after);
      expect(host.log.entries.map(({ fields }) => fields['task'])).toEqual(['sweep']);
      await host.expectExact(account, 100);
    }));
});
