import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { FanOut } from '../../../src/library/core/machine/fan-out.ts';
import { runPieces } from '../../../src/library/speech/pieces.ts';

/** Runs `work` here and counts how many are under way. */
function fake(work: (item: number) => Promise<number>): FanOut & { most: number; ended: number; cancelled: number } {
  let underWay = 0;
  const self = {
    most: 0,
    ended: 0,
    cancelled: 0,
    lanes: () => 3,
    clearThreads: () => Promise.resolve(),
    async map<Item, Result>(
      _url: string,
      _name: string,
      items: readonly Item[],
      options?: Parameters<FanOut['map']>[3],
    ): Promise<Result[]> {
      underWay += 1;
      self.most = Math.max(self.most, underWay);
      try {
        const result = await work(items[0] as number);
        if (options?.signal?.aborted) self.cancelled += 1;
        return [result as Result];
      } finally {
        underWay -= 1;
        self.ended += 1;
      }
    },
  };
  return self;
}

const go = { lanes: 3, signal: new AbortController().signal };

describe('runPieces', () => {
  it('hands results on in order, with one more under way than there are threads', async () => {
    const fanOut = fake(async (item) => {
      await sleep((item * 7) % 5);
      return 10 * item;
    });
    const items = Array.from({ length: 20 }, (_, index) => index);
    let made = 0;
    const taken: number[] = [];
    const lazily = function* (): Generator<number> {
      for (const item of items) {
        made += 1;
        // Never far ahead of what was taken.
        expect(made - taken.length).toBeLessThanOrEqual(5);
        yield item;
      }
    };
    await runPieces<number, number>(fanOut, ['url', 'name'], lazily(), (result) => taken.push(result), go);
    expect(taken).toEqual(items.map((item) => 10 * item));
    expect(fanOut.most).toBeLessThanOrEqual(4);
  });

  it('fails with the first failure, cancels the others and waits for them', async () => {
    const fanOut = fake(async (item) => {
      await sleep(item === 1 ? 1 : 20);
      if (item === 1) throw new Error('one failed');
      return item;
    });
    await expect(runPieces(fanOut, ['url', 'name'], [1, 2, 3, 4, 5], () => undefined, go)).rejects.toThrow(
      'one failed',
    );
    expect([fanOut.ended, fanOut.cancelled]).toEqual([4, 3]);
  });

  it('does nothing without pieces', async () => {
    await runPieces(fake(sleep), ['url', 'name'], [], () => expect.unreachable(), go);
  });
});
