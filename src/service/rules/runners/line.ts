import type { ClaimedEntry, RunnerEntries } from '../runner-store.ts';

type Claimed = ClaimedEntry & { readonly jobId: string };

/** Interval of queries to the queue while runners wait, independent of their number. */
const lookMs = 500;

/** Waiting runners, first in, first out. One query serves them all. */
export class Line {
  private readonly entries: RunnerEntries;
  private readonly leaseSeconds: number;
  private readonly waiting: ((claimed: Claimed | null) => void)[] = [];
  private looking: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(entries: RunnerEntries, leaseSeconds: number) {
    this.entries = entries;
    this.leaseSeconds = leaseSeconds;
  }

  /** null: none came in that time, or the caller has gone. */
  async next(waitSeconds: number, signal?: AbortSignal): Promise<Claimed | null> {
    if (signal?.aborted === true) return null;
    return await new Promise((resolve) => {
      const leave = (): void => {
        const at = this.waiting.indexOf(take);
        if (at >= 0) this.waiting.splice(at, 1);
        take(null);
      };
      // A look that is under way may still find one.
      const timer = setTimeout(() => void (this.looking ?? Promise.resolve()).then(leave), waitSeconds * 1000);
      const take = (claimed: Claimed | null): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
        resolve(claimed);
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.waiting.push(take);
      this.look();
    });
  }

  private look(): void {
    clearTimeout(this.timer);
    this.looking ??= this.serve()
      // The database is unavailable: the runners keep waiting.
      .catch(() => undefined)
      .finally(() => {
        this.looking = undefined;
        if (this.waiting.length > 0) this.timer = setTimeout(() => this.look(), lookMs);
      });
  }

  private async serve(): Promise<void> {
    while (this.waiting.length > 0) {
      const claimed = await this.entries.claim(this.leaseSeconds);
      if (claimed === null) return;
      const first = this.waiting.shift();
      // It disconnected at this moment.
      if (first === undefined) return await this.entries.release(claimed);
      first(claimed);
    }
  }
}
