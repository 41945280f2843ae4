import { createHash } from 'node:crypto';
import type { Database } from '../database/database.ts';
import type { BeatingHeart } from './heartbeat.ts';
import { shareCounts } from './share-counts.ts';

/** Counts requests by key; see the HTTP server's rate limiter. */
interface CountedRequests {
  unshared(): ReadonlyMap<string, number>;
  learn(key: string, count: number, secondsLeft: number): void;
}

const windowSeconds = 60;

/** What all processes counted, and when the window ends. */
interface WindowCount {
  readonly count: number;
  readonly secondsLeft: number;
}

/** In the order of the keys, so that two APIs cannot deadlock. */
const statement = `
with quickly as materialized (select set_config('synchronous_commit', 'off', true))
insert into rate_windows as own (key, count, ends_at)
select told.key, told.count, clock_timestamp() + $3 * interval '1 second'
from quickly, unnest($1::text[], $2::int[]) as told (key, count) order by told.key
on conflict (key) do update set
  count = case when own.ends_at > clock_timestamp() then own.count + excluded.count else excluded.count end,
  ends_at = case when own.ends_at > clock_timestamp() then own.ends_at else excluded.ends_at end
returning key, count, extract(epoch from ends_at - clock_timestamp())::float8 as seconds_left`;

/**
 * Tells the other APIs on the database how many requests came here, and learns how many came there: one statement a
 * second, whatever the number of requests. Returns a function that stops.
 */
export const shareRates = (
  database: Pick<Database, 'queryAside'>,
  heartbeat: Pick<BeatingHeart, 'onBeat'>,
  limiter: CountedRequests,
): (() => void) =>
  shareCounts(heartbeat, async () => {
    const counts = limiter.unshared();
    if (counts.size > 0) await shareOnce(database, limiter, counts);
  });

/** One exchange of counts. */
export async function shareOnce(
  database: Pick<Database, 'queryAside'>,
  limiter: CountedRequests,
  counts: ReadonlyMap<string, number>,
): Promise<void> {
  for (const [key, { count, secondsLeft }] of await addToWindows(database, counts, windowSeconds))
    limiter.learn(key, count, secondsLeft);
}

/**
 * Adds to windows that all processes share, and returns their counts. A window begins with the first of its key.
 * @param counts by key; 0: only reads
 */
export async function addToWindows(
  database: Pick<Database, 'queryAside'>,
  counts: ReadonlyMap<string, number>,
  seconds: number,
): Promise<ReadonlyMap<string, WindowCount>> {
  // Addresses and accounts are in the keys.
  const byHash = new Map([...counts.keys()].map((key) => [createHash('sha256').update(key).digest('base64url'), key]));
  const { rows } = await database.queryAside(statement, [
    [...byHash.keys()],
    [...byHash.values()].map((key) => counts.get(key) ?? 0),
    seconds,
  ]);
  return new Map(
    (rows as readonly { key: string; count: number; seconds_left: number }[]).map((row) => [
      byHash.get(row.key) ?? '',
      { count: row.count, secondsLeft: row.seconds_left },
    ]),
  );
}
