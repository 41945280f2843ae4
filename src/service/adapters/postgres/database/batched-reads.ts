import { setImmediate as endOfTurn } from 'node:timers/promises';
import DataLoader from 'dataloader';
import { sql, type RawBuilder } from 'kysely';

/** Most ids of one query. */
const mostIds = 1000;

// Batches the reads of one turn of the event loop into one query, which begins after the last of them was requested.
// Nothing is cached.

/**
 * Batches reads by id; returns rows in the order of the ids, null where there is none.
 * @param read rows of these distinct ids, in any order; ids without a row are left out
 */
export function batchReads<Item extends { readonly id: string }>(
  read: (ids: readonly string[]) => Promise<readonly Item[]>,
): (ids: readonly string[]) => Promise<readonly (Item | null)[]> {
  const loader = new DataLoader<string, Item | null>(
    async (ids) => {
      const found = new Map((await read([...new Set(ids)])).map((item) => [item.id, item]));
      return ids.map((id) => found.get(id) ?? null);
    },
    { cache: false, maxBatchSize: mostIds, batchScheduleFn: (read) => void setImmediate(read) },
  );
  return (ids) => Promise.all(ids.map((id) => loader.load(id)));
}

/**
 * Batches queries of one kind.
 * @param read the answers in the order of the questions
 */
export function batchQuestions<Question, Answer>(
  read: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): (question: Question) => Promise<Answer> {
  const loader = new DataLoader<Question, Answer>((questions) => read(questions), {
    cache: false,
    maxBatchSize: mostIds,
    batchScheduleFn: (begin) => void setImmediate(begin),
  });
  return (question) => loader.load(question);
}

/**
 * Equal concurrent queries share one (many clients of one account list its jobs). Compared by their JSON.
 */
export function shareReads<Question, Answer>(
  read: (question: Question) => Promise<Answer>,
): (question: Question) => Promise<Answer> {
  const open = new Map<string, Promise<Answer>>();
  return (question) => {
    const key = JSON.stringify(question);
    const earlier = open.get(key);
    if (earlier !== undefined) return earlier;
    const answer = endOfTurn().then(() => {
      // Later calls must not get an earlier read.
      open.delete(key);
      return read(question);
    });
    open.set(key, answer);
    return answer;
  };
}

/** For `=`: a list of any length as one parameter, so that the text of the statement, and its plan, stay the same. */
export const anyOf = (ids: readonly string[]): RawBuilder<string> => sql<string>`any(${ids}::text[])`;
