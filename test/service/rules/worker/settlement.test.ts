// What a run is charged, from what was quoted and what it processed.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { priceOf, roundSeconds } from '../../../../src/service/rules/tools/prices.ts';
import { creditsToCharge } from '../../../../src/service/rules/worker/settlement.ts';
import { useDatabases } from '../../../fixtures/service/database.ts';
import { createHost } from '../host.ts';

const job = (seconds: number, creditsPerMinute: number, files = 1) => ({
  tool: 'remove_noise' as const,
  price: priceOf(roundSeconds(seconds), creditsPerMinute),
  billing: { seconds, creditsPerMinute },
  inputs: { file_id: Array.from({ length: files }, (_, n) => `file_${n}`) },
});

describe('creditsToCharge', () => {
  it.each([
    ['all of it', 600, 600, 10],
    ['a file that ended early', 600, 120, 2],
    ['nothing at all', 600, 0, 1],
    ['padding over the edge of a minute', 60.4, 60.6, 1],
  ])('%s', (_, quoted, processed, credits) => {
    expect(creditsToCharge(job(quoted, 1), processed)).toBe(credits);
  });

  it('a run that turns out longer than what was quoted does not succeed', () => {
    expect(() => creditsToCharge(job(1, 1), 600)).toThrow(/1\.0 s .* 600\.0 s; nothing was charged/);
    expect(() => creditsToCharge(job(600, 1), 603)).toThrow();
    expect(creditsToCharge(job(600, 1, 20), 603)).toBe(10);
  });

  it('a free run, an always-free tool and a job without a remembered length are charged what was held', () => {
    expect(creditsToCharge({ ...job(600, 1), price: 0 }, 6000)).toBe(0);
    expect(creditsToCharge({ ...job(600, 1), billing: null }, 6000)).toBe(10);
  });

  it('never more than was held, never more than the price of what was processed, unless it throws', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 36_000, noNaN: true }),
        fc.double({ min: 0, max: 40_000, noNaN: true }),
        fc.integer({ min: 1, max: 1000 }),
        (quoted, processed, rate) => {
          const held = job(quoted, rate);
          let credits: number;
          try {
            credits = creditsToCharge(held, processed);
          } catch {
            return processed > quoted;
          }
          return (
            Number.isInteger(credits) && credits <= held.price && credits <= priceOf(roundSeconds(processed), rate)
          );
        },
      ),
    );
  });
});

describe('a job on a file whose length was not what its check found', () => {
  const databases = useDatabases();

  it.each([
    [{ processedSeconds: 12 }, 'succeeded', 1, 9],
    [{ processedSeconds: 600 }, 'succeeded', 10, 0],
    [{ processedSeconds: 6000 }, 'failed', 0, 10],
  ] as const)('%j: %s, %i charged, %i free again', async (work, status, charged, released) => {
    await using host = await createHost(await databases.freshStores());
    const account = await host.account(100);
    const file = await host.file(account, { durationSeconds: 600 });
    const started = await host.job(account, file, ['succeed'], work);
    const worker = host.makeWorker();
    await worker.start();
    const ended = await host.ended(started.id);
    await worker.stop();
    expect(ended.status).toBe(status);
    if (status === 'failed') expect(ended.error).toMatchObject({ code: 'file_invalid' });
    const books = await host.operator.account(account.id);
    expect([started.price, books.balance, books.reserved]).toEqual([charged + released, 100 - charged, 0]);
    if (status === 'failed') expect(await host.outputKeys()).toEqual([]);
  });

  it('warnings of the run stay with the job, at most twenty', async () => {
    await using host = await createHost(await databases.freshStores());
    const account = await host.account(100);
    const file = await host.file(account);
    const warnings = Array.from({ length: 30 }, (_, n) => ({ code: 'truncated' as const, message: `${n}` }));
    const started = await host.job(account, file, ['succeed'], { warnings });
    const worker = host.makeWorker();
    await worker.start();
    expect((await host.ended(started.id)).warnings).toEqual(warnings.slice(0, 20));
    await worker.stop();
    expect((await host.jobs.get(account, started.id)).job.warnings).toHaveLength(20);
  });
});
