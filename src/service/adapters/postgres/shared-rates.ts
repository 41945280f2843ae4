import { createHash } from 'node:crypto';
import type { Database } from './database.ts';
import type { BeatingHeart } from './heartbeat.ts';

/** Counts requests by key; see the HTTP server's rate limiter. */
interface CountedRequests {
  unshared(): ReadonlyMap<string, number>;
  learn(key: string, count: number, secondsLeft: number): void;
}

/** A limit may be exceeded by the requests that one API accepts in this time. */
const shareMs = 1000;
const windowSeconds = 60;

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
 * second, whatever the number of requests, and none while this API is alone or the database is away. Returns a function
 * that stops.
 */
export function shareRates(
  database: Pick<Database, 'queryAside'>,
  heartbeat: Pick<BeatingHeart, 'onBeat'>,
  limiter: CountedRequests,
): () => void {
  let otherApis = 0;
  let sharing = false;
  const leave = heartbeat.onBeat((news) => {
    otherApis = news.otherApis;
  });
  const share = async (): Promise<void> => {
    if (sharing) return;
    const counts = limiter.unshared();
    if (otherApis === 0 || counts.size === 0) return;
    sharing = true;
    try {
      await shareOnce(database, limiter, counts);
    } catch {
      // Counting continues locally; the heartbeat logs that the database is unavailable.
    } finally {
      sharing = false;
    }
  };
  const timer = setInterval(() => void share(), shareMs).unref();
  return () => {
    clearInterval(timer);
    leave();
  };
}

/** One exchange of counts. */
export async function shareOnce(
  database: Pick<Database, 'queryAside'>,
  limiter: CountedRequests,
  counts: ReadonlyMap<string, number>,
): Promise<void> {
  // Addresses and accounts are in the keys.
  const byHash = new Map([...counts.keys()].map((key) => [createHash('sha256').update(key).digest('base64url'), key]));
  const { rows } = await database.queryAside(statement, [
    [...byHash.keys()],
    [...byHash.values()].map((key) => counts.get(key) ?? 0),
    windowSeconds,
  ]);
  for (const row of rows as readonly { key: string; count: number; seconds_left: number }[]) {
    const key = byHash.get(row.key);
    if (key !== undefined) limiter.learn(key, row.count, row.seconds_left);
  }
}
