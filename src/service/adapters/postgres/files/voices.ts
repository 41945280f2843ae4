import { type Selectable, sql } from 'kysely';
import type { AccountVoice, NewVoice, VoiceStore } from '../../../rules/voices/voice-store.ts';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { Enqueuer } from '../../queue/enqueue.ts';
import { lockName } from '../../advisory-locks.ts';
import type { Database } from '../database/database.ts';
import type { VoiceTable } from '../database/schema.ts';

const shownColumns = ['id', 'accountId', 'name', 'status', 'error', 'consent', 'createdAt'] as const;
/** Of the print nothing else is read for lists. */
const seconds = sql<number | null>`(print ->> 'seconds')::float8`.as('seconds');

const nameTaken = (): EarshotError =>
  new EarshotError('conflict', 'A voice of the account has this name already', {
    nextAction: 'Choose another name, or delete that voice first.',
  });

const toNew = ({ id, accountId, name, consent, fileId, ranges }: Selectable<VoiceTable>): NewVoice => ({
  id,
  accountId,
  name,
  consent,
  fileId,
  ranges,
});

/** Voices of accounts, with their prints. */
export function createVoiceStore(database: Database, queue: Enqueuer | null): VoiceStore {
  const { kysely } = database;
  return {
    async create({ ranges, ...voice }, most) {
      return await database.transaction(async (trx) => {
        await lockName(trx, 'voices', voice.accountId);
        const { count, taken } = await trx
          .selectFrom('voices')
          .select([
            sql<number>`count(*)::int`.as('count'),
            sql<boolean>`coalesce(bool_or(lower(name) = lower(${voice.name})), false)`.as('taken'),
          ])
          .where('accountId', '=', voice.accountId)
          .executeTakeFirstOrThrow();
        if (taken) throw nameTaken();
        if (count >= most)
          throw new EarshotError('limit_exceeded', `Expected at most ${most} voices of an account`, {
            nextAction: 'Delete one first.',
          });
        const added: AccountVoice = await trx
          .insertInto('voices')
          .values({ ...voice, status: 'processing', ranges: ranges === null ? null : JSON.stringify(ranges) })
          .returning([...shownColumns, seconds])
          .executeTakeFirstOrThrow();
        await queue?.enqueue(trx, [{ kind: 'voice', id: voice.id, owner: voice.accountId }]);
        return added;
      });
    },
    async list(accountId) {
      return await kysely
        .selectFrom('voices')
        .select([...shownColumns, seconds])
        .where('accountId', '=', accountId)
        .orderBy(sql`lower(name)`)
        .execute();
    },
    async get(accountId, id) {
      const row = await kysely
        .selectFrom('voices')
        .select([...shownColumns, seconds])
        .where('accountId', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst();
      return row ?? null;
    },
    async rename(accountId, id, name) {
      return await database.transaction(async (trx) => {
        await lockName(trx, 'voices', accountId);
        const same = await trx
          .selectFrom('voices')
          .select('id')
          .where('accountId', '=', accountId)
          .where('id', '<>', id)
          .where(sql<boolean>`lower(name) = lower(${name})`)
          .executeTakeFirst();
        if (same !== undefined) throw nameTaken();
        const row = await trx
          .updateTable('voices')
          .set({ name })
          .where('accountId', '=', accountId)
          .where('id', '=', id)
          .returning([...shownColumns, seconds])
          .executeTakeFirst();
        return row ?? null;
      });
    },
    async remove(accountId, id) {
      const { numDeletedRows } = await kysely
        .deleteFrom('voices')
        .where('accountId', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    ...createPrints(database),
  };
}

/** What only jobs and the worker read. */
function createPrints({ kysely }: Database): Pick<VoiceStore, 'known' | 'references' | 'waiting' | 'finish'> {
  return {
    async references(jobId) {
      const rows = await kysely
        .selectFrom('voice_references')
        .select(['name', 'sound'])
        .where('runId', '=', jobId)
        .orderBy('place')
        .execute();
      return rows.map(({ name, sound }) => ({ name, sound: sound.toString('base64') }));
    },
    async known(accountId) {
      const rows = await kysely
        .selectFrom('voices')
        .select(['name', 'print'])
        .where('accountId', '=', accountId)
        .where('print', 'is not', null)
        .orderBy(sql`lower(name)`)
        .execute();
      return rows.flatMap(({ name, print }) => (print === null ? [] : [{ name, print }]));
    },
    async waiting(id) {
      const row = await kysely
        .selectFrom('voices')
        .selectAll()
        .where('id', '=', id)
        .where('status', '=', 'processing')
        .executeTakeFirst();
      return row === undefined ? null : toNew(row);
    },
    async finish(id, made) {
      const set =
        'print' in made
          ? { status: 'ready' as const, print: JSON.stringify(made.print) }
          : { status: 'failed' as const, error: JSON.stringify(made.error) };
      await kysely.updateTable('voices').set(set).where('id', '=', id).where('status', '=', 'processing').execute();
    },
  };
}
