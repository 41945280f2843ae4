import { sql } from 'kysely';
import type { AttemptCounts } from '../../../rules/jobs/attempt-counts.ts';
import { repeat, type Periodic } from '../../../rules/worker/periodic.ts';
import type { Database } from '../database/database.ts';

const everyMs = 10_000;

/** Adds what a process has counted to its sums; they outlive it, since /metrics is answered by others. */
export async function noteCounts({ kysely }: Database, processId: string, counts: AttemptCounts): Promise<void> {
  const taken = Object.entries(counts.take());
  if (taken.length === 0) return;
  try {
    await kysely
      .insertInto('tallies')
      .values(taken.map(([name, count]) => ({ process: processId, name, count })))
      .onConflict((conflict) =>
        conflict.columns(['process', 'name']).doUpdateSet({ count: sql`tallies.count + excluded.count` }),
      )
      .execute();
  } catch (thrown) {
    for (const [name, count] of taken) counts.add(name, count);
    throw thrown;
  }
}

/** Does so now and then, and at `stop`. Each process has rows of its own, so that none waits for another. */
export function shareTallies(database: Database, processId: string, counts: AttemptCounts): Periodic {
  const note = (): Promise<void> => noteCounts(database, processId, counts);
  const periodic = repeat('counts', everyMs, note, database.log);
  return {
    async stop() {
      await periodic.stop();
      await note().catch((thrown: unknown) => database.log.warn({ err: thrown }, 'Could not write the last counts'));
    },
  };
}

/** The sums of all processes, by name. */
export async function readCounts({ kysely }: Database): Promise<Readonly<Record<string, number>>> {
  const { rows } = await sql<{ name: string; count: number }>`
    select name, sum(count)::float8 as count from tallies group by name`.execute(kysely);
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

/** Puts the sums of processes that are gone into one row for each name. */
export async function foldCounts({ kysely }: Database): Promise<void> {
  await sql`
    with gone as (
      delete from tallies where process <> '' and not exists (select from workers where workers.id = process)
      returning name, count
    )
    insert into tallies as own (process, name, count) select '', name, sum(count) from gone group by name
    on conflict (process, name) do update set count = own.count + excluded.count`.execute(kysely);
}
