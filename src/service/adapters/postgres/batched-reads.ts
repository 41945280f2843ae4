import { setImmediate as endOfTurn } from 'node:timers/promises';
import DataLoader from 'dataloader';
import { sql, type RawBuilder } from 'kysely';

/** Ids of one query, at most. */
const mostIds = 1000;

// Reads of requests that arrive together: what is asked for in one turn of the event loop goes to the database once, in
// a query that begins after the last of them asked. Nothing is remembered beyond it, so every read is as fresh as one
// of its own.

/**
 * Rows by id in one query, in the order of the ids; null where there is none.
 * @param read rows of these ids, each once, in any order; ids without a row are left out
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
 * Questions of one kind in one query.
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
 * The same question asked many times over (all workers of one account look at its jobs) is one query. Questions are the
 * same when their JSON is.
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
      // From here on a new asker would get what was read before it asked.
      open.delete(key);
      return read(question);
    });
    open.set(key, answer);
    return answer;
  };
}

/** For `=`: a list of any length as one parameter, so that the statement has one text and the server plans it once. */
export const anyOf = (ids: readonly string[]): RawBuilder<string> => sql<string>`any(${ids}::text[])`;
