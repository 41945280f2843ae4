import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { JobStore } from '../../rules/ports.ts';
import type { JobStatus } from '../../rules/records.ts';
import type { Tables } from './schema.ts';

type Counts = Record<JobStatus, number>;

/** Transactions that end a job are visible after this time. */
const settledAfterMs = 120_000;
/** How often all rows are counted again, because old rows are deleted. */
const countedAgainMs = 86_400_000;

/**
 * Counts jobs by status without scanning all rows: ended jobs are counted incrementally, the others each time, by
 * index. Once a day all are counted again, because old rows are deleted.
 */
export function createJobCounts(kysely: Kysely<Tables>, now: () => number = Date.now): JobStore['counts'] {
  let settled: { readonly until: Date | null; readonly counts: Counts } = { until: null, counts: none() };
  let countedAt = -Infinity;

  const count = async (condition: RawBuilder<unknown>): Promise<Counts> => {
    const { rows } = await sql<{ status: JobStatus; count: number }>`
      select status, count(*)::int as count from jobs where ${condition} group by status`.execute(kysely);
    return rows.reduce((counts, { status, count: more }) => ({ ...counts, [status]: more }), none());
  };

  return async () => {
    const at = now();
    if (at - countedAt >= countedAgainMs) {
      countedAt = at;
      settled = { until: null, counts: none() };
    }
    const until = new Date(at - settledAfterMs);
    // Concurrent calls start from the same counts.
    const before = settled;
    const since = before.until === null ? sql`true` : sql`finished_at > ${before.until}`;
    const more = await count(sql`finished_at <= ${until} and ${since}`);
    const counts = add(before.counts, more);
    settled = { until, counts };
    const [open, ended] = [await count(sql`status in ('queued', 'running')`), await count(sql`finished_at > ${until}`)];
    return add(counts, add(open, ended));
  };
}

const none = (): Counts => ({ queued: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0 });

const add = (one: Counts, other: Counts): Counts => ({
  queued: one.queued + other.queued,
  running: one.running + other.running,
  succeeded: one.succeeded + other.succeeded,
  failed: one.failed + other.failed,
  cancelled: one.cancelled + other.cancelled,
});
