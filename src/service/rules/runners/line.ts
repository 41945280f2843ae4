import type { ClaimedEntry, ClaimingRunner, RunnerEntries } from './runner-store.ts';

type Claimed = ClaimedEntry & { readonly jobId: string };

interface Waiting {
  readonly runner: ClaimingRunner;
  readonly take: (claimed: Claimed | null) => void;
}

/** Interval of queries to the queue while runners wait. While no job waits, it is one for all of them. */
const lookMs = 500;

/** Waiting runners: the first in line has the first job that suits it. */
export class Line {
  private readonly entries: RunnerEntries;
  private readonly leaseSeconds: number;
  private readonly perOwner: number | null;
  private readonly waiting: Waiting[] = [];
  private looking: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** @param perOwner running jobs of one account; null: no limit */
  constructor(entries: RunnerEntries, leaseSeconds: number, perOwner: number | null) {
    this.entries = entries;
    this.leaseSeconds = leaseSeconds;
    this.perOwner = perOwner;
  }

  /** null: none came in that time, or the caller has gone. */
  async next(runner: ClaimingRunner, waitSeconds: number, signal?: AbortSignal): Promise<Claimed | null> {
    if (signal?.aborted === true) return null;
    return await new Promise((resolve) => {
      const leave = (): void => {
        this.remove(own);
        take(null);
      };
      // A look that is under way may still find one.
      const timer = setTimeout(() => void (this.looking ?? Promise.resolve()).then(leave), waitSeconds * 1000);
      const take = (claimed: Claimed | null): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
        resolve(claimed);
      };
      const own = { runner, take };
      signal?.addEventListener('abort', leave, { once: true });
      this.waiting.push(own);
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
    let found = true;
    while (found && this.waiting.length > 0 && (await this.entries.due())) {
      found = false;
      // Runners leave the line, and join it, while the queue is asked.
      const inLine = this.waiting.slice();
      for (const each of inLine) {
        const claimed = await this.entries.claim(this.leaseSeconds, each.runner, this.perOwner);
        if (claimed === null) continue;
        found = true;
        if (this.remove(each)) each.take(claimed);
        // It disconnected at this moment.
        else await this.entries.release(claimed);
      }
    }
  }

  /** false: it had left. */
  private remove(one: Waiting): boolean {
    const at = this.waiting.indexOf(one);
    if (at >= 0) this.waiting.splice(at, 1);
    return at >= 0;
  }
}
