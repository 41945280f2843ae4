import { sql, type RawBuilder } from 'kysely';
import { queueSchema, type TaskKind } from './boss.ts';

/** A queue entry of this priority or less is a free job's: the queue's tables hold no other mark of a class. */
export const freePriority = -(2 ** 30);

/** The class of the queue's `entry`. */
export const paidOrFree = `case when entry.priority <= ${freePriority} then 'free' else 'paid' end`;

/** A condition for queries: a task of that kind is queued or running for the id (an expression, such as a column). */
export const isInQueue = (kind: TaskKind, id: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`exists (
    select from ${sql.table(`${queueSchema}.job`)} as entry
    where entry.name = ${sql.lit(kind)} and entry.singleton_key = ${id} and entry.state < 'completed')`;
