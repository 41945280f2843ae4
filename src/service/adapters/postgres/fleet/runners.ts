import { sql, type Selectable } from 'kysely';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { Runner, RunnerRun, RunnerStore } from '../../../rules/runners/runner-store.ts';
import { queueSchema } from '../../queue/boss.ts';
import type { Enqueuer } from '../../queue/enqueue.ts';
import { endEntry } from '../../queue/runner-entries.ts';
import type { Database } from '../database/database.ts';
import type { RunnerRunTable, RunnerTable } from '../database/fleet-schema.ts';
import { jobTask, jobTaskColumns } from '../jobs/sharing.ts';

const mostOutputs = 100;

const toRunner = ({ hash: _secret, ...runner }: Selectable<RunnerTable>): Runner => runner;
const toRun = ({ createdAt: _createdAt, ...run }: Selectable<RunnerRunTable>): RunnerRun => run;

/** @param queue null: only for the operator's commands */
export function createRunnerStore(database: Database, queue: Enqueuer | null): RunnerStore {
  return { ...createRunners(database), ...createRuns(database), ...createEnds(database, queue) };
}

function createRunners({ kysely }: Database): Pick<RunnerStore, 'add' | 'find' | 'list' | 'revoke' | 'running'> {
  return {
    async add(runner) {
      return toRunner(await kysely.insertInto('runners').values(runner).returningAll().executeTakeFirstOrThrow());
    },
    async find(hash) {
      const row = await kysely.selectFrom('runners').selectAll().where('hash', '=', hash).executeTakeFirst();
      if (row === undefined) return null;
      if (row.lastSeenAt === null || Date.now() - row.lastSeenAt.getTime() > 60_000)
        await sql`update runners set last_seen_at = clock_timestamp() where id = ${row.id}`.execute(kysely);
      return toRunner(row);
    },
    async list() {
      const rows = await kysely.selectFrom('runners').selectAll().orderBy('createdAt', 'desc').orderBy('id').execute();
      return rows.map(toRunner);
    },
    async revoke(named) {
      const found = await kysely
        .selectFrom('runners')
        .select('id')
        .where((where) => where.or([where('id', '=', named), where('prefix', '=', named), where('name', '=', named)]))
        .where('revokedAt', 'is', null)
        .limit(2)
        .execute();
      const [only, another] = found;
      if (only === undefined) return null;
      if (another !== undefined)
        throw new EarshotError('conflict', `Several runners are called ${named}; expected the id of one`, {
          nextAction: 'List the runners and give the id of one.',
        });
      return toRunner(
        await kysely
          .updateTable('runners')
          .set({ revokedAt: sql<Date>`clock_timestamp()` })
          .where('id', '=', only.id)
          .returningAll()
          .executeTakeFirstOrThrow(),
      );
    },
    async running(runnerId) {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from runner_runs as run
        join ${sql.table(`${queueSchema}.job`)} as entry
          on entry.name = 'job' and entry.id = run.entry_id and entry.state = 'active' and entry.retry_count = run.claim
        where run.runner_id = ${runnerId} and run.answer is null`.execute(kysely.withoutPlugins());
      return rows[0]?.count ?? 0;
    },
  };
}

type Runs = Pick<RunnerStore, 'begin' | 'run' | 'report' | 'addOutput' | 'outputWhole' | 'handedOver'>;
type Ends = Pick<RunnerStore, 'handOver' | 'accepted' | 'refused' | 'ended' | 'forget' | 'forgetBefore'>;

function createRuns(database: Database): Runs {
  const { kysely } = database;
  return {
    async begin(run) {
      await kysely
        .insertInto('runner_runs')
        .values({ ...run, outputs: '[]', answer: null })
        .execute();
    },
    async run(jobId, attempt) {
      const row = await kysely
        .selectFrom('runner_runs')
        .innerJoin('runners', 'runners.id', 'runner_runs.runnerId')
        .selectAll('runner_runs')
        .where('jobId', '=', jobId)
        .where('attempt', '=', attempt)
        .where('runners.revokedAt', 'is', null)
        .executeTakeFirst();
      return row === undefined ? null : toRun(row);
    },
    async addOutput({ jobId, attempt }, output) {
      return database.transaction(async (trx) => {
        const row = await trx
          .selectFrom('runner_runs')
          .selectAll()
          .where('jobId', '=', jobId)
          .where('attempt', '=', attempt)
          .forUpdate()
          .executeTakeFirst();
        if (row === undefined || row.answer !== null || row.outputs.length >= mostOutputs)
          throw new EarshotError('conflict', `This run takes no more outputs; expected at most ${mostOutputs}`);
        const sum = row.outputs.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, output.sizeBytes);
        if (sum > row.maxOutputBytes)
          throw new EarshotError(
            'file_too_large',
            `Expected outputs of at most ${row.maxOutputBytes} bytes in all but they have ${sum}`,
            { details: { maxBytes: row.maxOutputBytes } },
          );
        await trx
          .updateTable('runner_runs')
          .set({ outputs: JSON.stringify([...row.outputs, { ...output, whole: false }]) })
          .where('jobId', '=', jobId)
          .where('attempt', '=', attempt)
          .execute();
        return row.outputs.length;
      });
    },
    async report({ jobId, attempt }, { progress, stage, estimatedSecondsLeft }) {
      const share = Math.min(1, Math.max(0, progress));
      // A runner with all slots taken asks for nothing: its reports are its beats.
      const { rows } = await sql<{ cancelRequested: boolean }>`
        with beat as (
          update workers set last_beat_at = clock_timestamp() from jobs
          where jobs.id = ${jobId} and jobs.attempt = ${attempt} and workers.id = jobs.worker_id
        )
        update jobs set progress = ${share}, furthest = greatest(furthest, ${share}), stage = coalesce(${stage}, stage),
          estimated_seconds_left = ${estimatedSecondsLeft}
        where id = ${jobId} and attempt = ${attempt} and status = 'running' returning cancel_requested`.execute(kysely);
      return { current: rows.length > 0, cancelRequested: rows[0]?.cancelRequested ?? false };
    },
    async outputWhole({ jobId, attempt }, output) {
      await sql`update runner_runs set outputs = jsonb_set(outputs, array[${String(output)}, 'whole'], 'true')
        where job_id = ${jobId} and attempt = ${attempt}`.execute(kysely);
    },
    async handedOver(jobId) {
      const row = await kysely
        .selectFrom('runner_runs')
        .selectAll()
        .where('jobId', '=', jobId)
        .where('answer', 'is not', null)
        .orderBy('attempt', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? null : toRun(row);
    },
  };
}

/** How attempts end. */
function createEnds(database: Database, queue: Enqueuer | null): Ends {
  const { kysely } = database;
  const deleteRun = (trx: typeof kysely, { jobId, attempt }: RunnerRun) =>
    trx.deleteFrom('runner_runs').where('jobId', '=', jobId).where('attempt', '=', attempt).execute();
  return {
    async handOver(run, answer) {
      const { jobId, attempt } = run;
      return database.transaction(async (trx) => {
        const row = await trx
          .selectFrom('runner_runs')
          .select('answer')
          .where('jobId', '=', jobId)
          .where('attempt', '=', attempt)
          .forUpdate()
          .executeTakeFirst();
        if (row === undefined) return false;
        if (row.answer !== null) return true;
        if (!(await endEntry(trx, run))) return false;
        await trx
          .updateTable('runner_runs')
          .set({ answer: JSON.stringify(answer) })
          .where('jobId', '=', jobId)
          .where('attempt', '=', attempt)
          .execute();
        await queue?.enqueue(trx, [{ kind: 'accept', id: jobId }]);
        return true;
      });
    },
    async accepted(run) {
      await database.transaction(async (trx) => {
        await sql`update runners set accepted = accepted + 1, refused = 0, unfinished = 0
          where id = ${run.runnerId}`.execute(trx);
        await deleteRun(trx, run);
      });
    },
    async refused(run) {
      await database.transaction(async (trx) => {
        const [deleted] = await deleteRun(trx, run);
        if (deleted?.numDeletedRows !== 1n) return;
        await sql`update runners set refused = refused + 1 where id = ${run.runnerId}`.execute(trx);
        await endEntry(trx, run);
        const job = await trx.selectFrom('jobs').select(jobTaskColumns).where('id', '=', run.jobId).executeTakeFirst();
        if (job !== undefined) await queue?.enqueue(trx, [jobTask(job)]);
      });
    },
    async ended(run) {
      await sql`update runners set unfinished = 0 where id = ${run.runnerId} and unfinished > 0`.execute(kysely);
      await deleteRun(kysely, run);
    },
    forget: async (run) => void (await deleteRun(kysely, run)),
    async forgetBefore(before) {
      await kysely.deleteFrom('runner_runs').where('createdAt', '<', before).execute();
    },
  };
}
