import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { reenqueueLost } from '../../../../src/service/adapters/postgres/housekeeping.ts';
import { createWorkQueue } from '../../../../src/service/adapters/queue/work-queue.ts';
import type { JobStore } from '../../../../src/service/rules/ports.ts';
import { createLease, useDatabases } from '../../../fixtures/service/database.ts';
import { createHost, idle, type Act, type Host } from '../host.ts';
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

  it('gives jobs back that do not end within the grace time, without using up a start', () =>
    withHost(
      async (host) => {
        const account = await host.account(100);
        const file = await host.file(account);
        const [short, long] = [
          await host.job(account, file, ['held']),
          await host.job(account, file, ['hang', 'succeed']),
        ];
        const worker = host.makeWorker();
        await worker.start();
        await eventually(() => expect(host.media.running).toBe(2));
        // The long one would hang for ten minutes.
        const stopped = worker.stop();
        host.media.letGo();
        await stopped;
        expect((await host.stores.jobs.get(short.id))?.status).toBe('succeeded');
        expect(await host.stores.jobs.get(long.id)).toMatchObject({ status: 'queued', progress: 0 });
        expect(await host.stores.jobs.finishedParts(long.id)).toEqual([{ key: 'start 1', value: [1] }]);
        await host.expectExact(account, 100);

        const queue = createWorkQueue(host.stores.database, createLease(host.stores.database));
        try {
          await host.makeWorker({ queue, config: { ...host.config, jobAttempts: 1 } }).start();
          expect(await host.ended(long.id)).toMatchObject({ status: 'succeeded', result: { start: 2 } });
          // The second start goes on where the first was stopped; when the job has ended nothing is kept.
          const [, first, second] = host.media.requests;
          expect([first?.finishedParts, second?.finishedParts]).toEqual([[], [{ key: 'start 1', value: [1] }]]);
          expect(await host.stores.jobs.finishedParts(long.id)).toEqual([]);
        } finally {
          await queue.stop(0);
        }
        await host.expectExact(account, 100);
      },
      // Time enough for the short one to be settled on a busy machine.
      { EARSHOT_GRACE_SECONDS: '2' },
    ));

  it('runs as many jobs at a time as it has slots, and checks beside them', () =>
    withHost(async (host) => {
      const account = await host.account(100);
      const file = await host.file(account);
      const jobs = [];
      for (let index = 0; index < 6; index++) jobs.push(await host.job(account, file, ['succeed'], { ms: 150 }));
      const hanging = [await host.job(account, file, ['hang']), await host.job(account, file, ['hang'])];
      const checked: string[] = [];
      const files = { ...idle, checkFile: (id: string) => (checked.push(id), Promise.resolve()) };
      await host.makeWorker({ files }).start();
      for (const { id } of jobs) await host.ended(id);
      await eventually(() => expect(host.media.running).toBe(2));
      expect(host.media.most).toBe(2);
      // Both slots are taken for good; an upload's check does not wait for them.
      await host.stores.files.update(file.id, ['ready'], { status: 'processing' }, 'check');
      await eventually(() => expect(checked).toEqual([file.id]));
      for (const { id } of hanging) await host.jobs.cancel(account, id);
      for (const { id } of hanging) await host.ended(id);
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

  it('leaves exact books and no stray files after a random day', () =>
    withHost(async (host) => {
      const seed = Number(process.env['EARSHOT_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
      console.log(`random day: EARSHOT_TEST_SEED=${seed}`);
      const random = randomNumbers(seed);
      const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
      const accounts = await Promise.all([host.account(15), host.account(40)]);
      const granted = new Map([
        [accounts[0].id, 15],
        [accounts[1].id, 40],
      ]);
      const files = new Map<string, Awaited<ReturnType<Host['file']>>[]>();
      for (const account of accounts)
        files.set(account.id, [await host.file(account), await host.file(account, { durationSeconds: 290 })]);
      let queue = host.stores.queue;
      let worker = host.makeWorker();
      await worker.start();
      const made: string[] = [];
      const refused: Record<string, number> = {};
      for (let step = 0; step < 80; step++) {
        const account = pick(accounts);
        const acts: Act[] = Array.from({ length: 3 }, () =>
          pick<Act>(['succeed', 'succeed', 'succeed', 'crash', 'fail', 'bug', 'hang', 'deaf']),
        );
        try {
          const job = await host.job(account, pick(files.get(account.id) ?? []), acts, {
            ms: Math.floor(random() * 40),
            free: pick([undefined, true, false]),
            maxCredits: pick([null, null, 3]),
            outputs: Math.floor(random() * 3),
          });
          made.push(job.id);
          // A hanging one ends by being cancelled; so do some others, whenever that comes.
          if (acts.includes('hang') || random() < 0.2)
            void sleep(random() * 300).then(() => host.jobs.cancel(account, job.id).catch(() => undefined));
        } catch (thrown) {
          const { code } = thrown as { code: string };
          refused[code] = (refused[code] ?? 0) + 1;
        }
        if (random() < 0.1) {
          await host.operator.postCredits(account.id, 'grant', 5, null);
          granted.set(account.id, (granted.get(account.id) ?? 0) + 5);
        }
        if (step === 25 || step === 50) {
          await worker.stop();
          queue = createWorkQueue(host.stores.database, createLease(host.stores.database));
          worker = host.makeWorker({ queue });
          await worker.start();
        }
      }
      const counts: Record<string, number> = {};
      for (const id of made) {
        const { status } = await host.ended(id);
        counts[status] = (counts[status] ?? 0) + 1;
      }
      await worker.stop();
      console.log('ended:', counts, 'refused:', refused);
      const keys: string[] = [];
      for (const account of accounts) {
        await host.expectExact(account, granted.get(account.id) ?? 0);
        for (let cursor: string | null = null, more = true; more; more = cursor !== null) {
          const page = await host.stores.files.list(
            account.id,
            { kind: 'output', at: new Date() },
            { cursor, limit: 100 },
          );
          keys.push(...page.items.map(({ objectKey }) => objectKey ?? ''));
          cursor = page.nextCursor;
        }
      }
      // Every output is in the records, and every record has its output.
      expect(await host.outputKeys()).toEqual(keys.sort());
      expect(await readdir(join(host.data, 'work'))).toEqual([]);
    }));
});

/** mulberry32. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}
