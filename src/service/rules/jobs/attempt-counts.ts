import type { JobStore } from './job-store.ts';

/** How an attempt of a job can end. */
export const attemptEnds = ['succeeded', 'failed', 'cancelled', 'returned', 'unfit', 'crashed', 'lost'] as const;

/** Name under which a process counts ends that could not be written. */
export const failedSettlements = 'settlement failed';

/** What a process counts for `/metrics`, by name: ends of attempts, and settlements that failed. */
export class AttemptCounts {
  private counts: Record<string, number> = {};

  /** One more, or several that could not be passed on. */
  add(name: string, count = 1): void {
    this.counts[name] = (this.counts[name] ?? 0) + count;
  }

  /** What was counted since the last call. */
  take(): Readonly<Record<string, number>> {
    const { counts } = this;
    this.counts = {};
    return counts;
  }

  /** The store, with its attempts counted as they end. */
  of(store: JobStore): JobStore {
    const ended =
      <Args extends unknown[]>(end: (typeof attemptEnds)[number], settle: (...args: Args) => Promise<boolean>) =>
      async (...args: Args): Promise<boolean> => {
        const settled = await settle(...args).catch((thrown: unknown) => {
          this.add(failedSettlements);
          throw thrown;
        });
        if (settled) this.add(end);
        return settled;
      };
    return {
      ...store,
      turn: async (...args) => {
        const turn = await store.turn(...args);
        if (turn !== null && turn.death !== null) this.add('lost');
        return turn;
      },
      succeed: ended('succeeded', store.succeed),
      fail: ended('failed', store.fail),
      cancel: ended('cancelled', store.cancel),
      requeue: ended('returned', store.requeue),
      passOn: ended('unfit', store.passOn),
      crashed: ended('crashed', store.crashed),
    };
  }
}
