// @module-tag slow
// A worker with many jobs, with little time to end, and over a day of chance.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createWorkQueue } from '../../../../src/service/adapters/queue/work-queue.ts';
import { createLease, useDatabases } from '../../../fixtures/service/database.ts';
import { createHost, idle, type Act, type Host } from '../host.ts';
import { seeded } from '../../../fixtures/random.ts';
import { eventually } from '../../../fixtures/until.ts';

const databases = useDatabases();

async function withHost(
  test: (host: Host) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  await using host = await createHost(await databases.freshStores(), env);
  await test(host);
}

describe('a worker', () => {
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

  it('leaves exact books and no stray files after a random day', () =>
    withHost(async (host) => {
      const seed = Number(process.env['EARSHOT_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
      console.log(`random day: EARSHOT_TEST_SEED=${seed}`);
      const random = seeded(seed);
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
