import { type Kysely, sql } from 'kysely';
import type { FreeOverview } from '../../../rules/free-runs/free-run-store.ts';
import { toFreeRun } from '../database/rows.ts';
import type { Tables } from '../database/schema.ts';

/** Most waiting runs of a list. */
export const mostShown = 100;

/** Statistics of a day of the free API. */
export async function overviewOf(kysely: Kysely<Tables>, day: string, at: Date): Promise<FreeOverview> {
  const [uses, seconds, waiting] = await Promise.all([
    kysely
      .selectFrom('free_uses')
      .select([
        'tool',
        sql<number>`sum(taken)::bigint`.as('uses'),
        sql<number>`count(*) filter (where taken > 0)`.as('visitors'),
      ])
      .where('day', '=', day)
      .groupBy('tool')
      .execute(),
    kysely.selectFrom('free_days').select('seconds').where('day', '=', day).executeTakeFirst(),
    kysely
      .selectFrom('free_runs')
      .selectAll()
      .where('status', '=', 'waiting')
      .where('finishJobId', 'is', null)
      .where('expiresAt', '>', at)
      .orderBy('createdAt')
      .limit(mostShown)
      .execute(),
  ]);
  return {
    uses: Object.fromEntries(uses.map(({ tool, uses: taken, visitors }) => [tool, { uses: taken, visitors }])),
    seconds: seconds?.seconds ?? 0,
    waiting: waiting.map(toFreeRun),
  };
}
