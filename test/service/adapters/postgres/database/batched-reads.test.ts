import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { batchReads, shareReads } from '../../../../../src/service/adapters/postgres/database/batched-reads.ts';

describe('reads by id', () => {
  it('ask once for everything that is wanted in one turn, and answer each in its own order', async () => {
    const asked: (readonly string[])[] = [];
    const read = batchReads(async (ids) => {
      asked.push(ids);
      await sleep(1);
      return ids
        .filter((id) => id !== 'gone')
        .toReversed()
        .map((id) => ({ id, name: id.toUpperCase() }));
    });
    const [first, second, none] = await Promise.all([read(['a', 'b', 'gone']), read(['b', 'a', 'b']), read([])]);
    expect(asked).toEqual([['a', 'b', 'gone']]);
    expect(first).toEqual([{ id: 'a', name: 'A' }, { id: 'b', name: 'B' }, null]);
    expect(second.map((item) => item?.id)).toEqual(['b', 'a', 'b']);
    expect(none).toEqual([]);
  });

  it('ask again for whoever comes while a query is under way', async () => {
    let version = 1;
    const read = batchReads(async (ids) => {
      const seen = version;
      await sleep(5);
      return ids.map((id) => ({ id, seen }));
    });
    const early = read(['a']);
    await sleep(2);
    version = 2;
    expect([(await read(['a']))[0]?.seen, (await early)[0]?.seen]).toEqual([2, 1]);
  });

  it('fail for everyone who asked, and only for them', async () => {
    let down = true;
    const read = batchReads(async (ids) => {
      if (down) throw new Error('The database is away');
      return ids.map((id) => ({ id }));
    });
    const outcomes = await Promise.allSettled([read(['a']), read(['b'])]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    down = false;
    expect(await read(['a'])).toEqual([{ id: 'a' }]);
  });
});

describe('reads of one question', () => {
  it('are one for all who ask the same in one turn; others get their own', async () => {
    const asked: unknown[] = [];
    const read = shareReads(async (question: { of: string; limit: number }) => {
      asked.push(question);
      await sleep(1);
      return `${question.of} ${question.limit}`;
    });
    expect(
      await Promise.all([
        read({ of: 'a', limit: 1 }),
        read({ of: 'a', limit: 1 }),
        read({ of: 'a', limit: 2 }),
        read({ of: 'b', limit: 1 }),
      ]),
    ).toEqual(['a 1', 'a 1', 'a 2', 'b 1']);
    expect(asked).toHaveLength(3);
  });

  it('never give an answer that was being read before the question came', async () => {
    let version = 1;
    const read = shareReads(async (_question: string) => {
      const seen = version;
      await sleep(5);
      return seen;
    });
    const early = read('x');
    await sleep(2);
    version = 2;
    expect([await read('x'), await early]).toEqual([2, 1]);
  });

  it('fail for everyone who asked, and then ask again', async () => {
    let down = true;
    const read = shareReads(async (question: string) => {
      if (down) throw new Error('The database is away');
      return question;
    });
    expect((await Promise.allSettled([read('x'), read('x')])).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
    ]);
    down = false;
    expect(await read('x')).toBe('x');
  });
});
