import { sql, type Transaction } from 'kysely';
import type { ToolId } from '../../../../library/contract/tool-ids.ts';
import type { FreeSubject, FreeUses } from '../../../rules/accounts/free.ts';
import { batchQuestions } from '../database/batched-reads.ts';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/schema.ts';

export function createFreeUses({ kysely }: Database): FreeUses {
  return {
    taken: batchQuestions(async (subjects: readonly FreeSubject[]) => {
      const { rows } = await sql<{ number: number; tool: ToolId; taken: number }>`
        select number, tool, taken
        from unnest(${subjects.map(({ id }) => id)}::text[], ${subjects.map(({ day }) => day)}::text[])
          with ordinality as asked (subject, day, number) join free_uses using (subject, day)`.execute(kysely);
      const answers: Partial<Record<ToolId, number>>[] = subjects.map(() => ({}));
      for (const { number, tool, taken } of rows) answers[number - 1]![tool] = taken;
      return answers;
    }),
  };
}

export async function freeUsesTaken(trx: Transaction<Tables>, { id, day }: FreeSubject, tool: ToolId): Promise<number> {
  const row = await trx
    .selectFrom('free_uses')
    .select('taken')
    .where('subject', '=', id)
    .where('day', '=', day)
    .where('tool', '=', tool)
    .executeTakeFirst();
  return row?.taken ?? 0;
}

export async function takeFreeUse(trx: Transaction<Tables>, { id, day }: FreeSubject, tool: ToolId): Promise<void> {
  await trx
    .insertInto('free_uses')
    .values({ subject: id, day, tool, taken: 1 })
    .onConflict((conflict) =>
      conflict.columns(['subject', 'day', 'tool']).doUpdateSet({ taken: sql<number>`free_uses.taken + 1` }),
    )
    .execute();
}

export async function giveFreeUseBack(trx: Transaction<Tables>, { id, day }: FreeSubject, tool: ToolId): Promise<void> {
  await trx
    .updateTable('free_uses')
    .set({ taken: sql<number>`taken - 1` })
    .where('subject', '=', id)
    .where('day', '=', day)
    .where('tool', '=', tool)
    .where('taken', '>', 0)
    .execute();
}

/**
 * Free seconds of all runs of the day.
 * @param locked locks them until the caller's transaction ends, to compare them with the budget
 */
export async function freeSecondsTaken(trx: Transaction<Tables>, day: string, locked: boolean): Promise<number> {
  if (locked)
    await trx
      .insertInto('free_days')
      .values({ day })
      .onConflict((conflict) => conflict.column('day').doNothing())
      .execute();
  const row = await trx
    .selectFrom('free_days')
    .select('seconds')
    .where('day', '=', day)
    .$if(locked, (query) => query.forUpdate())
    .executeTakeFirst();
  return row?.seconds ?? 0;
}

export async function takeFreeSeconds(trx: Transaction<Tables>, day: string, seconds: number): Promise<void> {
  await trx
    .insertInto('free_days')
    .values({ day, seconds })
    .onConflict((conflict) =>
      conflict.column('day').doUpdateSet({ seconds: sql<number>`free_days.seconds + ${seconds}` }),
    )
    .execute();
}

/** At least 0: rounding could make it negative. */
export async function giveFreeSecondsBack(trx: Transaction<Tables>, day: string, seconds: number): Promise<void> {
  await trx
    .updateTable('free_days')
    .set({ seconds: sql<number>`greatest(0, seconds - ${seconds})` })
    .where('day', '=', day)
    .execute();
}
