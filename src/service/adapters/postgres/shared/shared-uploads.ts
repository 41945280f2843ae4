import { createHash } from 'node:crypto';
import type { Database } from '../database/database.ts';
import type { BeatingHeart } from './heartbeat.ts';
import { shareCounts } from './share-counts.ts';

/** Counts uploads by owner; see arrivals.ts. */
export interface CountedUploads {
  counts(): ReadonlyMap<string, number>;
  learn(elsewhere: (owner: string) => number): void;
}

/** What an API told that has died since counts for so long. */
const keptSeconds = 5;

const statement = `
with quickly as materialized (select set_config('synchronous_commit', 'off', true)),
gone as (delete from arriving_uploads where api = $1 and owner <> all($2::text[])),
told as (
  insert into arriving_uploads as own (api, owner, files, ends_at)
  select $1, given.owner, given.files, clock_timestamp() + $4 * interval '1 second'
  from quickly, unnest($2::text[], $3::int[]) as given (owner, files)
  on conflict (api, owner) do update set files = excluded.files, ends_at = excluded.ends_at)
select owner, sum(files)::int as files from arriving_uploads
where api <> $1 and ends_at > clock_timestamp() group by owner`;

const hashOf = (owner: string): string => createHash('sha256').update(owner).digest('base64url');

/**
 * Tells the other APIs on the database whose uploads arrive here, and learns whose arrive there: one statement a
 * second. Returns a function that stops.
 */
export const shareUploads = (
  database: Pick<Database, 'queryAside'>,
  heartbeat: Pick<BeatingHeart, 'onBeat' | 'workerId'>,
  uploads: CountedUploads,
): (() => void) =>
  shareCounts(
    heartbeat,
    () => shareUploadsOnce(database, heartbeat.workerId, uploads),
    () => uploads.learn(() => 0),
  );

/** One exchange. @param api this one's id */
export async function shareUploadsOnce(
  database: Pick<Database, 'queryAside'>,
  api: string,
  uploads: CountedUploads,
): Promise<void> {
  // An owner may be an address.
  const here = [...uploads.counts()].map(([owner, files]) => ({ owner: hashOf(owner), files }));
  const { rows } = await database.queryAside(statement, [
    api,
    here.map(({ owner }) => owner),
    here.map(({ files }) => files),
    keptSeconds,
  ]);
  const elsewhere = new Map((rows as readonly { owner: string; files: number }[]).map((row) => [row.owner, row.files]));
  uploads.learn((owner) => (elsewhere.size === 0 ? 0 : (elsewhere.get(hashOf(owner)) ?? 0)));
}
